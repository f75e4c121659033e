package look

import (
	"strconv"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/tensor"
	"lathe/session/reporting"
)

// diffReport is what differs between two models.
type diffReport struct {
	Schema string `json:"schema"`
	A      string `json:"a"`
	B      string `json:"b"`
	// Equal is true if the models have the same inputs and outputs and compute the same with the
	// same nodes. If Complete is false, not all elements of the constants were compared.
	Equal bool `json:"equal"`
	// Identical models also have the same names and the same form in the file. It is null if no
	// difference was found but not everything was compared.
	Identical *bool `json:"identical"`
	// Complete is true if all elements of all constants that matter were compared. Otherwise Notes
	// says what was not compared.
	Complete bool        `json:"complete"`
	Renamed  diffRenamed `json:"renamed"`
	Nodes    diffNodes   `json:"nodes"`
	IO       diffIO      `json:"io"`
	Weights  diffWeights `json:"weights"`
	Values   diffValues  `json:"values"`
	Fields   []diffField `json:"fields"`
	Places   diffPlaces  `json:"places"`
	Notes    diffNotes   `json:"notes"`

	all     bool
	matched int // number of matched nodes
	tally   diff.Tally
}

// diffRenamed counts the parts that are the same in both models but have different names.
type diffRenamed struct {
	Nodes     int `json:"nodes"`
	Values    int `json:"values"`
	Functions int `json:"functions"`
}

type diffNodes struct {
	Added   []diffNode   `json:"added"`
	Removed []diffNode   `json:"removed"`
	Changed []diffChange `json:"changed"`
}

// diffNode is a node of one of the models.
type diffNode struct {
	Place   []string `json:"place"`
	Index   int      `json:"index"`
	Name    string   `json:"name"`
	Op      string   `json:"op"`
	Domain  string   `json:"domain"`
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
}

type diffChange struct {
	A diffNode `json:"a"`
	B diffNode `json:"b"`
	// Follows is set if the node differs only because it reads the output of an added or removed
	// node. Describes is set if only documentation or metadata differ.
	Follows   bool       `json:"follows"`
	Describes bool       `json:"describes"`
	Changes   []diffPart `json:"changes"`
}

type diffPart struct {
	What    string `json:"what"`
	Name    string `json:"name"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Follows bool   `json:"follows"`
}

type diffIO struct {
	Changed []diffIOChange `json:"changed"`
}

type diffIOChange struct {
	What    string    `json:"what"` // input or output
	Kind    string    `json:"kind"`
	A       *diffPort `json:"a"`
	B       *diffPort `json:"b"`
	Follows bool      `json:"follows"`
}

type diffPort struct {
	Index int            `json:"index"`
	Name  string         `json:"name"`
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"`
}

type diffWeights struct {
	Added   []diffConstant `json:"added"`
	Removed []diffConstant `json:"removed"`
	Changed []diffWeight   `json:"changed"`
}

type diffConstant struct {
	Place     []string `json:"place"`
	Name      string   `json:"name"` // of the value, or of the node if it is an attribute
	Attribute string   `json:"attribute,omitempty"`
	Type      string   `json:"type"`
	Shape     []int64  `json:"shape"`
	Bytes     int64    `json:"bytes"`
	Elements  string   `json:"elements,omitempty"` // the elements, if there are few
	// Follows is set if the constant was added or removed and only added or removed nodes read it.
	Follows bool `json:"follows,omitempty"`
}

// diffWeight is a constant that has another type, shape or content. The numbers are null if the
// elements were not compared one by one.
type diffWeight struct {
	A          diffConstant   `json:"a"`
	B          diffConstant   `json:"b"`
	Total      *int64         `json:"total"`
	Mismatched *int64         `json:"mismatched"`
	MaxAbs     *tensor.Number `json:"max_abs"`  // NaN if an element is NaN on one side only
	MeanAbs    *tensor.Number `json:"mean_abs"` // over the finite differences
	// NaNMismatched counts the mismatched elements that are NaN on one side only.
	NaNMismatched *int64     `json:"nan_mismatched"`
	Worst         *diffWorst `json:"worst"`
	// Region is the smallest box that has all differences: a first position and one behind the last
	// for each axis. Ratio is b/a if it is the same at all differences. Both are omitted otherwise.
	Region [][2]int64     `json:"region,omitempty"`
	Ratio  *tensor.Number `json:"ratio,omitempty"`

	where string
}

