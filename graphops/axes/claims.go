package axes

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// checkClaims returns an error if shape inference finds a problem in the changed model that the
// original does not have.
func (c *changer) checkClaims(r *shape.Result) error {
	known := map[string]int{}
	for _, p := range c.before.Problems {
		known[nodeOf(p)]++
	}
	for _, p := range r.Problems {
		if known[nodeOf(p)]--; known[nodeOf(p)] < 0 {
			return fmt.Errorf("the requested sizes contradict the graph: %s", p)
		}
	}
	return nil
}

// nodeOf returns a key for the node of a problem. It is made of the node's outputs, because the
// node's position changes if a repair inserts nodes before it.
func nodeOf(p shape.Problem) string {
	if p.Node < 0 {
		return ""
	}
	outputs := p.Place.Graph.Nodes()[p.Node].Outputs()
	return fmt.Sprint(p.Place.ID, outputs)
}

// checkOutputs returns an error if the options give an axis of an output a symbol, but inference
// yields another size for it. If inference does not know the size, the symbol is used.
func (c *changer) checkOutputs(r *shape.Result) error {
	place := c.model.Places()[0]
	g := c.model.Graph()
	x := g.Index()
	for _, v := range g.Outputs() {
		named, ok := c.set[v.Name()]
		id, defined := x.Value(v.Name())
		if !ok || !defined || x.Producer(id) < 0 {
			continue
		}
		is := r.Value(place, id).Dims
		for i, d := range named {
			if i >= len(is) {
				continue
			}
			if said := dim.Symbol(d.Symbol); is[i].Known() && !is[i].Equal(said) && !c.pinned(is[i], d.Symbol) {
				return fmt.Errorf("output %q, axis %d is %s according to the graph and cannot be named %q: %s produces it",
					v.Name(), i, is[i], d.Symbol, shape.NodeName(x.Producer(id), g.Nodes()[x.Producer(id)]))
			}
		}
	}
	return nil
}

// wasNamed reports whether the options give this axis of an input or output of the main graph a
// symbol.
func (c *changer) wasNamed(p *graphops.Place, value string, axis int) bool {
	_, named := c.set[value][axis]
	return named && p.Kind == graphops.MainGraph
}

// axisName returns an axis in the form that the flags use, such as "input:0".
func axisName(value string, axis int) string { return fmt.Sprintf("%s:%d", value, axis) }

// pinned reports whether d is still the number that the freed axis had because of a pin that is
// reported. An error about it would then be superfluous.
func (c *changer) pinned(d dim.Dim, symbol string) bool {
	was, freed := c.report.Sizes[symbol]
	return freed && d.Is(was) && slices.ContainsFunc(c.report.Pins, func(p Pin) bool { return mentions(dim.OfText(p.Needs), symbol) })
}
