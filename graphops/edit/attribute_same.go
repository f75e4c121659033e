package edit

import (
	"bytes"
	"math"
	"slices"

	"lathe/graphops"
)

// sameValue reports whether attribute a has the same value, bit by bit, as the one that was typed.
// It is false for kinds that cannot be typed.
func sameValue(a, typed *graphops.Attribute) bool {
	if a.Kind() != typed.Kind() || a.RefName() != typed.RefName() || !statedAlone(a) {
		return false
	}
	if a.RefName() != "" {
		return true
	}
	sameFloat := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	switch a.Kind() {
	case graphops.AttrInt:
		return a.Int() == typed.Int()
	case graphops.AttrFloat:
		return sameFloat(a.Float(), typed.Float())
	case graphops.AttrString:
		return a.Text() == typed.Text()
	case graphops.AttrInts:
		return slices.Equal(a.Ints(), typed.Ints())
	case graphops.AttrFloats:
		return slices.EqualFunc(a.Floats(), typed.Floats(), sameFloat)
	case graphops.AttrStrings:
		return slices.Equal(a.Texts(), typed.Texts())
	case graphops.AttrTensor:
		return sameTensor(a.Tensor(), typed.Tensor())
	}
	return false
}

// statedAlone reports whether an attribute states its type and holds a value of that type only. If
// not, a typed attribute with the same value still changes the file.
func statedAlone(a *graphops.Attribute) bool {
	stated := a.Stated()
	return (stated != graphops.AttrUndefined || a.RefName() != "") &&
		!slices.ContainsFunc(a.Holds(), func(k graphops.AttributeKind) bool { return k != stated })
}

// sameTensor reports whether two tensors are equal, bit by bit. It is false if a cannot be read.
func sameTensor(a, typed *graphops.Tensor) bool {
	if a == nil || a.DType() != typed.DType() || !slices.Equal(a.Dims(), typed.Dims()) {
		return false
	}
	x, errX := a.Read()
	y, errY := typed.Read()
	return errX == nil && errY == nil && bytes.Equal(x.Data, y.Data) && slices.Equal(x.Strings, y.Strings)
}
