package diff_test

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/diff"
)

// summary writes all differences but those of names, one a line.
func summary(d *diff.Diff) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\n\t"+format, args...) }
	for _, f := range d.Model {
		line("model %s: %q -> %q", f.Name, f.Old, f.New)
	}
	for _, c := range d.IO {
		line("io output=%v %s: %q %s%s -> %q %s%s", c.Output, c.Kind, c.NameA, c.TypeA, c.TypeA.Shape, c.NameB, c.TypeB, c.TypeB.Shape)
	}
	for _, p := range d.Places {
		placeSummary(p, line)
	}
	for _, w := range d.Weights {
		mismatched := int64(-1)
		if w.Metrics != nil {
			mismatched = w.Metrics.Mismatched
		}
		line("weight %d -> %d (%s): %s%v -> %s%v, %d elements", w.A, w.B, w.Attribute, w.DTypeA, w.DimsA, w.DTypeB, w.DimsB, mismatched)
	}
	for _, err := range d.Notes.Unread {
		line("unread: %v", err)
	}
	return b.String()
}

func placeSummary(p *diff.PlaceDiff, line func(string, ...any)) {
	node := func(at *graphops.Place, i int) string {
		n := at.Graph.Nodes()[i]
		return fmt.Sprintf("%s %s%v", n.OpType(), n.Name(), n.Outputs())
	}
	for _, i := range p.Removed {
		line("removed %s", node(p.A, i))
	}
	for _, j := range p.Added {
		line("added %s", node(p.B, j))
	}
	for _, c := range p.Changed {
		for _, x := range c.Parts {
			line("changed %s: %s %s: %q -> %q follows=%v", node(p.A, c.A), x.What, x.Name, x.Old, x.New, x.Follows)
		}
	}
	for _, v := range p.Types {
		line("type of %d: %s%s -> %s%s", v.A, v.TypeA, v.TypeA.Shape, v.TypeB, v.TypeB.Shape)
	}
	for _, f := range p.Fields {
		line("field %s: %q -> %q", f.Name, f.Old, f.New)
	}
}
