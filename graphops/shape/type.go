package shape

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// Type is the type of a value, with sizes as expressions.
type Type struct {
	Kind graphops.TypeKind
	Elem tensor.DType // of a tensor; the key of a map
	// Dims are the sizes of a tensor; nil where the rank is unknown, empty for a
	// scalar.
	Dims []dim.Dim
	// Of is the type of the elements of a sequence or optional, or of the values of
	// a map. Nil elsewhere.
	Of *Type
}

// Value is what is known of a value: its type, and what it holds if that is a
// small tensor of integers, booleans, or numbers computed from such.
type Value struct {
	Type
	elems []elem // row-major; nil where they are not followed
	top   *top   // of elements that are counted up; nil where they are not
}

// Sizes are the elements as sizes, unknown where one is no integer; nil where they
// are not followed.
func (v Value) Sizes() []dim.Dim {
	if v.elems == nil {
		return nil
	}
	return sizesOf(v.elems)
}

// Constant is the value as a tensor of integers or booleans, if all of its elements
// are known numbers.
func (v Value) Constant() (tensor.Tensor, bool) {
	sizes, ok := fixed(v.Dims)
	kind := v.Elem.Kind()
	if !ok || v.elems == nil || kind != tensor.KindSigned && kind != tensor.KindUnsigned && kind != tensor.KindBool {
		return tensor.Tensor{}, false
	}
	list := make([]int64, len(v.elems))
	for i, e := range v.elems {
		if list[i], ok = e.int(); !ok {
			return tensor.Tensor{}, false
		}
	}
	t, err := tensor.FromInt64s(v.Elem, list, sizes...)
	return t, err == nil
}

// tensorOf is the type of a tensor.
func tensorOf(e tensor.DType, dims []dim.Dim) Type {
	return Type{Kind: graphops.TypeTensor, Elem: e, Dims: dims}
}

// numbers are sizes that are known.
func numbers(sizes ...int64) []dim.Dim {
	out := make([]dim.Dim, len(sizes))
	for i, n := range sizes {
		out[i] = dim.Number(n)
	}
	return out
}

// joined are sizes one behind the other. Of none it is the shape of a scalar, which
// slices.Concat would make an unknown rank.
func joined(parts ...[]dim.Dim) []dim.Dim {
	return append([]dim.Dim{}, slices.Concat(parts...)...)
}

// unknownDims are n different sizes of which nothing is known.
func unknownDims(n int) []dim.Dim {
	out := make([]dim.Dim, n)
	for i := range out {
		out[i] = dim.Unknown()
	}
	return out
}

// FromFile reads a type as a file states it: symbols that read as expressions
// are such.
func FromFile(t graphops.Type) Type {
	out := Type{Kind: t.Kind, Elem: t.Elem}
	if t.Of != nil {
		of := FromFile(*t.Of)
		out.Of = &of
	}
	if t.Shape != nil {
		out.Dims = make([]dim.Dim, len(t.Shape))
		for i, d := range t.Shape {
			out.Dims[i] = SizeFromFile(d)
		}
	}
	return out
}

// SizeFromFile reads a size as a file states it.
func SizeFromFile(d graphops.Dim) dim.Dim {
	switch {
	case d.IsFixed():
		return dim.Number(d.Value)
	case d.Symbol != "" && !IsPlaceholder(d.Symbol):
		return dim.OfText(d.Symbol)
	default:
		return dim.Unknown()
	}
}

// IsPlaceholder reports whether the symbol of an axis is what exporters write for any
// size: two axes that have it need not be equal.
func IsPlaceholder(symbol string) bool { return symbol == "?" || symbol == "None" || symbol == "-1" }

// ForFile is the type as a file states it: an expression is a symbol of that
// text, a size that is not known has neither number nor symbol.
func (t Type) ForFile() graphops.Type {
	out := graphops.Type{Kind: t.Kind, Elem: t.Elem}
	if t.Of != nil {
		of := t.Of.ForFile()
		out.Of = &of
	}
	if t.Dims != nil {
		out.Shape = make(graphops.Shape, len(t.Dims))
		for i, d := range t.Dims {
			out.Shape[i] = SizeForFile(d)
		}
	}
	return out
}

// SizeForFile is a size as a file states it.
func SizeForFile(d dim.Dim) graphops.Dim {
	n, ok := d.Number()
	switch {
	case ok && n >= 0:
		return graphops.FixedDim(n)
	case !ok && d.Known():
		return graphops.SymbolDim(d.String())
	default:
		return graphops.Dim{Value: -1}
	}
}

// String writes type and shape as "f32 batch×3".
func (t Type) String() string {
	f := t.ForFile()
	if t.Kind != graphops.TypeTensor {
		return f.String()
	}
	return f.String() + " " + f.Shape.String()
}

// Equal reports whether two types are the same, unknown sizes included.
func (t Type) Equal(u Type) bool {
	return t.Kind == u.Kind && t.Elem == u.Elem && (t.Dims == nil) == (u.Dims == nil) &&
		slices.EqualFunc(t.Dims, u.Dims, dim.Dim.Equal) &&
		(t.Of == nil) == (u.Of == nil) && (t.Of == nil || t.Of.Equal(*u.Of))
}

// join is what two types have in common: where sizes differ it is unknown what
// size there is, where ranks differ the rank is.
func join(a, b Type) Type {
	if a.Kind != b.Kind {
		return Type{}
	}
	out := a
	if a.Elem != b.Elem {
		out.Elem = tensor.Undefined
	}
	if a.Of != nil && b.Of != nil {
		of := join(*a.Of, *b.Of)
		out.Of = &of
	} else {
		out.Of = nil
	}
	if len(a.Dims) != len(b.Dims) || a.Dims == nil || b.Dims == nil {
		out.Dims = nil
		return out
	}
	out.Dims = slices.Clone(a.Dims)
	for i, d := range b.Dims {
		if !d.Equal(a.Dims[i]) {
			out.Dims[i] = dim.Unknown()
		}
	}
	return out
}

// joinValues is what two values have in common.
func joinValues(a, b Value) Value {
	out := Value{Type: join(a.Type, b.Type)}
	if len(a.elems) != len(b.elems) || a.elems == nil || !slices.EqualFunc(a.Dims, b.Dims, dim.Dim.Equal) {
		return out
	}
	out.elems = slices.Clone(a.elems)
	for i, e := range b.elems {
		if !e.equal(a.elems[i]) {
			out.elems[i] = unknownElem()
		}
	}
	return out
}

// fill takes from declared what t leaves open.
func (t Type) fill(declared Type) Type {
	if t.Kind == graphops.TypeUnknown {
		return declared
	}
	if t.Kind != declared.Kind {
		return t
	}
	if t.Elem == tensor.Undefined {
		t.Elem = declared.Elem
	}
	switch {
	case t.Of == nil:
		t.Of = declared.Of
	case declared.Of != nil:
		of := t.Of.fill(*declared.Of)
		t.Of = &of
	}
	if t.Dims == nil {
		t.Dims = declared.Dims
		return t
	}
	if len(t.Dims) == len(declared.Dims) {
		t.Dims = slices.Clone(t.Dims)
		for i, d := range declared.Dims {
			if !t.Dims[i].Known() && d.Known() {
				t.Dims[i] = d
			}
		}
	}
	return t
}
