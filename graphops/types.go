package graphops

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// TypeKind is a kind of value, such as a tensor or a sequence.
type TypeKind uint8

// The kinds of value.
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
	Elem tensor.DType // of a tensor; for a map, the type of its keys
	// Shape is the shape of a tensor. It is nil if the rank is unknown.
	Shape Shape
	// Of is the element type of a sequence or optional, or the type of a map's values. It is nil if
	// unknown and for other kinds.
	Of *Type
}

// Dim is one dimension of a shape: a number, a symbol, or unknown.
type Dim struct {
	Value  int64  // -1 if it is not a number
	Symbol string // empty if it has none
}

// FixedDim returns a dimension of known size.
func FixedDim(n int64) Dim { return Dim{Value: n} }

// SymbolDim returns a dimension with a symbol.
func SymbolDim(name string) Dim { return Dim{Value: -1, Symbol: name} }

// IsFixed reports whether the dimension is a number.
func (d Dim) IsFixed() bool { return d.Value >= 0 }

// String returns a number, a symbol or "?" for display. Expressions of symbols are simplified, so
// that equal expressions look the same. The field Symbol has the text as it is in the file.
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

// Simplified returns the type for display, with expressions of symbols simplified.
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

// MarshalJSON writes a number, a string or null. The string is the symbol as it is in the file.
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

// Shape is the shape of a tensor. It is nil if the rank is unknown, which JSON writes as null. It
// is empty for a scalar, which JSON writes as [].
type Shape []Dim

// FixedShape returns a shape of numbers.
func FixedShape(dims []int64) Shape {
	s := make(Shape, len(dims))
	for i, d := range dims {
		s[i] = FixedDim(d)
	}
	return s
}

// String formats a shape as "batch×3×224×224", "scalar", or "?" for an unknown rank. A size that is a
// sum or a product stands in parentheses if there are other sizes: "batch×(past+1)×64".
func (s Shape) String() string {
	if s == nil {
		return "?"
	}
	if len(s) == 0 {
		return "scalar"
	}
	parts := make([]string, len(s))
	for i := range s {
		parts[i] = s.Size(i)
	}
	return strings.Join(parts, "×")
}

// Size formats a size as String does.
func (s Shape) Size(axis int) string {
	text := s[axis].String()
	if len(s) > 1 && isSumOrProduct(text) {
		return "(" + text + ")"
	}
	return text
}

// isSumOrProduct reports whether an expression has an operator outside of parentheses. It ignores a hyphen
// within a name, as in "seq-len".
func isSumOrProduct(expression string) bool {
	depth := 0
	for i := range len(expression) {
		switch expression[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '+', '*', '/':
			if depth == 0 {
				return true
			}
		case '-':
			next := strings.TrimSpace(expression[i+1:])
			if depth == 0 && i > 0 && next != "" && (expression[i-1] == ' ' || next[0] >= '0' && next[0] <= '9') {
				return true
			}
		}
	}
	return false
}

// String formats a type without its shape: "f32", "seq(f32)", "map(i64,f32)".
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
