package graphops

import (
	"context"
	"fmt"
	"slices"
)

// Axis names one dimension of a graph input or output.
type Axis struct {
	Value string
	Axis  int // counted from 0; negative from the end
	// Symbol that the dimension gets; "" makes one up from value and axis.
	Symbol string
}

// SymbolSize gives a symbol a number.
type SymbolSize struct {
	Symbol string
	Size   int64
}

// AxesOptions say which dimensions change.
type AxesOptions struct {
	Free []Axis
	Fix  []SymbolSize
	// Repair mends the pins that can be mended.
	Repair bool
}

// AxesChange tells what a change of dimensions did.
type AxesChange struct {
	// Changed are the names of inputs, outputs and value_info whose type differs.
	Changed []string
	// Symbols are the symbols written, in the order asked for.
	Symbols  []string
	Pins     []Pin // those that are left
	Repaired []Pin
	Warnings []string
}

// ChangeAxes names, frees and fixes dimensions of inputs and outputs. A symbol
// that is renamed or fixed is so wherever it occurs. Where a number becomes a
// symbol, the shapes that follow from it are asked of typer; without one the
// recorded shapes behind that input are forgotten, because they may no longer
// hold.
func ChangeAxes(ctx context.Context, m *Model, o AxesOptions, typer Typer) (*Model, *AxesChange, error) {
	f := &axesFreer{model: m, report: &AxesChange{}, rename: map[string]Dim{}, set: map[string]Type{}, mended: map[string][]int64{}, was: map[string]int64{}}
	for _, x := range o.Fix {
		if err := f.fix(x); err != nil {
			return nil, nil, err
		}
	}
	for _, a := range o.Free {
		if err := f.add(a); err != nil {
			return nil, nil, err
		}
	}
	e := Edit(m)
	for _, list := range [][]*ValueInfo{e.Inputs, e.Outputs, e.ValueInfo} {
		for i, v := range list {
			list[i] = f.renamed(v)
		}
	}
	for i, n := range e.Nodes {
		e.Nodes[i] = n.mapBodies(f.renamedBody)
	}
	if f.freed != nil {
		if err := f.settle(ctx, e, typer, o.Repair); err != nil {
			return nil, nil, err
		}
	}
	f.collect(e)
	return e.Model(), f.report, nil
}

type axesFreer struct {
	model    *Model
	rename   map[string]Dim     // by symbol: what it becomes
	set      map[string]Type    // by input or output: its type with the axes written
	mended   map[string][]int64 // by name: the shapes that repairs made
	replaced []string           // constants that repairs took a reader from
	was      map[string]int64   // by symbol: the number that it replaced
	freed    []string           // inputs and outputs where a number became a symbol
	report   *AxesChange
}

func (f *axesFreer) edge(name string) (*ValueInfo, error) {
	g := f.model.graph
	var names []string
	for _, list := range [][]*ValueInfo{g.inputs, g.outputs} {
		for _, v := range list {
			if v.name == name {
				return v, nil
			}
			names = append(names, v.name)
		}
	}
	if id, ok := g.Index().ids[name]; ok && name != "" {
		return nil, fmt.Errorf("value %q is neither an input nor an output (node %d makes or reads it); axes are named at inputs and outputs",
			name, max(g.Index().Producer(id), 0))
	}
	return nil, &UnknownNameError{"axis", name, NearestNames(name, slices.Values(names))}
}

// fix notes that a symbol becomes a number. The symbol must occur at an input,
// since a run learns its size there.
func (f *axesFreer) fix(x SymbolSize) error {
	var symbols []string
	for _, v := range f.model.graph.inputs {
		for _, d := range v.Type().Shape {
			symbols = append(symbols, d.Symbol)
		}
	}
	if !slices.Contains(symbols, x.Symbol) || x.Symbol == "" {
		return &UnknownNameError{"symbol", x.Symbol, NearestNames(x.Symbol, slices.Values(symbols))}
	}
	f.rename[x.Symbol] = FixedDim(x.Size)
	return nil
}

