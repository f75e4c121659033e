package opset

import (
	"context"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
)

// carrier converts the nodes of a model to a later opset.
type carrier struct {
	ctx       context.Context
	m         *rewrite.Model
	main      *rewrite.Graph
	to        int64
	inferred  bool                    // types are inferred on first use
	enlarging map[*rewrite.Value]bool // outputs of nodes that replaced an Upsample, so their scales are at least 1
	changes   map[change]*transition
	unable    []unableNode
	report    *Report
}

func newCarrier(ctx context.Context, m *rewrite.Model, to int64) *carrier {
	return &carrier{
		ctx: ctx, m: m, main: m.Graphs()[0], to: to,
		enlarging: map[*rewrite.Value]bool{}, changes: map[change]*transition{}, report: &Report{},
	}
}

// graph converts the nodes of a graph, without those in bodies.
func (c *carrier) graph(g *rewrite.Graph) {
	from := g.Opset(graphops.DefaultDomain)
	if from < 1 || from >= c.to || c.ctx.Err() != nil {
		return
	}
	if g.IsFunction() {
		c.report.Functions++
	}
	for n := range g.Nodes() {
		if !isForeign(n) {
			c.node(n, from)
		}
	}
}

// node converts a node in all steps from version from to the requested one, together with the nodes
// that adapters insert next to it.
func (c *carrier) node(n *rewrite.Node, from int64) {
	first, known := opschema.Find(graphops.DefaultDomain, n.Op(), from)
	if !known {
		if first, known = c.later(n); !known {
			c.fail(n, from, "the operator is not one of the opset that the model imports")
			return
		}
		from = first.Since
	}
	if last, _ := opschema.Find(graphops.DefaultDomain, n.Op(), c.to); last.Since == first.Since {
		return
	}
	c.warnMeaningless(n)
	g, before, after := n.Graph(), n.Prev(), n.Next()
	for v := from + 1; v <= c.to; v++ {
		x := g.First()
		if before != nil {
			x = before.Next()
		}
		for x != after {
			next := x.Next()
			if !c.step(x, v) {
				return
			}
			x = next
		}
	}
}

// warnMeaningless warns about attributes of a node that no version of its operator has.
func (c *carrier) warnMeaningless(n *rewrite.Node) {
	for _, a := range n.Attributes() {
		if !everHad(n.Op(), a.Name()) && !strings.HasPrefix(a.Name(), "__") {
			site := n.Origin()
			c.report.Warnings = append(c.report.Warnings, fmt.Sprintf("%s: no version of the operator has the attribute %q; it has no effect and is kept",
				shape.NodeName(site.Node, site.Spec()), a.Name()))
		}
	}
}

// later handles a node whose operator does not exist in the node's opset but in a later one. It
// returns the first version of the operator, and the node is treated as if it had that version. No
// runtime accepts such a node, so this cannot change the meaning of a model that works.
func (c *carrier) later(n *rewrite.Node) (*opschema.Schema, bool) {
	all := opschema.Versions(graphops.DefaultDomain, n.Op())
	if len(all) == 0 || all[0].Since > c.to {
		return nil, false
	}
	c.report.Warnings = append(c.report.Warnings, fmt.Sprintf("node %q: %s was added in opset %d, whose definition is used", n.Name(), n.Op(), all[0].Since))
	return all[0], true
}

// isForeign reports whether a node is not a standard operator.
func isForeign(n *rewrite.Node) bool { return n.Domain() != graphops.DefaultDomain || n.IsCall() }

// step converts a node to the next version. It returns false if that is not possible.
func (c *carrier) step(n *rewrite.Node, version int64) bool {
	t := c.transition(change{n.Op(), version})
	if t == nil {
		return true
	}
	s := &step{carrier: c, transition: t, n: n}
	said := s.apply()
	if s.valid(); s.err != nil {
		c.fail(n, version, s.err.Error())
		return false
	}
	if said != "" {
		c.report.Adapted = append(c.report.Adapted, Adapted{n.Origin(), version, said})
	}
	return true
}

// fail records why a node, or the node of the loaded model for which it was inserted, cannot be
// converted.
func (c *carrier) fail(n *rewrite.Node, since int64, why string) {
	c.unable = append(c.unable, unableNode{n.Origin(), since, why})
}

// typ returns the type of a value, as far as it is known.
func (c *carrier) typ(v *rewrite.Value) shape.Type {
	if !c.inferred {
		c.inferred = true
		_ = c.m.InferLoaded(c.ctx) // if it fails, the types stay unknown
	}
	return v.Type()
}
