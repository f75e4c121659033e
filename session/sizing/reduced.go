package sizing

import (
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Prefer makes the search propose smaller sizes than usual if the inputs would take more than most
// bytes. bytes returns how many they take. Sizes that are given, or that conditions demand, stay, so
// that a proposal can still take more.
func (q *Search) Prefer(most int64, bytes func(sizes map[string]int64) int64) {
	q.most, q.bytes = most, bytes
}

func (q *Search) isLarge(sizes []int64) bool {
	return sizes != nil && q.bytes != nil && q.bytes(q.system.bySymbol(sizes)) > q.most
}

// reduced halves the sizes of a solution until the inputs are no longer too large. If they stay too
// large, it returns the smallest sizes that it found.
func (q *Search) reduced(targets []target, sizes []int64) []int64 {
	targets = slices.Clone(targets)
	for q.isLarge(sizes) {
		smaller := false
		for i, t := range targets {
			if half := max(sizes[i]/2, 1); !t.fixed && half < sizes[i] {
				targets[i].size, smaller = half, true
			}
		}
		if !smaller {
			break
		}
		next := q.solve(targets, false)
		if next == nil || q.bytes(q.system.bySymbol(next)) >= q.bytes(q.system.bySymbol(sizes)) {
			break
		}
		sizes = next
	}
	return sizes
}

// textBytes is how much memory an element that is a text takes at least.
const textBytes = 16

// Bytes returns how many bytes the tensors of inputs take when symbols have these sizes, or the
// largest number if they take more.
func Bytes(types []graphops.NamedType, sizes map[string]int64) int64 {
	total := int64(0)
	for _, in := range types {
		var is []int64
		for _, d := range ShapeAt(in, sizes) {
			if d.IsFixed() {
				is = append(is, d.Value)
			}
		}
		n, err := tensor.Elements(is)
		switch elem := leaf(in.Type).Elem; {
		case err != nil:
		case elem == tensor.String && n < math.MaxInt64/textBytes:
			n *= textBytes
		case elem.Bits() > 0:
			n, err = elem.ByteLen(n)
		}
		if err != nil || n > math.MaxInt64-total {
			return math.MaxInt64
		}
		total += n
	}
	return total
}