// diffWorst is the element with the largest difference.
type diffWorst struct {
	Index []int64 `json:"index"`
	A     any     `json:"a"` // a number or a text
	B     any     `json:"b"`
}

type diffValues struct {
	Changed []diffValue `json:"changed"`
}

type diffValue struct {
	Place []string        `json:"place"`
	A     reporting.Value `json:"a"`
	B     reporting.Value `json:"b"`
}

// diffField is a description of a model, graph or function, such as its documentation.
type diffField struct {
	Place     []string `json:"place"`
	Name      string   `json:"name"`
	Old       string   `json:"old"`
	New       string   `json:"new"`
	Describes bool     `json:"describes"`
}

// diffPlaces are bodies and functions that only one of the models has.
type diffPlaces struct {
	Added   [][]string `json:"added"`
	Removed [][]string `json:"removed"`
}

type diffNotes struct {
	Reordered    int      `json:"reordered"`
	Defaults     int      `json:"defaults"`
	Stored       int      `json:"stored"`
	Swapped      int      `json:"swapped"`
	Shared       int      `json:"shared"`
	Listed       int      `json:"listed"`
	Typed        int      `json:"typed"`
	Unused       int      `json:"unused"`
	Partial      int      `json:"partial"`
	PartialBytes int64    `json:"partial_bytes"`
	Unread       []string `json:"unread"`
}

// newDiffReport returns the report of a comparison of two files.
func newDiffReport(a, b string, d *diff.Diff, all bool) *diffReport {
	r := &diffReport{
		Schema: "lathe.diff/1", A: a, B: b, Equal: d.Equal, Complete: d.Notes.Complete(),
		Renamed: diffRenamed(d.Renamed),
		Nodes:   diffNodes{[]diffNode{}, []diffNode{}, []diffChange{}},
		IO:      diffIO{[]diffIOChange{}},
		Weights: diffWeights{[]diffConstant{}, []diffConstant{}, []diffWeight{}},
		Values:  diffValues{[]diffValue{}},
		Fields:  []diffField{},
		Places:  diffPlaces{[][]string{}, [][]string{}},
		Notes:   diffNotesOf(d.Notes),
		all:     all,
		tally:   d.Tally(),
	}
	if identical := d.Identical; identical || !d.Equal || d.Notes.Complete() {
		r.Identical = &identical
	}
	for _, f := range d.Model {
		r.Fields = append(r.Fields, diffField{[]string{}, f.Name, f.Old, f.New, f.Describes})
	}
	for _, c := range d.IO {
		r.IO.Changed = append(r.IO.Changed, diffIOChangeOf(c))
	}
	for _, p := range d.Places {
		r.addPlace(p)
	}
	for _, w := range d.Weights {
		r.addWeight(w)
	}
	return r
}

// newSameReport returns the report for two names of the same file.
func newSameReport(a, b string, m *graphops.Model, all bool) *diffReport {
	r := newDiffReport(a, b, &diff.Diff{A: m, B: m, Equal: true, Identical: true}, all)
	for range m.AllNodes() {
		r.matched++
	}
	return r
}

func diffNotesOf(n diff.Notes) diffNotes {
	out := diffNotes{
		n.Reordered, n.Defaults, n.Stored, n.Swapped, n.Shared, n.Listed, n.Typed, n.Unused,
		n.Partial, n.PartialBytes,
		[]string{},
	}
	for _, err := range n.Unread {
		out.Unread = append(out.Unread, err.Error())
	}
	return out
}

func diffIOChangeOf(c diff.IOChange) diffIOChange {
	out := diffIOChange{What: "input", Kind: string(c.Kind), Follows: c.Follows}
	if c.Output {
		out.What = "output"
	}
	if c.A >= 0 {
		out.A = &diffPort{c.A, c.NameA, c.TypeA.String(), c.TypeA.Shape}
	}
	if c.B >= 0 {
		out.B = &diffPort{c.B, c.NameB, c.TypeB.String(), c.TypeB.Shape}
	}
	return out
}

