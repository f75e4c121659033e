package half

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// learn infers the shapes of the result and compares it with the plan. If an output has another
// type than planned, or if the types of a node's inputs contradict each other, it records that the
// node must stay in float32, or the output. agrees is false if it recorded anything, so that the
// plan must be made again.
func (c *converter) learn(result *graphops.Model) (agrees bool, err error) {
	r, err := shape.Infer(c.ctx, result, shape.Options{Fresh: true})
	if err != nil {
		return false, err
	}
	agrees = true
	graphs := c.model.Graphs()
	for i, g := range graphs {
		if !c.isUncalled(g) && !c.learnTypes(r, result.Places()[i], g) {
			agrees = false
		}
	}
	if !agrees {
		return false, nil
	}
	known := map[rewrite.Site]bool{}
	for _, problem := range c.types.Problems {
		known[rewrite.Site{Place: problem.Place, Node: problem.Node}] = true
	}
	nodes := make([][]*rewrite.Node, len(graphs))
	for _, problem := range r.Problems {
		g := graphs[problem.Place.ID]
		if problem.Kind != shape.Clash || problem.Node < 0 || c.isUncalled(g) {
			continue
		}
		if nodes[problem.Place.ID] == nil {
			nodes[problem.Place.ID] = slices.Collect(g.Nodes())
		}
		p := c.planOf(nodes[problem.Place.ID][problem.Node])
		if p == nil {
			return false, fmt.Errorf("%s: %w", problem, errCastClash)
		}
		if known[p.site] || p.kept != "" {
			continue
		}
		c.refused[p.site] = fmt.Sprintf("has contradictory types in %s: %s", c.to, problem.Text)
		agrees = false
	}
	return agrees, nil
}

// planOf returns the plan for a node, nil for a Cast that was inserted.
func (c *converter) planOf(n *rewrite.Node) *plan {
	if n.ID() >= len(c.plans) {
		return nil
	}
	return c.plans[n.ID()]
}

// learnTypes compares the inferred types of the place p of the result with the plan for its graph.
func (c *converter) learnTypes(r *shape.Result, p *graphops.Place, g *rewrite.Graph) (agrees bool) {
	agrees = true
	for n := range g.Nodes() {
		plan := c.planOf(n)
		if plan == nil {
			continue // a Cast that was inserted
		}
		for o, v := range plan.outputs {
			known := c.of(v)
			if known.form != dense || known.constant {
				continue
			}
			id, _ := p.Graph.Index().Value(v.Name())
			is := r.Value(p, id).Type
			if is.Kind != graphops.TypeTensor || is.Elem == tensor.Undefined || is.Elem == c.typeOf(known.narrow) {
				continue
			}
			agrees = false
			if at := (edge{plan.site, o}); known.narrow && is.Elem == tensor.F32 && !c.wide[at] {
				c.wide[at] = true
			} else {
				c.refused[at.Site] = fmt.Sprintf("produces %s from %s", is.Elem, c.to)
			}
		}
	}
	return agrees
}
