package shape

import (
	"fmt"
	"slices"
	"strconv"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// Belief is the result of comparing a declared type with what the graph computes.
type Belief struct {
	// Type is the declared type, completed by what is known from the graph. If the graph
	// contradicts the declaration, it is the graph's type.
	Type graphops.Type
	// Filled reports that the graph completes the declaration.
	Filled bool
	// Denied is the reason why a run can produce another type than the declared one, empty if
	// the declaration may be right. Number reports that a declared number, or the whole type, is
	// wrong, and not only a symbol.
	Denied string
	Number bool
}

// Believe compares a declared type of a value with the graph. The inputs of the main graph are
// only described by the file, so their declarations are accepted. A nil Result has no information
// about any value.
func (r *Result) Believe(p *graphops.Place, v graphops.ValueID, declared graphops.Type) Belief {
	if r == nil || p.Kind == graphops.MainGraph && p.Graph.Index().IsInput(v) {
		return Belief{Type: declared}
	}
	made := r.Value(p, v).Type
	if why, number := r.denial(p, made, FromFile(declared)); why != "" {
		if made.Elem == tensor.Undefined && made.Kind == declared.Kind {
			made.Elem = declared.Elem
		}
		return Belief{Type: made.ForFile(), Denied: why, Number: number}
	}
	t, filled := completed(declared, made.ForFile())
	return Belief{Type: t, Filled: filled}
}

// Deny says what a value is and what it is declared as.
func (b Belief) Deny(name string, declared graphops.Type) string {
	return fmt.Sprintf("%q is %s according to the graph, but declared as %s: %s", name, b.Type.Declaration(), declared.Simplified().Declaration(), b.Denied)
}

// ForFile returns the type of a belief for writing to a file. Sizes that only have a name given by
// the inference are unknown in it.
func (r *Result) ForFile(b Belief) graphops.Type {
	if r == nil {
		return b.Type
	}
	return r.unnamed(b.Type)
}

// Named reports whether the inference gave names to axes (Options.NameAxes).
func (r *Result) Named() bool { return len(r.named) > 0 }

// Stated returns the type of a value according to the graph, in the form of a file, completed by
// the declaration where less is known.
func (r *Result) Stated(p *graphops.Place, v graphops.ValueID, declared graphops.Type) graphops.Type {
	made := r.unnamed(r.Type(p, v))
	t, _ := completed(made, r.ForFile(r.Believe(p, v, declared)))
	return t
}

func (r *Result) unnamed(t graphops.Type) graphops.Type {
	if t.Of != nil {
		of := r.unnamed(*t.Of)
		t.Of = &of
	}
	t.Shape = slices.Clone(t.Shape)
	for i, d := range t.Shape {
		SizeFromFile(d).Symbols(func(name string) {
			if r.named[name] {
				t.Shape[i] = graphops.Dim{Value: -1}
			}
		})
	}
	return t
}

// completed completes a declaration by what is known from the graph.
func completed(declared, made graphops.Type) (t graphops.Type, more bool) {
	switch {
	case declared.Kind == graphops.TypeUnknown:
		return made, made.Kind != graphops.TypeUnknown
	case declared.Kind != made.Kind || declared.Kind != graphops.TypeTensor || declared.Elem != made.Elem:
		return declared, false
	case declared.Shape == nil:
		declared.Shape = made.Shape
		return declared, made.Shape != nil
	case len(declared.Shape) != len(made.Shape):
		return declared, false
	}
	out := declared
	out.Shape = slices.Clone(declared.Shape)
	for i, d := range declared.Shape {
		if !d.IsFixed() && d.Symbol == "" && (made.Shape[i].IsFixed() || made.Shape[i].Symbol != "") {
			out.Shape[i], more = made.Shape[i], true
		}
	}
	return out, more
}

// denial returns the reason why a run can produce another type than the declared one, and
// whether a number is wrong.
func (r *Result) denial(p *graphops.Place, made, declared Type) (why string, number bool) {
	declared.Dims = slices.Clone(declared.Dims)
	for i, said := range declared.Dims {
		declared.Dims[i] = r.spelled(said)
	}
	if why := Contradiction(made, declared); why != "" {
		return why, true
	}
	if made.Of != nil && declared.Of != nil {
		return r.denial(p, *made.Of, *declared.Of)
	}
	if made.Dims == nil || len(made.Dims) != len(declared.Dims) {
		return "", false
	}
	for i, said := range declared.Dims {
		if _, is := said.Number(); number || !r.denies(p, made.Dims[i], said) {
			continue
		} else if is || why == "" {
			why, number = fmt.Sprintf("right only if %s = %s", sizeText(made.Dims[i]), sizeText(said)), is
		}
	}
	return why, number
}

// spelled returns a declared size. Some exporters write a number as the text of a symbol; it is
// returned as the number, unless an input has that symbol.
func (r *Result) spelled(said dim.Dim) dim.Dim {
	name, _ := said.IsSymbol()
	n, err := strconv.ParseInt(name, 10, 64)
	if _, used := r.symbols[name]; err != nil || n < 0 || used {
		return said
	}
	return dim.Number(n)
}

// denies reports whether a size can differ from the declared one. If the graph computes one of
// several sizes, the declaration is trusted, because its author may know which one it is.
func (r *Result) denies(p *graphops.Place, made, said dim.Dim) bool {
	if _, number := said.Number(); !number && (made.Chooses(said) || !r.isMeant(p, said)) {
		return false
	}
	return r.possible().differ(made, said)
}

// isMeant reports whether all symbols in a declared size are symbols of the model's inputs. Any
// other symbol is only a name for an unknown size. In functions all symbols are such names, because
// they refer to the function's own inputs.
func (r *Result) isMeant(p *graphops.Place, said dim.Dim) bool {
	meant := p.Function == nil
	said.Symbols(func(name string) {
		_, is := r.symbols[name]
		meant = meant && is
	})
	return meant
}
