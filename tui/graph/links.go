package graph

import (
	"slices"
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
	for _, line := range lines {
		for _, w := range wordsOf(line) {
			wanted[w] = nil
		}
	}
	for _, p := range m.Places() {
		addNamed(wanted, p)
	}
	out := Links{}
	for _, line := range lines {
		var spots []Spot
		for _, w := range wordsOf(line) {
			for _, s := range wanted[w] {
				if !slices.Contains(spots, s) {
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

// addNamed adds the rows of a place whose nodes or values have a wanted name. A node takes precedence
// over a value with the same name.
func addNamed(wanted map[string][]Spot, p *graphops.Place) {
	o := NewOutline(nil, p)
	add := func(name string, row int) {
		label := cells.Label(name)
		if at, ok := wanted[label]; ok && name != "" && !slices.ContainsFunc(at, func(s Spot) bool { return s.Place == p }) {
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
