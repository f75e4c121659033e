package layers

import (
	"context"
	"errors"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/region"
)

// slice is a set of nodes of a model, made to a model of its own. given has the values that these
// nodes read from nodes that ran before.
type slice struct {
	model   *graphops.Model
	given   map[string]graphops.Value
	outputs []graphops.ValueID
}

// newSlice makes a model from some nodes and the Constant nodes that they read. Its outputs are the
// values for which wants is true. If no value is wanted, the slice has no model. held
// has the values from nodes that ran before.
func newSlice(m *graphops.Model, nodes map[int]bool, wants func(graphops.ValueID) bool, held *held) slice {
	g := m.Graph()
	x := g.Index()
	s := slice{given: map[string]graphops.Value{}}
	var takes []graphops.NamedType
	all := map[int]bool{}
	for i, n := range g.Nodes() {
		if !nodes[i] {
			continue
		}
		all[i] = true
		for v := range region.Reads(g, i) {
			p := x.Producer(v)
			_, again := s.given[x.Name(v)]
			switch {
			case p < 0 || nodes[p] || again:
			case g.Nodes()[p].IsConstant():
				all[p] = true
			default:
				s.given[x.Name(v)] = held.get(v)
				takes = append(takes, graphops.NamedType{Name: x.Name(v), Type: s.given[x.Name(v)].Type})
			}
		}
		for _, name := range n.Outputs() {
			if v, ok := x.Value(name); ok && name != "" && wants(v) {
				s.outputs = append(s.outputs, v)
			}
		}
	}
	if len(s.outputs) > 0 {
		s.model = region.Slice(m, all, takes, names(m, s.outputs))
	}
	return s
}

// run runs the slice and passes each output to take. like returns a value to which an output is
// probably equal; it may be nil. A large output is compared with it while it arrives, so that equal
// values are stored only once.
func (s slice) run(c *comparison, on Side, like func(v graphops.ValueID) graphops.Value, take func(v graphops.ValueID, value graphops.Value)) error {
	if s.model == nil {
		return nil
	}
	likes := make([]graphops.Value, len(s.outputs))
	for i, v := range s.outputs {
		if like != nil {
			likes[i] = like(v)
		}
	}
	return c.runPart(on, s.model, s.given, likes, func(i int, value graphops.Value) { take(s.outputs[i], value) })
}

// runPart runs a part of a model. Its inputs come from given, or else from the inputs of the whole
// model. Outputs are passed to take in order. likes has for each output a value to which it is
// probably equal; a large output is compared with it while it arrives.
func (c *comparison) runPart(side Side, part *graphops.Model, given map[string]graphops.Value, likes []graphops.Value, take func(i int, value graphops.Value)) error {
	in := graphops.Feeds{}
	for _, v := range part.Graph().Inputs() {
		if value, ok := given[v.Name()]; ok {
			in[v.Name()] = value
		} else if value, ok := side.In[v.Name()]; ok {
			in[v.Name()] = value
		}
	}
	if p, apart := c.piecesOf(part, in); apart {
		return c.ended(c.runPieces(side.On, p, region.Opened(part), in, likes[0], take))
	}
	wants := make([]execution.Want, len(part.Graph().Outputs()))
	for i, v := range part.Graph().Outputs() {
		wants[i] = execution.Want{Name: v.Name(), Elements: true}
	}
	return c.ended(c.store.receive(c.ctx, side.On, part, in, wants, c.storedFrom(), likes, take))
}

// ended returns the error of a run. If the context has ended, it returns why. It includes errors of
// the file for large values.
func (c *comparison) ended(err error) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return errors.Join(err, c.store.failed())
}
