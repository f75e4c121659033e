package axes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// request checks the options and records what they require.
func (c *changer) request(o Options) error {
	c.named = map[string][]string{}
	for _, x := range o.Fix {
		if err := c.fix(x); err != nil {
			return err
		}
	}
	for _, a := range o.Free {
		if err := cmp.Or(c.ctx.Err(), c.free(a)); err != nil {
			return err
		}
	}
	return nil
}

// fix checks a symbol that shall become a number, and records the number.
func (c *changer) fix(x Size) error {
	var symbols []string
	for _, s := range c.original.Symbols() {
		symbols = append(symbols, s)
		dim.OfText(s).Symbols(func(atom string) { symbols = append(symbols, atom) })
	}
	if was, twice := c.to[x.Symbol]; twice {
		return fmt.Errorf("symbol %q cannot become both %s and %d", x.Symbol, was, x.Size)
	}
	if !slices.Contains(symbols, x.Symbol) || x.Symbol == "" {
		return &graphops.UnknownNameError{What: "symbol", Name: x.Symbol, Nearest: graphops.NearestNames(x.Symbol, slices.Values(symbols))}
	}
	c.to[x.Symbol] = dim.Number(x.Size)
	return nil
}

// edge is an input or output of the main graph, with its type, which is decoded once: a type can have
// very many axes.
type edge struct {
	t       graphops.Type
	isInput bool
}

// edge returns the input or output of the main graph with the name.
func (c *changer) edge(name string) (edge, error) {
	g := c.original.Graph()
	if c.edges == nil {
		c.edges = map[string]edge{}
		for k, list := range [][]*graphops.ValueInfo{g.Inputs(), g.Outputs()} {
			for _, v := range list {
				if _, known := c.edges[v.Name()]; !known {
					c.edges[v.Name()] = edge{v.Type(), k == 0}
				}
			}
		}
	}
	if e, ok := c.edges[name]; ok {
		return e, nil
	}
	if id, ok := g.Index().Value(name); ok && name != "" {
		return edge{}, fmt.Errorf("value %q is neither an input nor an output of the model (node %d produces or reads it); only axes of inputs and outputs can be named",
			name, max(g.Index().Producer(id), 0))
	}
	return edge{}, &graphops.UnknownNameError{What: "axis", Name: name, Nearest: graphops.NearestNames(name, maps.Keys(c.edges))}
}

// free checks one axis that shall get a symbol, and records the symbol.
func (c *changer) free(a Axis) error {
	e, err := c.edge(a.Value)
	if err != nil {
		return err
	}
	i, err := positionOf(a, e.t)
	if err != nil {
		return err
	}
	symbol := a.Symbol
	if name := nameOf(e.t.Shape[i]); symbol == "" && name != "" {
		c.warn("axis %d of %q is dynamic already, as %q; %s=NAME gives it another name", i, a.Value, name, axisName(a.Value, i))
		return nil
	}
	if symbol == "" {
		symbol = c.fresh(fmt.Sprintf("%s_axis%d", a.Value, i))
	}
	if was, twice := c.set[a.Value][i]; twice {
		return fmt.Errorf("axis %d of %q cannot become both %q and %q", i, a.Value, was, symbol)
	}
	if err := c.replace(e.isInput, e.t.Shape[i], symbol); err != nil {
		return err
	}
	if c.set[a.Value] == nil {
		c.set[a.Value] = map[int]graphops.Dim{}
	}
	c.set[a.Value][i] = graphops.SymbolDim(symbol)
	c.named[symbol] = append(c.named[symbol], axisName(a.Value, i))
	c.report.Symbols = append(c.report.Symbols, symbol)
	if c.taken != nil {
		c.taken[symbol] = true
	}
	return nil
}

