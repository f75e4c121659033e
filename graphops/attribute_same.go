package graphops

import (
	"math"
	"slices"
)

// SameValue reports whether two attributes have the same number, text or list of these, bit by bit,
// or refer to the same attribute of a function. Of tensors, graphs and types it only compares the
// kind.
func (a *Attribute) SameValue(b *Attribute) bool {
	if a.Kind() != b.Kind() || a.RefName() != b.RefName() {
		return false
	}
	sameFloat := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	switch a.Kind() {
	case AttrInt:
		return a.Int() == b.Int()
	case AttrFloat:
		return sameFloat(a.Float(), b.Float())
	case AttrString:
		return a.Text() == b.Text()
	case AttrInts:
		return slices.Equal(a.Ints(), b.Ints())
	case AttrFloats:
		return slices.EqualFunc(a.Floats(), b.Floats(), sameFloat)
	case AttrStrings:
		return slices.Equal(a.Texts(), b.Texts())
	default:
		return true
	}
}
