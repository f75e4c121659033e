package axes

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// checkClaims is an error where the names that axes were given contradict the
// graph.
func (c *changer) checkClaims(r *shape.Result) error {
	known := map[string]int{}
	for _, p := range c.before.Problems {
		known[nodeOf(p)]++
	}
	for _, p := range r.Problems {
		if known[nodeOf(p)]--; known[nodeOf(p)] < 0 {
			return fmt.Errorf("the sizes asked for contradict the graph: %s", p)
		}
	}
	return nil
}

// nodeOf names the node of a problem so that it is the same after a repair, which
// puts nodes in front.
func nodeOf(p shape.Problem) string {
	if p.Node < 0 {
		return ""
	}
	outputs := p.Place.Graph.Nodes()[p.Node].Outputs()
	return fmt.Sprint(p.Place.ID, outputs)
}

// checkOutputs is an error where an axis of an output was given a name, and the
// graph gives it another size. One of which nothing is known takes the name.
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
				return fmt.Errorf("output %q, axis %d is %s by the graph, and cannot be named %q: %s makes it",
					v.Name(), i, is[i], d.Symbol, shape.NodeName(x.Producer(id), g.Nodes()[x.Producer(id)]))
			}
		}
	}
	return nil
}

// wasNamed reports whether an axis of an input or output was asked to have a name.
func (c *changer) wasNamed(p *graphops.Place, value string, axis int) bool {
	_, named := c.set[value][axis]
	return named && p.Kind == graphops.MainGraph
}

// axisName is an axis as it is asked for.
func axisName(value string, axis int) string { return fmt.Sprintf("%s:%d", value, axis) }

// pinned reports whether a size is the number that a freed axis had, and held there
// by a pin that is reported.
func (c *changer) pinned(d dim.Dim, symbol string) bool {
	was, freed := c.report.Sizes[symbol]
	return freed && d.Is(was) && slices.ContainsFunc(c.report.Pins, func(p Pin) bool { return mentions(dim.OfText(p.Needs), symbol) })
}