// positionOf returns the position of an axis in the shape of a type, or an error if there is no such axis.
func positionOf(a Axis, t graphops.Type) (int, error) {
	if t.Kind != graphops.TypeTensor || t.Shape == nil {
		return 0, fmt.Errorf("%q has no axis that could be named: its type is %s, and its rank is unknown", a.Value, t)
	}
	i := a.Axis
	if i < 0 {
		i += len(t.Shape)
	}
	if i < 0 || i >= len(t.Shape) {
		return 0, fmt.Errorf("%q has no axis %d: its shape is %s, rank %d", a.Value, a.Axis, t.Shape, len(t.Shape))
	}
	return i, nil
}

// nameOf returns the symbol that a size is; "" for a number, an expression, an unknown size, and a
// placeholder, which may have different sizes in different places.
func nameOf(d graphops.Dim) string {
	name, isSymbol := dim.OfText(d.Symbol).IsSymbol()
	if d.Symbol == "" || !isSymbol || shape.IsPlaceholder(name) {
		return ""
	}
	return name
}

// replace records that symbol replaces the size old of an axis of an input or output. If old is a symbol, it is
// renamed everywhere. If old is the number of an input's axis, it is recorded as the old size.
func (c *changer) replace(isInput bool, old graphops.Dim, symbol string) error {
	if isInput && !old.IsFixed() {
		c.unsized = append(c.unsized, symbol)
	}
	if name := nameOf(old); name != "" {
		if to, ok := c.to[name]; ok && !to.Equal(dim.Symbol(symbol)) {
			return fmt.Errorf("symbol %q cannot become both %q and %q", name, to, symbol)
		}
		c.to[name] = dim.Symbol(symbol)
		return nil
	}
	if !isInput || !old.IsFixed() {
		return nil // for an output this is a claim, which is checked against the inferred size later
	}
	if was, ok := c.report.Sizes[symbol]; ok && was != old.Value {
		return fmt.Errorf("symbol %q cannot stand for axes of size %d and %d", symbol, was, old.Value)
	}
	c.report.Sizes[symbol] = old.Value
	return nil
}

// fresh returns base, or base with a number if the model or the options use that symbol already.
func (c *changer) fresh(base string) string {
	if c.taken == nil {
		c.taken = map[string]bool{}
		for _, name := range append(c.original.Symbols(), c.report.Symbols...) {
			c.taken[name] = true
		}
	}
	name := base
	for i := 1; c.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return name
}

// renamed returns the original model with all symbols replaced, and with the requested sizes
// written to the inputs.
func (c *changer) renamed() *graphops.Model {
	return c.original.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		if p.Function != nil {
			return false // the symbols in a function are its own
		}
		changed := false
		for k, list := range [][]*graphops.ValueInfo{e.Inputs, e.Outputs, e.ValueInfo} {
			for i, v := range list {
				list[i] = v.MapSizes(c.renamedSize)
				if s, ok := c.set[v.Name()]; ok && k == 0 && p.Kind == graphops.MainGraph {
					list[i] = withSizes(list[i], s)
				}
				changed = changed || list[i] != v
			}
		}
		return changed
	})
}

// renamedSize returns a declared size in which symbols, also in expressions, are replaced.
func (c *changer) renamedSize(d graphops.Dim) graphops.Dim {
	if d.Symbol == "" || len(c.to) == 0 {
		return d
	}
	if to, ok := c.to[d.Symbol]; ok {
		return shape.SizeForFile(to)
	}
	was := dim.OfText(d.Symbol)
	is := was.Subst(func(s string) (dim.Dim, bool) {
		to, ok := c.to[s]
		return to, ok
	})
	if is.Equal(was) {
		return d
	}
	return shape.SizeForFile(is)
}

// withSizes returns the value with the given sizes, by axis.
func withSizes(v *graphops.ValueInfo, sizes map[int]graphops.Dim) *graphops.ValueInfo {
	moved := map[int]graphops.Dim{}
	for i, d := range v.Type().Shape {
		if to, ok := sizes[i]; ok && to != d {
			moved[i] = to
		}
	}
	return v.WithDims(moved)
}
