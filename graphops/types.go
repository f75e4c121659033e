package graphops

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// TypeKind tells the forms of a value apart.
type TypeKind uint8

// The forms of a value.
const (
	TypeUnknown TypeKind = iota
	TypeTensor
	TypeSparse
	TypeSequence
	TypeMap
	TypeOptional
	TypeOpaque
)

// Type is the type of a value.
type Type struct {
	Kind TypeKind
	Elem tensor.DType // of a tensor; the key of a map
	// Shape of a tensor; nil where the rank is unknown.
	Shape Shape
	// Of is the type of the elements of a sequence or optional, or of the
	// values of a map. Nil elsewhere.
	Of *Type
}

// Dim is one dimension: a number, a symbol, or unknown.
type Dim struct {
	Value  int64  // -1 where it is not a number
	Symbol string // "" where it has none
}

// FixedDim is a dimension of known size.
func FixedDim(n int64) Dim { return Dim{Value: n} }

// SymbolDim is a dimension that has a name.
func SymbolDim(name string) Dim { return Dim{Value: -1, Symbol: name} }

// IsFixed reports whether the dimension is a number.
func (d Dim) IsFixed() bool { return d.Value >= 0 }

// String writes a number, a symbol or "?" for a person: an expression is simplified, so
// that equal ones read the same. Symbol has the text as the file has it.
func (d Dim) String() string {
	switch {
	case d.IsFixed():
		return strconv.FormatInt(d.Value, 10)
	case d.Symbol != "":
		return dim.Simplified(d.Symbol)
	default:
		return "?"
	}
}

// Simplified is the type with the text of each expression in its simplest form: a type to
// show, where the type itself has the file's own texts.
func (t Type) Simplified() Type {
	t.Shape = slices.Clone(t.Shape)
	for i, d := range t.Shape {
		t.Shape[i].Symbol = dim.Simplified(d.Symbol)
	}
	if t.Of != nil {
		of := t.Of.Simplified()
		t.Of = &of
	}
	return t
}

// MarshalJSON writes a number, a string or null. A string is the file's own text.
func (d Dim) MarshalJSON() ([]byte, error) {
	switch {
	case d.IsFixed():
		return json.Marshal(d.Value)
	case d.Symbol != "":
		return json.Marshal(d.Symbol)
	default:
		return []byte("null"), nil
	}
}

// Shape is the shape of a tensor, nil where not even the rank is known and
// empty for a scalar. In JSON nil is null and a scalar is [].
type Shape []Dim

// FixedShape is a shape of numbers.
func FixedShape(dims []int64) Shape {
	s := make(Shape, len(dims))
	for i, d := range dims {
		s[i] = FixedDim(d)
	}
	return s
}

// String writes a shape as "batch×3×224×224", "scalar", or "?" for an unknown
// rank.
func (s Shape) String() string {
	if s == nil {
		return "?"
	}
	if len(s) == 0 {
		return "scalar"
	}
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = d.String()
	}
	return strings.Join(parts, "×")
}

// String writes a type without its shape: "f32", "seq(f32)", "map(i64,f32)".
func (t Type) String() string {
	of := func() string {
		if t.Of == nil {
			return "?"
		}
		return t.Of.String()
	}
	switch t.Kind {
	case TypeTensor:
		return t.Elem.String()
	case TypeSparse:
		return "sparse(" + t.Elem.String() + ")"
	case TypeSequence:
		return "seq(" + of() + ")"
	case TypeMap:
		return "map(" + t.Elem.String() + "," + of() + ")"
	case TypeOptional:
		return "opt(" + of() + ")"
	case TypeOpaque:
		return "opaque"
	default:
		return "?"
	}
}
