package diff_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
)

// TestMutants compares small models of every operator with what a few changes made
// of them: whatever is told one way is told the other way, and models are called equal
// only where no difference is told.
func TestMutants(t *testing.T) {
	bases := mutate.Bases(t)
	for i, base := range slices.Concat(bases, bases, bases) {
		p, changes := mutate.New(base, bases, uint64(i))
		bytes, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := graphops.Decode(bytes)
		if err != nil || base.Model.Graph == nil {
			continue // damaged
		}
		a := graphtest.Decode(t, base.Model)
		d, back := compare(t, a, b), compare(t, b, a)
		if mirrored(tally(d)) != tally(back) || d.Equal != back.Equal || d.Identical != back.Identical {
			t.Errorf("%s: %s: one way %q, the other %q:%s%s", base.Name, changes, tally(d), tally(back), summary(d), summary(back))
		}
		for _, p := range d.Places {
			checkRows(t, p)
		}
		if told := tally(d); d.Equal != (len(d.Notes.Unread) == 0 && (told == "" || onlyDescribes(d))) {
			t.Errorf("%s: %s: equal is %v, told %q", base.Name, changes, d.Equal, told)
		}
		if self := compare(t, b, b); !self.Identical {
			t.Errorf("%s: %s: not identical with itself:%s", base.Name, changes, summary(self))
		}
	}
}

// onlyDescribes reports whether nothing is told but what describes.
func onlyDescribes(d *diff.Diff) bool {
	for _, f := range d.Model {
		if !f.Describes {
			return false
		}
	}
	for _, p := range d.Places {
		if p.A == nil || p.B == nil || len(p.Added)+len(p.Removed)+len(p.Types) > 0 {
			return false
		}
		for _, f := range p.Fields {
			if !f.Describes {
				return false
			}
		}
		for _, c := range p.Changed {
			if !c.Describes {
				return false
			}
		}
	}
	return len(d.IO)+len(d.Weights) == 0
}
