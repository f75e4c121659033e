package graph

import (
	"strings"

	"lathe/graphops"
	"lathe/tui/cells"
)

// Links has the rows that lines of a report name, by the text of the line.
type Links map[string][]Spot

// maxLinked is the number of lines of a report in which names are looked for.
const maxLinked = 5000

// LinksOf finds the nodes and values of a model that lines name, as whole words. It visits every
// name of the model, so it is called in the background.
func LinksOf(m *graphops.Model, lines []string) Links {
	lines = lines[:min(len(lines), maxLinked)]
	wanted := map[string][]Spot{}
	var cut []*cutName
	for _, line := range lines {
		for _, w := range wordsOf(line) {
			if _, seen := wanted[w]; !seen && len(cut) < maxCut {
				cut = append(cut, cutNames(w)...)
			}
			wanted[w] = nil
		}
	}
	for _, p := range m.Places() {
		addNamed(wanted, cut, p)
	}
	for _, c := range cut {
		if c.name != "" && !c.isAmbiguous && len(wanted[c.word]) == 0 {
			wanted[c.word] = c.at
		}
	}
	out := Links{}
	for _, line := range lines {
		var spots []Spot
		known := map[Spot]bool{}
		for _, w := range wordsOf(line) {
			for _, s := range wanted[w] {
				if !known[s] {
					known[s] = true
					spots = append(spots, s)
				}
			}
		}
		if len(spots) > 0 {
			out[line] = spots
		}
	}
	return out
}

// maxCut is the number of shortened names that are looked for.
const maxCut = 200

// cutName is a word of a line that is a shortened name: each ellipsis in it replaces other letters.
type cutName struct {
	word        string
	parts       []string // between the ellipses
	name        string   // the first name that fits
	isAmbiguous bool     // other names fit, too
	at          []Spot
}

// cutNames returns the shortened name that a word is, if it is one and enough of it is left.
func cutNames(w string) []*cutName {
	parts := strings.Split(w, cells.Ellipsis)
	if len(parts) < 2 || len(w)-len(cells.Ellipsis)*(len(parts)-1) < leastCut {
		return nil
	}
	return []*cutName{{word: w, parts: parts}}
}

// leastCut is how many letters of a shortened name must be left.
const leastCut = 8

// add notes a name that may be the shortened one.
func (c *cutName) add(label string, s Spot) {
	switch {
	case !c.fits(label):
	case c.name == "":
		c.name, c.at = label, []Spot{s}
	case c.name != label:
		c.isAmbiguous = true
	}
}

// fits reports whether a name has the parts in their order, the first at its beginning and the last at
// its end.
func (c *cutName) fits(name string) bool {
	rest, ok := strings.CutPrefix(name, c.parts[0])
	for _, part := range c.parts[1 : len(c.parts)-1] {
		if !ok {
			return false
		}
		_, rest, ok = strings.Cut(rest, part)
	}
	return ok && strings.HasSuffix(rest, c.parts[len(c.parts)-1])
}

// addNamed adds the rows of a place whose nodes or values have a wanted name. A node takes precedence
// over a value with the same name. Shortened names are only those of nodes.
func addNamed(wanted map[string][]Spot, cut []*cutName, p *graphops.Place) {
	o := NewOutline(nil, p)
	for i := 0; i < len(o.Nodes) && len(cut) > 0; i++ {
		label := cells.Label(o.Nodes[i].Name())
		for _, c := range cut {
			c.add(label, Spot{p, o.NodeRow(i)})
		}
	}
	add := func(name string, row int) {
		label := cells.Label(name)
		// Places come one after the other, so a spot in this one is the last.
		if at, ok := wanted[label]; ok && name != "" && (len(at) == 0 || at[len(at)-1].Place != p) {
			wanted[label] = append(at, Spot{p, row})
		}
	}
	for i, n := range o.Nodes {
		add(n.Name(), o.NodeRow(i))
	}
	for i, in := range o.Inputs {
		add(in.Name, i)
	}
	for i, n := range o.Nodes {
		for _, name := range n.Outputs() {
			add(name, o.NodeRow(i))
		}
	}
}

// wordsOf returns the words of a line that may be names. Quotes and punctuation around a word do not
// belong to it, and a number is not a name.
func wordsOf(line string) []string {
	var out []string
	for _, w := range strings.Fields(line) {
		w = strings.Trim(strings.TrimSuffix(w, ":"), `"',;()`)
		if strings.ContainsFunc(w, func(r rune) bool { return r < '0' || r > '9' }) {
			out = append(out, w)
		}
	}
	return out
}
