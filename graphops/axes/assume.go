package axes

import (
	"slices"

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
	kept := map[string]bool{}
	for _, v := range place.Graph.Outputs() {
		id, ok := x.Value(v.Name())
		if !ok {
			continue
		}
		t := r.Value(place, id).Type
		if t.Dims == nil || slices.ContainsFunc(t.Dims, func(d dim.Dim) bool { return !d.Known() }) {
			return // it may depend on any of them
		}
		noteSymbols(kept, t.Dims)
	}
	at := removers(visits)
	for _, symbol := range c.tagger.symbols() {
		if !kept[symbol] {
			c.warn("no output depends on %q%s", symbol, at[symbol])
		}
	}
}

// removers returns, by symbol, which node is the last that reads a shape with the symbol but has no
// output with it. It goes through the nodes once for all symbols, because there can be many of both.
func removers(visits []shape.Visit) map[string]string {
	at := map[string]string{}
	for _, v := range visits {
		reads, makes := map[string]bool{}, map[string]bool{}
		for _, in := range v.In {
			if in != nil {
				noteSymbols(reads, in.Dims)
			}
		}
		for _, out := range v.Out {
			noteSymbols(makes, out.Dims)
			noteSymbols(makes, out.Sizes())
		}
		for symbol := range reads {
			if !makes[symbol] {
				at[symbol] = ": " + shape.NodeName(v.Index, v.Node) + " removes it"
			}
		}
	}
	return at
}

// noteSymbols adds the symbols of sizes to a set.
func noteSymbols(to map[string]bool, dims []dim.Dim) {
	for _, d := range dims {
		d.Symbols(func(s string) { to[s] = true })
	}
}
