package axes

import (
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// assumeSizes finds the size that a model was made for where an axis has a symbol
// already, or nothing, and is to have one: the size that a constant demands, where a
// node demands one, else 1, which most models are exported with. Without it nothing
// could be told of what holds the axis.
func (c *changer) assumeSizes() error {
	if len(c.unsized) == 0 {
		return nil
	}
	r, err := shape.Infer(c.ctx, c.model, shape.Options{Fresh: true})
	if err != nil {
		return err
	}
	for _, symbol := range c.unsized {
		if _, ok := c.report.Sizes[symbol]; !ok {
			c.report.Sizes[symbol] = demandedSize(r.Demands, symbol)
		}
	}
	return nil
}

// demandedSize is the size of a symbol that the first demand asks for which leaves
// no other, or 1.
func demandedSize(demands []shape.Demand, symbol string) int64 {
	for _, d := range demands {
		if !equationOf(d).solvable() {
			continue
		}
		x, y, ok := d.A.Size.Sub(d.B.Size).Linear(symbol)
		if !ok || x.Is(0) {
			continue
		}
		if q, whole := y.Neg().Quotient(x); whole {
			if n, number := q.Number(); number && n > 0 {
				return n
			}
		}
	}
	return 1
}

// lost tells of freed symbols that no output depends on, with the node that takes
// the axis away.
func (c *changer) lost(r *shape.Result, visits []shape.Visit) {
	place := c.model.Places()[0]
	x := place.Graph.Index()
	depends := func(d dim.Dim, symbol string) bool { return !d.Known() || mentions(d, symbol) }
	for _, symbol := range c.tagger.symbols() {
		found := false
		for _, v := range place.Graph.Outputs() {
			id, ok := x.Value(v.Name())
			if !ok {
				continue
			}
			t := r.Value(place, id).Type
			found = found || t.Dims == nil
			for _, d := range t.Dims {
				found = found || depends(d, symbol)
			}
		}
		if !found {
			c.warnLost(visits, symbol)
		}
	}
}

// warnLost names the last node that reads a size made of the symbol and makes none.
func (c *changer) warnLost(visits []shape.Visit, symbol string) {
	has := func(dims []dim.Dim) bool {
		for _, d := range dims {
			if mentions(d, symbol) {
				return true
			}
		}
		return false
	}
	at := ""
	for _, v := range visits {
		reads, makes := false, false
		for _, in := range v.In {
			reads = reads || in != nil && has(in.Dims)
		}
		for _, out := range v.Out {
			makes = makes || has(out.Dims) || has(out.Sizes())
		}
		if reads && !makes {
			at = ": " + shape.NodeName(v.Index, v.Node) + " takes it away"
		}
	}
	c.warn("no output depends on %q%s", symbol, at)
}
