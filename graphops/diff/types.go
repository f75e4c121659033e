package diff

import "lathe/graphops"

// agree reports whether two declared types can belong to the same value. Unknown parts agree with
// everything. Two symbols agree whatever their names.
func agree(x, y graphops.Type) bool {
	if x.Kind == graphops.TypeUnknown || y.Kind == graphops.TypeUnknown {
		return true
	}
	if x.Kind != y.Kind || x.Elem != y.Elem || x.Shape != nil && y.Shape != nil && len(x.Shape) != len(y.Shape) {
		return false
	}
	for i := range min(len(x.Shape), len(y.Shape)) {
		if !agreeDim(x.Shape[i], y.Shape[i]) {
			return false
		}
	}
	return x.Of == nil || y.Of == nil || agree(*x.Of, *y.Of)
}

// agreeDim reports whether two sizes agree. Two symbols agree whatever their names. A number does
// not agree with a symbol. An unknown size agrees with everything.
func agreeDim(x, y graphops.Dim) bool {
	switch {
	case x.IsFixed() && y.IsFixed():
		return x.Value == y.Value
	case x.IsFixed():
		return y.Symbol == ""
	case y.IsFixed():
		return x.Symbol == ""
	default:
		return true
	}
}

// sameType reports whether two types are equal, including symbols. Two spellings of the same
// expression count as equal.
func sameType(x, y graphops.Type) bool {
	if x.Kind != y.Kind || x.Elem != y.Elem || (x.Shape == nil) != (y.Shape == nil) || len(x.Shape) != len(y.Shape) {
		return false
	}
	for i := range x.Shape {
		if x.Shape[i] != y.Shape[i] && x.Shape[i].String() != y.Shape[i].String() {
			return false
		}
	}
	if x.Of == nil || y.Of == nil {
		return x.Of == y.Of
	}
	return sameType(*x.Of, *y.Of)
}
