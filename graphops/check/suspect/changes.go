package suspect

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// The limits of Changes.
const (
	maxSteps = 12  // how far upstream a node is
	maxNodes = 60  // how many nodes are looked at
	maxTries = 300 // how many changes are returned
	allPerms = 4   // the rank up to which all permutations are tried; above it those that swap two axes
)

// Change is a node with another value of one attribute.
type Change struct {
	Place     *graphops.Place
	Node      int
	Attribute *graphops.Attribute
	// Is is the present value as text, and Want the other one. An element type has the name that
	// the step attribute accepts.
	Is, Want string
	Steps    int // upstream of the node with the contradiction; 0 at that node
}

// Facts are what Changes has to know of a model.
type Facts struct {
	// Schema returns the operator of a node; nil if it is unknown.
	Schema func(p *graphops.Place, node int) *opschema.Schema
	// Rank returns the number of axes of a value, -1 if it is unknown.
	Rank func(p *graphops.Place, value string) int
}

// List is a list of changes, the nearest first.
type List []Change

// Nearest returns at most n changes, all of those up to some distance.
func (l List) Nearest(n int) List {
	if len(l) <= n {
		return l
	}
	for n > 0 && l[n-1].Steps == l[n].Steps {
		n--
	}
	return l[:n]
}

// Changes returns changes at a node and upstream of it in the same place.
func Changes(p *graphops.Place, node int, f Facts) List {
	var out List
	x := p.Graph.Index()
	steps := map[int]int{node: 0}
	queue := []int{node}
	for at := 0; at < len(queue) && at < maxNodes && len(out) < maxTries; at++ {
		i := queue[at]
		out = append(out, of(p, i, steps[i], f)...)
		if steps[i] == maxSteps {
			continue
		}
		for _, name := range p.Graph.Nodes()[i].Inputs() {
			v, ok := x.Value(name)
			if !ok || name == "" || x.Producer(v) < 0 {
				continue
			}
			made := x.Producer(v)
			if _, known := steps[made]; !known {
				steps[made] = steps[i] + 1
				queue = append(queue, made)
			}
		}
	}
	return out.Nearest(maxTries)
}

// Apply returns the model with the change.
func (c Change) Apply(m *graphops.Model) *graphops.Model {
	p := m.Places()[c.Place.ID]
	e := graphops.EditGraph(p.Graph)
	n := p.Graph.Nodes()[c.Node]
	list := slices.Clone(n.Attributes())
	if at := slices.IndexFunc(list, func(a *graphops.Attribute) bool { return a.Name() == c.Attribute.Name() }); at >= 0 {
		list[at] = c.Attribute
	} else {
		list = append(list, c.Attribute)
	}
	e.Nodes[c.Node] = n.WithAttributes(list)
	return m.WithGraph(p, e.Graph())
}

// SetsType reports whether the change is of an element type.
func (c Change) SetsType() bool {
	return graphops.HoldsElementType(c.Place.Graph.Nodes()[c.Node], c.Attribute.Name())
}

// At returns the changes at one node.
func At(p *graphops.Place, node int, f Facts) []Change { return of(p, node, 0, f) }

// of returns the changes at one node, which is some steps upstream.
func of(p *graphops.Place, node, steps int, f Facts) []Change {
	schema := f.Schema(p, node)
	if schema == nil {
		return nil
	}
	n := p.Graph.Nodes()[node]
	var out []Change
	for _, declared := range schema.Attributes {
		write, ok := kinds[declared.Name]
		if !ok {
			continue
		}
		a, has := n.Attribute(declared.Name)
		if has && a.RefName() != "" {
			continue
		}
		c := candidate{n: n, name: declared.Name, a: a, rank: rankOf(p, n, f), declared: declared}
		is := c.text(c.present())
		for _, other := range write(c) {
			if want := c.text(other); want != is && other != nil {
				out = append(out, Change{p, node, other, is, want, steps})
			}
		}
	}
	return out
}

// rankOf returns the largest rank of the node's inputs and outputs that is known, or -1.
func rankOf(p *graphops.Place, n *graphops.Node, f Facts) int {
	rank := -1
	for i, name := range n.Inputs() {
		if name != "" && (i == 0 || n.Is("Concat")) {
			rank = max(rank, f.Rank(p, name))
		}
	}
	return rank
}

// candidate is an attribute whose value may be wrong.
type candidate struct {
	n    *graphops.Node
	name string
	a    *graphops.Attribute // nil if the node does not have it
	rank int

	declared opschema.Attribute
}

// present returns the attribute as it is, or the default of the operator, or nil.
func (c candidate) present() *graphops.Attribute {
	if c.a != nil {
		return c.a
	}
	if c.declared.Kind == graphops.AttrInt && c.declared.HasDefault() {
		return graphops.IntAttribute(c.name, c.declared.Int())
	}
	return nil
}

// text returns a value in words that the step attribute accepts.
func (c candidate) text(a *graphops.Attribute) string {
	switch {
	case a == nil:
		return "not set"
	case graphops.HoldsElementType(c.n, c.name) && a.Kind() == graphops.AttrInt:
		return tensor.DType(a.Int()).String()
	default:
		return a.String()
	}
}

