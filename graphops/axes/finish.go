package axes

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// finish checks the changed model, writes its inferred types, and replaces nodes whose results have
// become constant.
func (c *changer) finish() error {
	var visits []shape.Visit
	r, err := shape.Infer(c.ctx, c.model, shape.Options{Fresh: true, Visit: func(v shape.Visit) { visits = append(visits, v) }})
	if err != nil {
		return err
	}
	if c.tagger != nil {
		c.warnOfCold(visits)
	}
	if c.tagger != nil && len(c.report.Pins) == 0 {
		c.lost(r, visits)
	}
	if err := c.checkClaims(r); err != nil {
		return err
	}
	if err := c.checkOutputs(r); err != nil {
		return err
	}
	if len(c.fixed()) > 0 {
		if err := c.checkSizes(visits); err != nil {
			return err
		}
	}
	declared := c.written(r)
	if slices.ContainsFunc(c.fixed(), dim.Dim.Known) {
		declared, c.report.Folded = fold(declared, r)
	}
	c.model = declared
	c.collect()
	return nil
}

// maxElements is more elements than any value has in a model that can run.
const maxElements = 1 << 40

// checkSizes returns an error if a value or an input would have more than maxElements elements.
func (c *changer) checkSizes(visits []shape.Visit) error {
	for _, v := range visits {
		for k, out := range v.Out {
			if tooLarge(out.Dims) {
				return fmt.Errorf("%s: output %q would be too large: it would have more than %d elements",
					shape.NodeName(v.Index, v.Node), v.Node.Outputs()[k], int64(maxElements))
			}
		}
	}
	for _, v := range c.model.Graph().FeedInputs() {
		if t := shape.FromFile(v.Type()); tooLarge(t.Dims) {
			return fmt.Errorf("input %q would be too large: it would have more than %d elements", v.Name(), int64(maxElements))
		}
	}
	return nil
}

// tooLarge reports whether a shape has more than maxElements elements, even if each unknown size is
// 1.
func tooLarge(dims []dim.Dim) bool {
	known := dim.Number(1)
	for _, d := range dims {
		if _, number := d.Number(); number || d.Err() != nil {
			known = known.Mul(d)
		}
	}
	n, ok := known.Number()
	return !ok || n > maxElements
}

// fixed returns the numbers that replace symbols (Options.Fix).
func (c *changer) fixed() []dim.Dim {
	var out []dim.Dim
	for _, d := range c.to {
		if _, ok := d.Number(); ok {
			out = append(out, d)
		}
	}
	return out
}

// behind returns a function that reports whether a value depends on what was changed: on an input
// whose type differs, or on a node whose constant was replaced.
func (c *changer) behind() func(p *graphops.Place, v graphops.ValueID) bool {
	g := c.model.Graph()
	x := g.Index()
	var points []graphops.Point
	unchanged := map[*graphops.ValueInfo]bool{}
	for _, v := range c.original.Graph().Inputs() {
		unchanged[v] = true
	}
	for _, v := range g.Inputs() {
		if unchanged[v] {
			continue
		}
		if id, ok := x.Value(v.Name()); ok {
			points = append(points, graphops.ValuePoint(id))
		}
	}
	var mended []int
	for _, name := range c.mended() {
		if id, ok := x.Value(name); ok && x.Producer(id) >= 0 {
			mended = append(mended, x.Producer(id))
			points = append(points, graphops.NodePoint(x.Producer(id)))
		}
	}
	reach := x.Descendants(points...)
	for _, i := range mended {
		reach.Nodes[i] = true
	}
	return func(p *graphops.Place, v graphops.ValueID) bool {
		for ; p.Kind == graphops.BodyGraph; p = p.Parent {
			if p.Parent.Kind == graphops.MainGraph {
				return reach.Nodes[p.Node]
			}
		}
		return p.Function != nil || reach.Values[v]
	}
}

// collect reports the values whose declaration differs from that of the original, and warns about
// outputs without a shape.
func (c *changer) collect() {
	old := map[*graphops.ValueInfo]bool{}
	for _, p := range c.original.Places() {
		for _, list := range [][]*graphops.ValueInfo{p.Graph.Inputs(), p.Graph.Outputs(), p.Graph.ValueInfo()} {
			for _, v := range list {
				old[v] = true
			}
		}
	}
	for _, p := range c.model.Places() {
		for _, list := range [][]*graphops.ValueInfo{p.Graph.Inputs(), p.Graph.Outputs(), p.Graph.ValueInfo()} {
			for _, v := range list {
				if !old[v] {
					c.report.Changed = append(c.report.Changed, v.Name())
				}
			}
		}
	}
	for _, v := range c.model.Graph().Outputs() {
		if v.Type().Kind == graphops.TypeTensor && v.Type().Shape == nil {
			c.warn("output %q: its shape is unknown and is left open", v.Name())
		}
	}
}
