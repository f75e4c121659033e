package edit

import (
	"bytes"
	"slices"

	"lathe/graphops"
)

// sameValue reports whether attribute a has the same value, bit by bit, as the one that was typed.
// It is false for kinds that cannot be typed.
func sameValue(a, typed *graphops.Attribute) bool {
	if !a.SameValue(typed) || !statedAlone(a) {
		return false
	}
	switch a.Kind() {
	case graphops.AttrInt, graphops.AttrFloat, graphops.AttrString, graphops.AttrInts, graphops.AttrFloats, graphops.AttrStrings:
		return true
	case graphops.AttrTensor:
		return a.RefName() != "" || sameTensor(a.Tensor(), typed.Tensor())
	}
	return a.RefName() != ""
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