// kinds are the attributes that decide types and shapes, with the values that each may have.
var kinds = map[string]func(candidate) []*graphops.Attribute{
	"axis":      candidate.axis,
	"axes":      candidate.axes,
	"perm":      candidate.perm,
	"to":        candidate.elementType,
	"dtype":     candidate.elementType,
	"keepdims":  candidate.flag,
	"transA":    candidate.flag,
	"transB":    candidate.flag,
	"allowzero": candidate.flag,
	"split":     candidate.split,
}

// flag returns the other value of an attribute that is 0 or 1.
func (c candidate) flag() []*graphops.Attribute {
	is := c.present()
	if is == nil || is.Kind() != graphops.AttrInt {
		return nil
	}
	if is.Int() == 0 {
		return []*graphops.Attribute{graphops.IntAttribute(c.name, 1)}
	}
	return []*graphops.Attribute{graphops.IntAttribute(c.name, 0)}
}

// axis returns all other axes. They are counted from the end if the present one is.
func (c candidate) axis() []*graphops.Attribute {
	is := c.present()
	if is == nil || is.Kind() != graphops.AttrInt || c.rank < 0 {
		return nil
	}
	var out []*graphops.Attribute
	for v := range int64(c.rank) + c.beyond() {
		if is.Int() < 0 {
			v -= int64(c.rank) + c.beyond()
		}
		if v != is.Int() {
			out = append(out, graphops.IntAttribute(c.name, v))
		}
	}
	return out
}

// beyond returns 1 if the axis may be one behind the last of the input.
func (c candidate) beyond() int64 {
	if c.n.Is("Flatten") || c.n.Is("Unsqueeze") || c.n.Is("OneHot") || c.n.Is("ConcatFromSequence") {
		return 1
	}
	return 0
}

// axes returns all other lists of the same number of axes, up to two.
func (c candidate) axes() []*graphops.Attribute {
	is := c.present()
	if is == nil || is.Kind() != graphops.AttrInts || c.rank < 0 {
		return nil
	}
	last := int64(c.rank)
	if c.n.Is("Unsqueeze") {
		last += int64(len(is.Ints()))
	}
	from := int64(0)
	if slices.ContainsFunc(is.Ints(), func(v int64) bool { return v < 0 }) {
		from, last = -last, 0
	}
	var out []*graphops.Attribute
	add := func(v ...int64) { out = append(out, graphops.IntsAttribute(c.name, v)) }
	for i := from; i < last; i++ {
		switch len(is.Ints()) {
		case 1:
			add(i)
		case 2:
			for k := i + 1; k < last; k++ {
				add(i, k)
			}
		}
	}
	return out
}

// perm returns all other orders of axes, or those that swap two axes of the present one.
func (c candidate) perm() []*graphops.Attribute {
	var order []int64
	if c.a != nil && c.a.Kind() == graphops.AttrInts {
		order = c.a.Ints()
	} else {
		for i := c.rank - 1; i >= 0; i-- {
			order = append(order, int64(i))
		}
	}
	var out []*graphops.Attribute
	add := func(v []int64) { out = append(out, graphops.IntsAttribute(c.name, slices.Clone(v))) }
	if c.rank < 2 {
		return nil
	}
	if c.rank <= allPerms {
		sorted := make([]int64, c.rank)
		for i := range sorted {
			sorted[i] = int64(i)
		}
		permute(sorted, 0, add)
		return slices.DeleteFunc(out, func(a *graphops.Attribute) bool { return slices.Equal(a.Ints(), order) })
	}
	for i := range order {
		for k := i + 1; k < len(order); k++ {
			swapped := slices.Clone(order)
			swapped[i], swapped[k] = swapped[k], swapped[i]
			add(swapped)
		}
	}
	return out
}

// permute calls take with every order of the elements from at on.
func permute(list []int64, at int, take func([]int64)) {
	if at == len(list) {
		take(list)
		return
	}
	for i := at; i < len(list); i++ {
		list[at], list[i] = list[i], list[at]
		permute(list, at+1, take)
		list[at], list[i] = list[i], list[at]
	}
}

// elementTypes are those to which models convert.
var elementTypes = []tensor.DType{tensor.F32, tensor.F16, tensor.I64, tensor.I32, tensor.Bool, tensor.F64}

func (c candidate) elementType() []*graphops.Attribute {
	is := c.present()
	if is == nil || is.Kind() != graphops.AttrInt || !graphops.HoldsElementType(c.n, c.name) {
		return nil
	}
	var out []*graphops.Attribute
	for _, d := range elementTypes {
		if int64(d) != is.Int() {
			out = append(out, graphops.IntAttribute(c.name, int64(d)))
		}
	}
	return out
}

// split returns other parts: equal ones with the same sum, and those with one number set to each of
// the others.
func (c candidate) split() []*graphops.Attribute {
	if c.a == nil || c.a.Kind() != graphops.AttrInts || len(c.a.Ints()) < 2 || len(c.a.Ints()) > 8 {
		return nil
	}
	var out []*graphops.Attribute
	parts := c.a.Ints()
	for i := range parts {
		for _, v := range parts {
			if v != parts[i] {
				other := slices.Clone(parts)
				other[i] = v
				out = append(out, graphops.IntsAttribute(c.name, other))
			}
		}
	}
	return out
}
