// Package ties reports whether two lists of indices choose equal values. Sorting, TopK and ArgMax
// may choose among equal values as they like, and order them as they like. The same holds for
// values that differ only by rounding. Different indices are not a fault then.
package ties

import (
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Choice describes an output that contains positions along an axis of a value.
type Choice struct {
	From string // the value from which positions are chosen
	Axis int    // negative axes count from the last
	// Several is set if several positions along the axis are chosen together, so that no two of
	// them can be equal.
	Several bool
}

// passing are operators that keep the number and the order of elements.
var passing = []string{"Identity", "Cast", "Squeeze", "Unsqueeze", "Reshape", "Flatten"}

// Of reports how an output of the main graph was chosen: by TopK, ArgMax or ArgMin, with only
// operators after it that do not move elements.
func Of(m *graphops.Model, output string) (Choice, bool) {
	x := m.Graph().Index()
	v, ok := x.Value(output)
	for ok {
		at := x.Producer(v)
		if at < 0 {
			return Choice{}, false
		}
		n := m.Graph().Nodes()[at]
		switch {
		case n.Domain() != graphops.DefaultDomain:
			return Choice{}, false
		case n.OpType() == "TopK" && len(n.Outputs()) > 1 && n.Outputs()[1] == x.Name(v):
			return Choice{n.Inputs()[0], axis(n, -1), true}, true
		case n.OpType() == "ArgMax" || n.OpType() == "ArgMin":
			return Choice{n.Inputs()[0], axis(n, 0), false}, true
		case !slices.Contains(passing, n.OpType()) || len(n.Inputs()) == 0:
			return Choice{}, false
		}
		v, ok = x.Value(n.Inputs()[0])
	}
	return Choice{}, false
}

func axis(n *graphops.Node, otherwise int) int {
	if a, ok := n.Attribute("axis"); ok {
		return int(a.Int())
	}
	return otherwise
}

// Equal reports whether the positions in a and b choose values that are equal within a tolerance.
// Both must have the same number of elements, in the order of the value with its axis replaced by
// the number of chosen positions.
func (c Choice) Equal(from, a, b tensor.Tensor, tol tensor.Tolerance) bool {
	values, err := from.Float64s()
	ia, errA := a.Float64s()
	ib, errB := b.Float64s()
	at := c.Axis
	if at < 0 {
		at += len(from.Shape)
	}
	if err != nil || errA != nil || errB != nil || len(ia) != len(ib) || at < 0 || at >= len(from.Shape) {
		return false
	}
	size := from.Shape[at]
	outer, inner := product(from.Shape[:at]), product(from.Shape[at+1:])
	if rows := outer * inner; rows == 0 || int64(len(ia))%rows != 0 {
		return false
	}
	chosen := int64(len(ia)) / (outer * inner)
	for o := range outer {
		for i := range inner {
			seen := map[int64]bool{}
			for k := range chosen {
				e := (o*chosen+k)*inner + i
				pa, pb := int64(ia[e]), int64(ib[e])
				if pa < 0 || pa >= size || pb < 0 || pb >= size || c.Several && seen[pb] {
					return false
				}
				seen[pb] = true
				if !near(values[(o*size+pa)*inner+i], values[(o*size+pb)*inner+i], tol) {
					return false
				}
			}
		}
	}
	return true
}

func near(x, y float64, tol tensor.Tolerance) bool {
	return x == y || math.Abs(x-y) <= tol.ATol+tol.RTol*math.Abs(x)
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}
