package axes

import (
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// assumeSizes chooses the old size of each freed axis for which the file gives no number, because
// constants that depend on the axis can only be judged at a known size. It is the size that the
// first suitable demand of a node requires; otherwise 1, the size with which most models are
// exported.
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

// demandedSize returns the only size that the first demand with exactly one solution allows for the
// symbol, or 1 if there is no such demand.
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

// lost warns about each freed symbol that no output's shape contains. The warning names the node
// after which the axis no longer exists.
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

// warnLost warns that no output depends on the symbol, and names the last node that reads a shape
// with the symbol but has no output with it.
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
			at = ": " + shape.NodeName(v.Index, v.Node) + " removes it"
		}
	}
	c.warn("no output depends on %q%s", symbol, at)
}
