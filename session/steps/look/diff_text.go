package look

import (
	"fmt"
	"io"
	"strings"

	"lathe/session/text"
)

// maxDiffLines is how many differences of a kind are printed without --all.
const maxDiffLines = 20

// WriteText implements session.Report.
func (r *diffReport) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("%s", r.summary())
	writeCut(p, r.all, "inputs and outputs", r.IO.Changed, diffIOChange.write)
	var own, follow, describe []diffChange
	for _, c := range r.Nodes.Changed {
		switch {
		case c.Describes:
			describe = append(describe, c)
		case c.Follows:
			follow = append(follow, c)
		default:
			own = append(own, c)
		}
	}
	writeCut(p, r.all, "nodes changed", own, r.writeChange)
	writeCut(p, r.all, "nodes added", r.Nodes.Added, diffNode.write)
	writeCut(p, r.all, "nodes removed", r.Nodes.Removed, diffNode.write)
	writeCut(p, r.all, "nodes that read other values because of these", follow, r.writeChange)
	writeCut(p, r.all, "bodies and functions added", r.Places.Added, writeHops)
	writeCut(p, r.all, "bodies and functions removed", r.Places.Removed, writeHops)
	writeCut(p, r.all, "constants changed", r.Weights.Changed, diffWeight.write)
	added, withAdded := r.ofNodes(r.Weights.Added)
	removed, withRemoved := r.ofNodes(r.Weights.Removed)
	writeCut(p, r.all, "constants added", added, diffConstant.write)
	writeCut(p, r.all, "constants removed", removed, diffConstant.write)
	writeCut(p, r.all, "values declared with other types", r.Values.Changed, diffValue.write)
	var matter, about []diffField
	for _, f := range r.Fields {
		if f.Describes {
			about = append(about, f)
		} else {
			matter = append(matter, f)
		}
	}
	writeCut(p, r.all, "versions and signatures", matter, diffField.write)
	r.writeDescriptions(p, about, describe)
	r.writeNotes(p, withAdded, withRemoved)
	return p.Err()
}

// ofNodes counts the constants that were added or removed together with the nodes that read them,
// and returns the others. With --all, it returns all of them and counts none.
func (r *diffReport) ofNodes(list []diffConstant) (own []diffConstant, with int) {
	if r.all {
		return list, 0
	}
	for _, c := range list {
		if c.Follows {
			with++
		} else {
			own = append(own, c)
		}
	}
	return own, with
}

// summary says in a line whether the models are equal, and how much differs.
func (r *diffReport) summary() string {
	out := r.verdict()
	if n := r.Notes.Partial; n > 0 {
		out += fmt.Sprintf("; %s of %s by the first 4 KiB only, --weights compares all of them", text.Plural(n, "constant"), text.Bytes(r.Notes.PartialBytes))
	}
	if n := len(r.Notes.Unread); n > 0 {
		out += "; " + text.Plural(n, "constant") + " not compared"
	}
	return out
}

func (r *diffReport) verdict() string {
	if r.Identical != nil && *r.Identical {
		return "identical: " + text.Plural(r.matched, "node")
	}
	var names []string
	for _, c := range []struct {
		n    int
		noun string
	}{{r.Renamed.Nodes, "node"}, {r.Renamed.Values, "value"}, {r.Renamed.Functions, "function"}} {
		if c.n > 0 {
			names = append(names, text.Plural(c.n, c.noun))
		}
	}
	renamed := ""
	if len(names) > 0 {
		renamed = joinAnd(names) + " renamed"
	}
	switch {
	case r.Equal && renamed != "" && r.Complete:
		return "equal up to names: " + renamed
	case r.Equal && renamed != "":
		return "equal up to names as far as compared: " + renamed
	case r.Equal && !r.Complete:
		return "equal as far as compared: " + text.Plural(r.matched, "node")
	case r.Equal:
		return "equal, but stored differently: " + text.Plural(r.matched, "node")
	}
	s := "no difference found" // but not everything was compared
	if counts := r.counts(); len(counts) > 0 {
		s = "different: " + joinAnd(counts)
	}
	if renamed != "" {
		s += "; " + renamed
	}
	return s
}

