package diff

import (
	"slices"
	"strconv"

	"lathe/graphops"
)

// around returns the match whose side of A is s: p itself or that of an enclosing place. It returns
// nil if s is not found.
func (p *PlaceMatch) around(s *side) *PlaceMatch {
	for q := p; q != nil; q = q.outer {
		if q.a == s {
			return q
		}
	}
	return nil
}

// compareTypes compares the declared types of the values of a place. In a main graph, inputs and
// outputs are compared elsewhere. Two symbols count as equal whatever their names. A type that only
// one model declares is counted in Notes.Typed.
func (c *comparer) compareTypes(d *PlaceDiff) {
	ia, ib := d.a.index, d.b.index
	for _, pair := range d.Values {
		told := d.a.isMain() && (ia.IsInput(pair.A) || ia.IsOutput(pair.A))
		if told || d.a.constants[pair.A] != nil || !ia.IsDefined(pair.A) || !ib.IsDefined(pair.B) {
			continue // compared with the interface, the constants, or in the place that defines it
		}
		x, y := ia.Type(pair.A), ib.Type(pair.B)
		switch {
		case (x.Kind == graphops.TypeUnknown) != (y.Kind == graphops.TypeUnknown):
			c.d.Notes.Typed++
		case !agree(x, y):
			d.Types = append(d.Types, TypeChange{pair.A, pair.B, x, y})
		}
	}
}

// compareGraphs compares the properties of two graphs. For bodies and functions it also compares
// the inputs and outputs by position.
func (c *comparer) compareGraphs(d *PlaceDiff) {
	g, h := d.A.Graph, d.B.Graph
	d.field("name", g.Name(), h.Name(), true)
	d.field("doc", g.Doc(), h.Doc(), true)
	for _, f := range compareEntries(g.Metadata(), h.Metadata(), true) {
		d.field("metadata "+f.Name, f.Old, f.New, true)
	}
	if !d.a.isMain() {
		c.comparePorts(d)
	}
	if d.A.Kind == graphops.FunctionBody {
		d.compareFunctions(d.A.Function, d.B.Function)
	}
}

func (d *PlaceDiff) field(name, from, to string, describes bool) {
	if from != to {
		d.Fields = append(d.Fields, Field{name, from, to, describes})
	}
}

func (c *comparer) comparePorts(d *PlaceDiff) {
	d.field("inputs", strconv.Itoa(len(d.A.Graph.Inputs())), strconv.Itoa(len(d.B.Graph.Inputs())), false)
	as, bs := d.A.Graph.Outputs(), d.B.Graph.Outputs()
	d.field("outputs", strconv.Itoa(len(as)), strconv.Itoa(len(bs)), false)
	for k := range min(len(as), len(bs)) {
		v, w := d.a.numberOf(as[k].Name()), d.b.numberOf(bs[k].Name())
		if !d.sameValue(v, w) && !c.sameConstant(d.PlaceMatch, v, w) {
			d.field("output "+strconv.Itoa(k), as[k].Name(), bs[k].Name(), false)
		}
	}
}

func (d *PlaceDiff) compareFunctions(f, g *graphops.Function) {
	d.Fields = append(d.Fields, compareOpsets(f, g)...)
	d.field("doc", f.Doc(), g.Doc(), true)
	for _, x := range compareEntries(f.Metadata(), g.Metadata(), true) {
		d.field("metadata "+x.Name, x.Old, x.New, true)
	}
	as, bs := slices.Sorted(slices.Values(f.AttributeNames())), slices.Sorted(slices.Values(g.AttributeNames()))
	d.field("attributes", graphops.TextsAttribute("", as).String(), graphops.TextsAttribute("", bs).String(), false)
	defaults := func(f *graphops.Function) (out []graphops.Entry) {
		for _, a := range f.DefaultAttributes() {
			out = append(out, graphops.Entry{Key: "default " + a.Name(), Value: a.String()})
		}
		return out
	}
	d.Fields = append(d.Fields, compareEntries(defaults(f), defaults(g), false)...)
}

// countNames counts the nodes, values and functions with another name in B, and the nodes in
// another order.
func (c *comparer) countNames(d *PlaceDiff) {
	for _, pair := range d.Nodes {
		if d.A.Graph.Nodes()[pair.A].Name() != d.B.Graph.Nodes()[pair.B].Name() {
			c.d.Renamed.Nodes++
		}
	}
	for _, pair := range d.Values {
		outside := d.a.isMain() && (d.a.index.IsInput(pair.A) || d.a.index.IsOutput(pair.A)) || d.a.outer[int32(pair.A)].side != nil
		if !outside && d.a.index.Name(pair.A) != d.b.index.Name(pair.B) {
			c.d.Renamed.Values++
		}
	}
	if d.A.Kind == graphops.FunctionBody && d.A.Function.Key() != d.B.Function.Key() {
		c.d.Renamed.Functions++
	}
	var places []int
	for _, pair := range d.Nodes {
		places = append(places, pair.B)
	}
	for _, moved := range outOfOrder(places) {
		if moved {
			c.d.Notes.Reordered++
		}
	}
}

// outOfOrder reports, for each number in a list, whether it must be removed so that the others are
// ascending. As few as possible must be removed.
func outOfOrder(list []int) []bool {
	var tails []int // positions of the smallest last numbers, by length
	before := make([]int, len(list))
	for i, x := range list {
		n, _ := slices.BinarySearchFunc(tails, x, func(t, x int) int { return list[t] - x })
		before[i] = -1
		if n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	out := make([]bool, len(list))
	for i := range out {
		out[i] = true
	}
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = before[i] {
			out[i] = false
		}
	}
	return out
}