func (f *axesFreer) add(a Axis) error {
	v, err := f.edge(a.Value)
	if err != nil {
		return err
	}
	t, ok := f.set[a.Value]
	if !ok {
		t = v.Type()
		t.Shape = slices.Clone(t.Shape)
	}
	if t.Kind != TypeTensor || t.Shape == nil {
		return fmt.Errorf("%q has no shape whose axis could be named: its type is %s, its rank unknown", a.Value, t)
	}
	i := a.Axis
	if i < 0 {
		i += len(t.Shape)
	}
	if i < 0 || i >= len(t.Shape) {
		return fmt.Errorf("%q has no axis %d: its shape is %s, rank %d", a.Value, a.Axis, t.Shape, len(t.Shape))
	}
	symbol := a.Symbol
	if symbol == "" {
		symbol = f.fresh(fmt.Sprintf("%s_axis%d", a.Value, i))
	}
	if old := t.Shape[i]; old.Symbol != "" {
		if to, ok := f.rename[old.Symbol]; ok && to != SymbolDim(symbol) {
			return fmt.Errorf("symbol %q cannot become both %q and %q", old.Symbol, to, symbol)
		}
		f.rename[old.Symbol] = SymbolDim(symbol)
	} else if !slices.Contains(f.freed, a.Value) {
		f.freed = append(f.freed, a.Value)
	}
	if old := t.Shape[i]; old.IsFixed() {
		if was, ok := f.was[symbol]; ok && was != old.Value {
			return fmt.Errorf("symbol %q cannot stand for axes of size %d and %d", symbol, was, old.Value)
		}
		f.was[symbol] = old.Value
	}
	t.Shape[i] = SymbolDim(symbol)
	f.set[a.Value] = t
	f.report.Symbols = append(f.report.Symbols, symbol)
	return nil
}

// fresh makes up a symbol that the model's edges do not have.
func (f *axesFreer) fresh(base string) string {
	taken := map[string]bool{"": true}
	for _, list := range [][]*ValueInfo{f.model.graph.inputs, f.model.graph.outputs} {
		for _, v := range list {
			for _, d := range v.Type().Shape {
				taken[d.Symbol] = true
			}
		}
	}
	for _, s := range f.report.Symbols {
		taken[s] = true
	}
	return freshName(taken, base)
}

// renamedBody renames symbols in a body, which speaks of the same ones.
func (f *axesFreer) renamedBody(g *Graph) *Graph {
	if len(f.rename) == 0 {
		return g
	}
	e := EditGraph(g)
	changed := false
	for _, list := range [][]*ValueInfo{e.Inputs, e.Outputs, e.ValueInfo} {
		for i, v := range list {
			list[i] = f.renamedSymbols(v)
			changed = changed || list[i] != v
		}
	}
	for i, n := range e.Nodes {
		e.Nodes[i] = n.mapBodies(f.renamedBody)
		changed = changed || e.Nodes[i] != n
	}
	if !changed {
		return g
	}
	return e.Graph()
}

func (f *axesFreer) renamedSymbols(v *ValueInfo) *ValueInfo {
	for i, d := range v.Type().Shape {
		if to, ok := f.rename[d.Symbol]; ok && d.Symbol != "" && to != d {
			v = v.WithDim(i, to)
		}
	}
	return v
}

// renamed writes the asked-for axes and renames symbols.
func (f *axesFreer) renamed(v *ValueInfo) *ValueInfo {
	v = f.renamedSymbols(v)
	t := v.Type()
	for i, d := range t.Shape {
		want := d
		if s, ok := f.set[v.name]; ok && len(s.Shape) == len(t.Shape) {
			want = s.Shape[i]
		}
		if want != d {
			v = v.WithDim(i, want)
		}
	}
	return v
}
