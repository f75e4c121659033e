package simplify

import (
	"lathe/graphops/rewrite"
)

// angles are the cosines or sines of a rotary embedding. Both halves of their last axis are equal.
type angles struct {
	full *rewrite.Value // batch × 1 × steps × size, as used in the product
	// angle is one half, before the nodes in steps compute the cosines or sines from it. The last
	// node comes first.
	angle *rewrite.Value
	steps []*rewrite.Node
}

// key returns the value that identifies the angles. Angles that only differ in added axes have the
// same key, so they share the new nodes.
func (a angles) key() *rewrite.Value {
	if len(a.steps) > 0 {
		return a.steps[0].Out(0)
	}
	return a.angle
}

// anglesOf traces cosines or sines back to where their halves are joined.
func anglesOf(v *rewrite.Value) (a angles, why string) {
	a.full = v
	if len(v.Type().Dims) != 4 {
		return a, "the axes of the angles are not known"
	}
	unsqueezed := false
	for range maxBetween {
		n := v.Producer()
		switch {
		case n.Is("Unsqueeze") && !unsqueezed && unsqueezes(n, 1):
			unsqueezed, v = true, n.In(0)
		case n.Is("Cos", "Sin"):
			a.steps, v = append(a.steps, n), n.In(0)
		case n.Is("Cast", "Identity") && sameDims(n.In(0), v):
			v = n.In(0)
		case n.Is("Mul") && scaledValue(n) != nil:
			a.steps, v = append(a.steps, n), scaledValue(n)
		case n.Is("Concat") && unsqueezed && len(n.Inputs()) == 2 && n.In(0) == n.In(1) && isLast(n.Int("axis", 0), v):
			a.angle = n.In(0)
			if len(a.angle.Type().Dims) != 3 {
				return a, "the axes of the angles are not known"
			}
			return a, ""
		default:
			return a, "it is not certain that both halves have the same angles"
		}
	}
	return a, "it is not certain that both halves have the same angles"
}

// scaledValue returns the other factor if a Mul multiplies by one constant number.
func scaledValue(n *rewrite.Node) *rewrite.Value {
	for i := range 2 {
		if _, ok := n.In(i).Float(); ok && sameDims(n.In(1-i), n.Out(0)) {
			return n.In(1 - i)
		}
	}
	return nil
}

// unsqueezes reports whether a node adds one axis at this position.
func unsqueezes(n *rewrite.Node, axis int64) bool {
	axes, ok := n.Ints("axes")
	if !ok {
		axes, ok = n.In(1).Ints()
	}
	rank := int64(len(n.In(0).Type().Dims)) + 1
	return ok && len(axes) == 1 && (axes[0] == axis || axes[0] == axis-rank)
}

// half creates nodes for one half of the cosines or sines: batch × steps × half of the head size.
func (a angles) half(at *rewrite.Node) *rewrite.Value {
	v := a.angle
	for i := len(a.steps) - 1; i >= 0; i-- {
		n := a.steps[i]
		in := n.Inputs()
		for k, old := range in {
			if len(in) == 1 || old == nil || old.Constant() == nil {
				in[k] = v
			}
		}
		v = insertOne(at, n.Op(), tensorType(v, v.Type().Dims...), in)
	}
	return v
}
