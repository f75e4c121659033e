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
	Elem tensor.DType // of a tensor; for a map, the type of its keys
	// Dims are the sizes of a tensor; nil if the rank is unknown, empty for a scalar.
	Dims []dim.Dim
	// Of is the element type of a sequence or optional, or the type of a map's values, or nil.
	Of *Type
}

// Value is what is known of a value: its type, and its elements if it is a small tensor of
// integers, booleans, or numbers computed from these.
type Value struct {
	Type
	elems []elem // row-major; nil if they are not traced
	top   *top   // of counted elements; nil if unknown
}

// Sizes returns the elements as sizes, unknown if one is not an integer; nil if they are not
// traced.
func (v Value) Sizes() []dim.Dim {
	if v.elems == nil {
		return nil
	}
	return sizesOf(v.elems)
}

// Constant returns the value as a tensor of integers or booleans, if all of its elements are
// known numbers.
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

// tensorOf returns the type of a tensor.
func tensorOf(e tensor.DType, dims []dim.Dim) Type {
	return Type{Kind: graphops.TypeTensor, Elem: e, Dims: dims}
}

// numbers returns known sizes.
func numbers(sizes ...int64) []dim.Dim {
	out := make([]dim.Dim, len(sizes))
	for i, n := range sizes {
		out[i] = dim.Number(n)
	}
	return out
}

// joined concatenates sizes. The result for no sizes is the shape of a scalar, whereas
// slices.Concat would return nil, which is an unknown rank.
func joined(parts ...[]dim.Dim) []dim.Dim {
	return append([]dim.Dim{}, slices.Concat(parts...)...)
}

// unknownDims returns n different unknown sizes.
func unknownDims(n int) []dim.Dim {
	out := make([]dim.Dim, n)
	for i := range out {
		out[i] = dim.Unknown()
	}
	return out
}

// FromFile converts a type from the form of a file. Symbols that can be parsed as expressions
// become expressions.
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

// SizeFromFile converts a size from the form of a file.
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

// IsPlaceholder reports whether the symbol of an axis is one that exporters write for any size.
// Two axes with it need not be equal.
func IsPlaceholder(symbol string) bool { return symbol == "?" || symbol == "None" || symbol == "-1" }

// ForFile converts the type to the form of a file: an expression becomes a symbol with that
// text, and an unknown size has neither number nor symbol.
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

// SizeForFile converts a size to the form of a file.
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

// String formats type and shape as "f32 batch×3".
func (t Type) String() string {
	f := t.ForFile()
	if t.Kind != graphops.TypeTensor {
		return f.String()
	}
	return f.String() + " " + f.Shape.String()
}

// join returns what two types have in common. Sizes that differ become unknown, and so does the
// rank if the ranks differ.
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

// joinValues returns what two values have in common.
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

// fill completes t by a declared type.
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
