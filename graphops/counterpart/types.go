package counterpart

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// comparableTypes reports whether values of the two types could be the same value in two models. This
// requires that both are of the same kind, such as tensors, that the elements are of the same kind,
// such as floats of any width, and that the shapes do not contradict each other. Unknown types and
// sizes contradict nothing.
func comparableTypes(a, b graphops.Type) bool {
	return comparableKinds(a, b) && comparableShapes(a.Shape, b.Shape)
}

// comparableKinds is like comparableTypes, but ignores the shapes.
func comparableKinds(a, b graphops.Type) bool {
	if a.Kind == graphops.TypeUnknown || b.Kind == graphops.TypeUnknown {
		return true
	}
	if a.Kind != b.Kind {
		return false
	}
	if a.Of != nil && b.Of != nil {
		return comparableKinds(*a.Of, *b.Of)
	}
	return comparableElements(a.Elem, b.Elem)
}

func comparableElements(a, b tensor.DType) bool {
	if a == tensor.Undefined || b == tensor.Undefined || a == b {
		return true
	}
	return isWhole(a) && isWhole(b) || a.Kind() == b.Kind()
}

// isWhole reports whether elements are integers.
func isWhole(d tensor.DType) bool {
	return d.Kind() == tensor.KindSigned || d.Kind() == tensor.KindUnsigned
}

func comparableShapes(a, b graphops.Shape) bool {
	if a == nil || b == nil {
		return true
	}
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].IsFixed() && b[i].IsFixed() && a[i].Value != b[i].Value {
			return false
		}
	}
	return true
}
