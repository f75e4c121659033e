package simplify

import (
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// hiding is the largest number that, in place of a score, has no effect beside another score.
// GPT-2 masks later positions with -10000, and in 32 bits e^-1000 is already 0. This holds if no
// row has only scores below -9000.
const hiding = -1e4

// hides reports whether a mask that replaces scores by a number has the same effect as one that
// removes them: each row keeps at least one score, and beside it the number has no effect.
func (m mask) hides(scores *rewrite.Value) bool {
	return m.value <= hiding && (scores.Type().Elem == tensor.F32 || isDouble(scores)) && firstColumn(m.condition, m.keep, spanSteps)
}

// firstColumn reports whether the first element of each row of a condition is always equal to want.
// The condition must be cut from a constant table. steps limits how far it is traced.
func firstColumn(v *rewrite.Value, want bool, steps int) bool {
	d := v.Type().Dims
	if steps == 0 || len(d) == 0 || !d[len(d)-1].AtLeast(dim.Number(1)) {
		return false
	}
	if v.Constant() != nil {
		return firstOfTable(v, want)
	}
	switch n := v.Producer(); {
	case n.Is("Cast") && n.In(0).Type().Elem.Kind() != tensor.KindString, n.Is("Identity"):
		return firstColumn(n.In(0), want, steps-1)
	case n.Is("Slice") && cutsFromFirst(n, len(d)-1):
		return firstColumn(n.In(0), want, steps-1)
	case n.Is("Unsqueeze", "Reshape") && sameColumns(n.In(0).Type().Dims, d):
		return firstColumn(n.In(0), want, steps-1)
	}
	return false
}

// sameColumns reports whether the last axes of two shapes are equal.
func sameColumns(a, b []dim.Dim) bool {
	return len(a) > 0 && len(b) > 0 && a[len(a)-1].Equal(b[len(b)-1])
}

// maxTable is the maximum number of elements of a constant table of masks that is read: 2048 × 2048
// positions.
const maxTable = 1 << 22

func firstOfTable(v *rewrite.Value, want bool) bool {
	t, ok := v.Small(maxTable)
	if !ok {
		return false
	}
	list, err := t.Float64s()
	if err != nil || len(list) == 0 {
		return false
	}
	columns := int(t.Shape[len(t.Shape)-1])
	for i := 0; i < len(list); i += columns {
		if (list[i] != 0) != want {
			return false
		}
	}
	return true
}

// cutsFromFirst reports whether a Slice takes a range of an axis that starts with the first
// element.
func cutsFromFirst(n *rewrite.Node, axis int) bool {
	dims := n.In(0).Type().Dims
	axes, ok := sliceNumbers(n, "axes", 3)
	strides, ok2 := sliceNumbers(n, "", 4)
	if dims == nil || !ok || !ok2 {
		return false
	}
	starts := firsts(n)
	if axes == nil {
		for i := range starts {
			axes = append(axes, int64(i))
		}
	}
	places, ok := fromZero(axes, len(dims))
	if !ok || len(places) != len(starts) || strides != nil && len(strides) != len(starts) {
		return false
	}
	for i, place := range places {
		if place == axis && (!starts[i].Is(0) || strides != nil && strides[i] < 1) {
			return false
		}
	}
	return true
}

// firsts returns the starts of a Slice, as far as they are known.
func firsts(n *rewrite.Node) []dim.Dim {
	list, ok := sliceNumbers(n, "starts", 1)
	if !ok {
		return n.In(1).Known().Sizes()
	}
	out := make([]dim.Dim, len(list))
	for i, start := range list {
		out[i] = dim.Number(start)
	}
	return out
}
