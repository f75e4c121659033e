package half

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// learn infers the shapes of the result and compares it with the plan. If an output has another
// type than planned, or if the types of a node's inputs contradict each other, it records that the
// node must stay in float32, or the output. agrees is false if it recorded anything, so that the
// plan must be made again.
func (c *converter) learn(e *emission, result *graphops.Model) (agrees bool, err error) {
	r, err := shape.Infer(c.ctx, result, shape.Options{Fresh: true})
	if err != nil {
		return false, err
	}
	agrees = true
	originals := c.originals(e, result)
	for _, p := range result.Places() {
		if old := originals[p.ID]; old != nil && !c.learnTypes(e, r, p, old) {
			agrees = false
		}
	}
	if !agrees {
		return false, nil
	}
	known := map[site]bool{}
	for _, problem := range c.types.Problems {
		known[site{problem.Place, problem.Node}] = true
	}
	for _, problem := range r.Problems {
		old := originals[problem.Place.ID]
		if problem.Kind != shape.Clash || problem.Node < 0 || old == nil {
			continue
		}
		at := e.origins[old.ID][problem.Node]
		if at < 0 {
			return false, fmt.Errorf("%s: %w", problem, errCastClash)
		}
		s := site{old, at}
		if known[s] || c.plans[old.ID][at].kept != "" {
			continue
		}
		c.refused[s] = fmt.Sprintf("has contradictory types in %s: %s", c.to, problem.Text)
		agrees = false
	}
	return agrees, nil
}

// originals returns, for each place of the result, the corresponding place of the original model.
func (c *converter) originals(e *emission, result *graphops.Model) []*graphops.Place {
	out := make([]*graphops.Place, len(result.Places()))
	for _, p := range result.Places() {
		switch p.Kind {
		case graphops.MainGraph:
			out[p.ID] = c.model.Places()[0]
		case graphops.FunctionBody:
			if key := p.Function.Key(); !c.uncalled[key] {
				out[p.ID] = c.functions[key]
			}
		default:
			parent := out[p.Parent.ID]
			if parent == nil {
				continue
			}
			at := e.origins[parent.ID][p.Node]
			for _, b := range parent.Bodies {
				if b.Node == at && b.Attribute == p.Attribute && b.Nth == p.Nth {
					out[p.ID] = b
				}
			}
		}
	}
	return out
}

// learnTypes compares the inferred types of a place with the plan. p is the place of the result,
// and old that of the original.
func (c *converter) learnTypes(e *emission, r *shape.Result, p, old *graphops.Place) (agrees bool) {
	agrees = true
	x := p.Graph.Index()
	for i, n := range old.Graph.Nodes() {
		for o, name := range n.Outputs() {
			d := c.lookup(old, name)
			if d == nil || d.place != old || d.form != dense || d.constant {
				continue
			}
			if called, ok := e.called[d]; ok {
				name = called
			}
			id, ok := x.Value(name)
			if !ok {
				continue
			}
			is := r.Value(p, id).Type
			if is.Kind != graphops.TypeTensor || is.Elem == tensor.Undefined || is.Elem == c.typeOf(d.narrow) {
				continue
			}
			agrees = false
			at := edge{site{old, i}, o}
			if d.narrow && is.Elem == tensor.F32 && !c.wide[at] {
				c.wide[at] = true
			} else {
				c.refused[at.site] = fmt.Sprintf("produces %s from %s", is.Elem, c.to)
			}
		}
	}
	return agrees
}
