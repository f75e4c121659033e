package edit

import "lathe/graphops"

// contradicts reports whether no value can have both types. Unknown parts contradict nothing.
func contradicts(a, b graphops.Type) bool {
	switch {
	case a.Kind == graphops.TypeUnknown || b.Kind == graphops.TypeUnknown:
		return false
	case a.Kind != b.Kind || a.Elem != b.Elem || compareShapes(a.Shape, b.Shape) == unlike:
		return true
	default:
		return a.Of != nil && b.Of != nil && contradicts(*a.Of, *b.Of)
	}
}

// narrows reports whether a has a number where b has a symbol, so that b also allows other sizes.
// The types must not contradict each other.
func narrows(a, b graphops.Type) bool {
	if a.Of != nil && b.Of != nil && narrows(*a.Of, *b.Of) {
		return true
	}
	for i, d := range a.Shape {
		if i < len(b.Shape) && d.IsFixed() && b.Shape[i].Symbol != "" {
			return true
		}
	}
	return false
}