func (r *diffReport) addPlace(p *diff.PlaceDiff) {
	switch {
	case p.A == nil:
		r.Places.Added = append(r.Places.Added, reporting.OrEmpty(p.B.Hops()))
	case p.B == nil:
		r.Places.Removed = append(r.Places.Removed, reporting.OrEmpty(p.A.Hops()))
	}
	for _, i := range p.Removed {
		r.Nodes.Removed = append(r.Nodes.Removed, diffNodeOf(p.A, i))
	}
	for _, j := range p.Added {
		r.Nodes.Added = append(r.Nodes.Added, diffNodeOf(p.B, j))
	}
	for _, c := range p.Changed {
		change := diffChange{A: diffNodeOf(p.A, c.A), B: diffNodeOf(p.B, c.B), Follows: c.Follows, Describes: c.Describes}
		for _, x := range c.Parts {
			change.Changes = append(change.Changes, diffPart{string(x.What), x.Name, x.Old, x.New, x.Follows})
		}
		r.Nodes.Changed = append(r.Nodes.Changed, change)
	}
	for _, t := range p.Types {
		r.Values.Changed = append(r.Values.Changed, diffValue{
			reporting.OrEmpty(p.A.Hops()),
			reporting.Value{Name: p.A.Graph.Index().Name(t.A), Type: t.TypeA.String(), Shape: t.TypeA.Shape},
			reporting.Value{Name: p.B.Graph.Index().Name(t.B), Type: t.TypeB.String(), Shape: t.TypeB.Shape},
		})
	}
	for _, f := range p.Fields {
		r.Fields = append(r.Fields, diffField{reporting.OrEmpty(p.A.Hops()), "graph " + f.Name, f.Old, f.New, f.Describes})
	}
	r.matched += len(p.Nodes)
}

func diffNodeOf(p *graphops.Place, i int) diffNode {
	n := p.Graph.Nodes()[i]
	return diffNode{reporting.OrEmpty(p.Hops()), i, n.Name(), n.OpType(), n.Domain(), reporting.OrEmpty(n.Inputs()), reporting.OrEmpty(n.Outputs())}
}

func (r *diffReport) addWeight(w diff.Weight) {
	a := diffConstantOf(w.Place.A, w.A, w.NodeA, w)
	a.Type, a.Shape, a.Bytes, a.Elements = w.DTypeA.String(), reporting.OrEmpty(w.DimsA), w.BytesA, w.OldText
	b := diffConstantOf(w.Place.B, w.B, w.NodeB, w)
	a.Follows, b.Follows = w.Follows, w.Follows
	b.Type, b.Shape, b.Bytes, b.Elements = w.DTypeB.String(), reporting.OrEmpty(w.DimsB), w.BytesB, w.NewText
	switch {
	case w.IsRemoved():
		r.Weights.Removed = append(r.Weights.Removed, a)
		return
	case w.IsAdded():
		r.Weights.Added = append(r.Weights.Added, b)
		return
	}
	out := diffWeight{A: a, B: b, where: w.Region.String()}
	for i := range w.Region.From {
		out.Region = append(out.Region, [2]int64{w.Region.From[i], w.Region.To[i]})
	}
	if w.Region.Ratio != 0 {
		out.Ratio = number(w.Region.Ratio)
	}
	if m := w.Metrics; m != nil {
		out.Total, out.Mismatched, out.NaNMismatched = &m.Total, &m.Mismatched, &m.NaNMismatched
		if w.DTypeA != tensor.String {
			out.MaxAbs, out.MeanAbs = number(w.MaxAbs()), number(m.MeanAbs)
		}
		if m.Worst != nil && m.Mismatched > 0 {
			out.Worst = &diffWorst{m.Worst.Index, tensor.Number(m.Worst.A), tensor.Number(m.Worst.B)}
			if w.DTypeA == tensor.String {
				out.Worst.A, out.Worst.B = m.Worst.TextA, m.Worst.TextB
			}
		}
	}
	r.Weights.Changed = append(r.Weights.Changed, out)
}

func number(v float64) *tensor.Number { n := tensor.Number(v); return &n }

func diffConstantOf(p *graphops.Place, v graphops.ValueID, node int, w diff.Weight) diffConstant {
	c := diffConstant{Place: reporting.OrEmpty(p.Hops()), Attribute: w.Attribute}
	switch {
	case v >= 0:
		c.Name = p.Graph.Index().Name(v)
	case node >= 0:
		if c.Name = p.Graph.Nodes()[node].Name(); c.Name == "" {
			c.Name = "#" + strconv.Itoa(node)
		}
	}
	return c
}