// counts returns phrases that say how many differences of each kind there are.
func (r *diffReport) counts() []string {
	var out []string
	add := func(n int, noun, what string) {
		if n > 0 {
			out = append(out, text.Plural(n, noun)+what)
		}
	}
	t := r.tally
	add(t.IO, "change", " of inputs and outputs")
	add(t.Changed, "node", " changed")
	add(t.Added, "node", " added")
	add(t.Removed, "node", " removed")
	add(t.Follows, "node", " reading other values because of these")
	add(t.Places, "body or function", " added or removed")
	add(t.Weights, "constant", " changed")
	add(t.NewWeights, "constant", " added")
	add(t.LostWeights, "constant", " removed")
	add(t.Types, "type", " of inner values")
	add(t.Fields, "version or signature", "")
	return out
}

func joinAnd(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// writeCut writes a list of differences below a title. Without --all, it writes only the first
// maxDiffLines and the number of the others.
func writeCut[T any](p *text.Printer, all bool, title string, list []T, write func(T, *text.Printer)) {
	if len(list) == 0 {
		return
	}
	p.Line("")
	p.Line("%s", title)
	shown := list
	if !all {
		shown = list[:min(len(list), maxDiffLines)]
	}
	for _, x := range shown {
		write(x, p)
	}
	if more := len(list) - len(shown); more > 0 {
		p.Line("  and %s more; --all shows them", text.Count(int64(more)))
	}
}

// maxFieldText is how many characters of documentation or metadata are printed.
const maxFieldText = 60

func shortText(s string) string {
	r := []rune(s)
	if len(r) <= maxFieldText {
		return s
	}
	return string(r[:maxFieldText]) + fmt.Sprintf("… %d characters more", len(r)-maxFieldText)
}

// writeDescriptions writes differences in documentation and metadata: those of the model in full,
// those of nodes only as a count unless --all is set.
func (r *diffReport) writeDescriptions(p *text.Printer, about []diffField, nodes []diffChange) {
	writeCut(p, r.all, "descriptions (they do not affect equality)", about, diffField.write)
	if r.all {
		writeCut(p, true, "documentation and metadata of nodes (they do not affect equality)", nodes, r.writeChange)
	} else if len(nodes) > 0 {
		p.Line("")
		p.Line("documentation or metadata of %s; --all shows them", text.Plural(len(nodes), "node"))
	}
}

// writeNotes writes differences that do not matter when the model runs, and what was not compared.
func (r *diffReport) writeNotes(p *text.Printer, withAdded, withRemoved int) {
	n := r.Notes
	var lines []string
	note := func(count int, noun, what string) {
		if count > 0 {
			lines = append(lines, text.Plural(count, noun)+" "+what)
		}
	}
	note(withAdded, "constant", "that only added nodes read; --all shows them")
	note(withRemoved, "constant", "that only removed nodes read; --all shows them")
	note(n.Reordered, "node", "at another position in the file")
	note(n.Defaults, "attribute", "written out in one model and left to the default in the other")
	note(n.Stored, "constant", "an initializer in one model and a Constant node in the other")
	note(n.Swapped, "node", "with operands swapped whose order does not matter")
	note(n.Shared, "constant", "stored once in one model and as copies in the other")
	note(n.Listed, "constant", "listed as an input too in one model only, which lets a caller replace it")
	note(n.Typed, "inner value", "typed in one model only")
	note(n.Unused, "constant", "in one model only that nothing reads")
	for _, u := range n.Unread {
		lines = append(lines, "not compared: "+text.CleanLine(u))
	}
	if len(lines) > 0 {
		p.Line("")
	}
	for _, l := range lines {
		p.Line("note: %s", l)
	}
}
