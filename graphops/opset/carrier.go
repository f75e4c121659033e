package opset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// carrier converts the nodes of a model to a later opset.
type carrier struct {
	ctx       context.Context
	model     *graphops.Model
	to        int64
	names     *graphops.Names
	functions map[graphops.FunctionKey]bool
	types     *shape.Result         // inferred on first use
	made      map[string]shape.Type // of values that adapters created
	constants map[string]tensor.Tensor
	enlarging map[string]bool // outputs of nodes that replaced an Upsample, so their scales are at least 1
	added     []*graphops.Tensor
	unable    []Unable
	report    *Report
}

func newCarrier(ctx context.Context, m *graphops.Model, to int64) *carrier {
	c := &carrier{
		ctx: ctx, model: m, to: to, names: graphops.NamesOf(m), functions: map[graphops.FunctionKey]bool{},
		made: map[string]shape.Type{}, constants: map[string]tensor.Tensor{}, enlarging: map[string]bool{}, report: &Report{},
	}
	for _, f := range m.Functions() {
		c.functions[f.Key()] = true
	}
	return c
}

// from returns the version of the standard operators that applies to the nodes of a place. It is 0
// if none is imported.
func (c *carrier) from(p *graphops.Place) int64 {
	v, _ := c.model.Opset(graphops.DefaultDomain)
	if p.Function != nil {
		v, _ = p.Function.Opset(graphops.DefaultDomain)
	}
	return v
}

// place converts the nodes of a place. It is called by Model.EditPlaces.
func (c *carrier) place(p *graphops.Place, e *graphops.GraphEditor) bool {
	from := c.from(p)
	if from < 1 || from >= c.to || c.ctx.Err() != nil {
		return false
	}
	if p.Kind == graphops.FunctionBody {
		c.report.Functions++
	}
	var nodes []*graphops.Node
	for i, n := range e.Nodes {
		next := c.node(p, i, n, from)
		nodes = append(nodes, next...)
	}
	if slices.Equal(nodes, e.Nodes) {
		return false
	}
	e.Nodes = nodes
	return true
}

// node returns the nodes that replace a node, after all steps from version from to the requested
// one.
func (c *carrier) node(p *graphops.Place, at int, n *graphops.Node, from int64) []*graphops.Node {
	list := []*graphops.Node{n}
	if c.isForeign(n) {
		return list
	}
	first, known := opschema.Find(graphops.DefaultDomain, n.OpType(), from)
	if !known {
		if first, known = c.later(n); !known {
			c.fail(p, at, n, from, "the operator is not one of the opset that the model imports")
			return list
		}
		from = first.Since
	}
	if last, _ := opschema.Find(graphops.DefaultDomain, n.OpType(), c.to); last.Since == first.Since {
		return list
	}
	c.warnMeaningless(at, n)
	for v := from + 1; v <= c.to; v++ {
		var next []*graphops.Node
		for _, x := range list {
			made, ok := c.step(p, at, n, x, v)
			if !ok {
				return list
			}
			next = append(next, made...)
		}
		list = next
	}
	return list
}

// warnMeaningless warns about attributes of a node that no version of its operator has.
func (c *carrier) warnMeaningless(at int, n *graphops.Node) {
	for _, a := range n.Attributes() {
		if !everHad(n.OpType(), a.Name()) && !strings.HasPrefix(a.Name(), "__") {
			c.report.Warnings = append(c.report.Warnings, fmt.Sprintf("%s: no version of the operator has the attribute %q; it has no effect and is kept",
				shape.NodeName(at, n), a.Name()))
		}
	}
}

// later handles a node whose operator does not exist in the node's opset but in a later one. It
// returns the first version of the operator, and the node is treated as if it had that version. No
// runtime accepts such a node, so this cannot change the meaning of a model that works.
func (c *carrier) later(n *graphops.Node) (*opschema.Schema, bool) {
	all := opschema.Versions(graphops.DefaultDomain, n.OpType())
	if len(all) == 0 || all[0].Since > c.to {
		return nil, false
	}
	c.report.Warnings = append(c.report.Warnings, fmt.Sprintf("node %q: %s was added in opset %d, whose definition is used", n.Name(), n.OpType(), all[0].Since))
	return all[0], true
}

// isForeign reports whether a node is not a standard operator.
func (c *carrier) isForeign(n *graphops.Node) bool {
	return n.Domain() != graphops.DefaultDomain || c.functions[n.Calls()]
}

// step converts n to the next version. Earlier steps may have replaced the node of of the model by
// several nodes; n is one of them.
func (c *carrier) step(p *graphops.Place, at int, of, n *graphops.Node, version int64) (made []*graphops.Node, ok bool) {
	before, known := opschema.Find(graphops.DefaultDomain, n.OpType(), version-1)
	after, _ := opschema.Find(graphops.DefaultDomain, n.OpType(), version)
	if c.isForeign(n) || !known || before.Since == after.Since {
		return []*graphops.Node{n}, true
	}
	s := &step{c: c, p: p, before: before, after: after}
	made, err := s.apply(n)
	if err == nil {
		for _, x := range made {
			if err = s.valid(x); err != nil {
				break
			}
		}
	}
	if err != nil {
		c.fail(p, at, of, version, err.Error())
		return nil, false
	}
	if s.said != "" {
		c.report.Adapted = append(c.report.Adapted, Adapted{of.OpType(), of.Name(), p, at, version, s.said})
	}
	return append(s.ahead, made...), true
}

func (c *carrier) fail(p *graphops.Place, at int, n *graphops.Node, since int64, why string) {
	c.unable = append(c.unable, Unable{n.OpType(), n.Name(), p, at, since, why})
}

// inferred returns the inferred types and values of the model. They are computed on first use.
func (c *carrier) inferred() *shape.Result {
	if c.types == nil {
		found, err := shape.Infer(c.ctx, c.model, shape.Options{})
		if err != nil {
			found = &shape.Result{}
		}
		c.types = found
	}
	return c.types
}
