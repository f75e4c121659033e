package edit

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// FixOptions say which inputs become initializers.
type FixOptions struct {
	// Inputs are the names of these inputs. If it is empty, they are the names in Data. If Data is
	// nil too, they are all optional inputs.
	Inputs []string
	// Data has the values by name. An optional input that is not in Data keeps its default.
	Data map[string]tensor.Tensor
}

// InputsToInitializers replaces inputs of the main graph by initializers. It returns an error if a
// value does not have the type that the input declares, or if a symbol would stand for two sizes.
func InputsToInitializers(m *graphops.Model, p *graphops.Place, o FixOptions) (*graphops.Model, *Report, error) {
	e := beginConstants(m, p)
	if err := e.holdsInputs(); err != nil {
		return nil, nil, err
	}
	f := fixing{constants: e, data: o.Data, sizes: map[string]size{}}
	chosen, err := e.chosen(o.Inputs, f.all(), f.keeps)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range chosen {
		if err := f.fix(id); err != nil {
			return nil, nil, err
		}
	}
	f.settle(chosen)
	next, report := e.finish()
	return next, report, nil
}

// fixing is the state of one call of InputsToInitializers.
type fixing struct {
	*constants
	data    map[string]tensor.Tensor
	sizes   map[string]size // by symbol
	symbols []string        // those with a size, in order
	added   []*graphops.Tensor
}

// size is the size for which a symbol stands, and the input that determined it.
type size struct {
	n     int64
	input string
}

// all returns the inputs that become initializers if FixOptions names none.
func (f *fixing) all() []graphops.ValueID {
	var out []graphops.ValueID
	for _, v := range f.graph.Inputs() {
		id, _ := f.index.Value(v.Name())
		_, given := f.data[v.Name()]
		if given || f.data == nil && f.isOptional(id) {
			out = append(out, id)
		}
	}
	return out
}

// keeps returns why the input cannot become an initializer, or "" if it can.
func (f *fixing) keeps(id graphops.ValueID) string {
	_, given := f.data[f.index.Name(id)]
	switch {
	case f.index.IsInitializer(id) && !f.isOptional(id):
		return "is an initializer already"
	case f.twice[f.index.Name(id)]:
		return definedTwice
	case !f.index.IsInput(id) && f.index.Producer(id) >= 0:
		return fmt.Sprintf("is made by node %s, expected an input", nodeLabel(f.graph, f.index.Producer(id)))
	case !f.index.IsInput(id):
		return "is no input"
	case !f.index.IsInitializer(id) && !given:
		return "needs a value; give one with --data"
	}
	return ""
}

// fix checks the new value of an input and records it.
func (f *fixing) fix(id graphops.ValueID) error {
	name, from := f.index.Name(id), asInput
	if f.isOptional(id) {
		from = asOptional
	}
	f.report.changed("constant", name, from, asInitializer)
	v, given := f.data[name]
	if !given {
		return nil
	}
	if err := f.fits(name, f.index.Info(id).Type(), v); err != nil {
		return fmt.Errorf("input %q: %w", name, err)
	}
	f.added = append(f.added, graphops.NewTensorOf(name, v))
	return nil
}

// fits returns an error if the value does not have the type that the input declares.
func (f *fixing) fits(name string, t graphops.Type, v tensor.Tensor) error {
	if err := v.Check(); err != nil {
		return err
	}
	switch {
	case t.Kind == graphops.TypeUnknown:
		return nil
	case t.Kind != graphops.TypeTensor:
		return fmt.Errorf("is declared as %s, which an initializer cannot be", t)
	case t.Elem != v.DType:
		return fmt.Errorf("is declared as %s, but the value is %s", t, v.DType)
	case t.Shape == nil:
		return nil
	case len(t.Shape) != len(v.Shape):
		return fmt.Errorf("is declared as %s, but the value is %s", t.Shape, tensor.FormatShape(v.Shape))
	}
	for axis, d := range t.Shape {
		if d.IsFixed() && d.Value != v.Shape[axis] {
			return fmt.Errorf("is declared as %s, but the value is %s", t.Shape, tensor.FormatShape(v.Shape))
		}
		if d.Symbol == "" {
			continue
		}
		had, known := f.sizes[d.Symbol]
		if known && had.n != v.Shape[axis] {
			return fmt.Errorf("symbol %q is %d here and %d in %q", d.Symbol, v.Shape[axis], had.n, had.input)
		}
		if !known {
			f.sizes[d.Symbol] = size{v.Shape[axis], name}
			f.symbols = append(f.symbols, d.Symbol)
		}
	}
	return nil
}

// settle adds the initializers and removes the inputs. Below IR version 4, the inputs stay, because
// each initializer must be listed as an input.
func (f *fixing) settle(chosen []graphops.ValueID) {
	types := map[string]graphops.Type{}
	old := map[string]bool{}
	for _, t := range f.added {
		types[t.Name()], old[t.Name()] = typeOf(t), true
	}
	f.dropInitializers(old)
	f.next.Initializers = append(f.next.Initializers, f.added...)
	if f.model.IRVersion() >= graphops.OptionalInputsIR {
		f.dropInputs(f.names(chosen))
	}
	for i, v := range f.next.Inputs {
		if t, ok := types[v.Name()]; ok {
			f.next.Inputs[i] = v.WithType(t)
		}
	}
	f.warnSymbols()
	if len(chosen) == 0 && f.data == nil {
		f.report.warn("no input is optional; give values with --data")
	}
}

// warnSymbols warns about symbols for which a value has determined a size, but which inputs or
// outputs still have.
func (f *fixing) warnSymbols() {
	open := map[string]bool{}
	for _, list := range [][]*graphops.ValueInfo{f.next.Inputs, f.next.Outputs} {
		for _, v := range list {
			for _, d := range v.Type().Shape {
				open[d.Symbol] = true
			}
		}
	}
	for _, s := range f.symbols {
		if open[s] {
			f.report.warn("symbol %q is %d because of the value of %q, but other inputs or outputs still have the symbol; replace it there with lathe axes --fix %s=%d", s, f.sizes[s].n, f.sizes[s].input, s, f.sizes[s].n)
		}
	}
}
