// Package ties finds out whether two lists of indices choose equal values. If values are equal,
// Sort, TopK and ArgMax may choose any of them, in any order. The same is true of values that
// differ only by rounding. Two models can then return different indices, and neither is wrong.
package ties

import (
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Choice describes an output that contains indices: from which value, and along which axis, they
// were chosen.
type Choice struct {
	From string // the value from which positions are chosen
	Axis int    // negative axes count from the last
	// Several is set if one choice returns several indices along the axis, as TopK does. These must
	// then differ from each other.
	Several bool
}

// passing are operators that keep the number and the order of elements.
var passing = []string{"Identity", "Cast", "Squeeze", "Unsqueeze", "Reshape", "Flatten"}

// Of returns how an output of the main graph was chosen: by TopK, ArgMax or ArgMin, with only
// operators after it that keep the order of elements. It returns false for any other output.
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
		case n.Is("TopK") && len(n.Outputs()) > 1 && n.Output(1) == x.Name(v):
			return Choice{n.Input(0), axis(n, -1), true}, true
		case n.Is("ArgMax") || n.Is("ArgMin"):
			return Choice{n.Input(0), axis(n, 0), false}, true
		case !slices.Contains(passing, n.OpType()) || len(n.Inputs()) == 0:
			return Choice{}, false
		}
		v, ok = x.Value(n.Input(0))
	}
	return Choice{}, false
}

func axis(n *graphops.Node, otherwise int) int {
	if a, ok := n.Attribute("axis"); ok {
		return int(a.Int())
	}
	return otherwise
}

// Equal reports whether the indices in a and b choose values from from that are equal within a
// tolerance. a and b have the shape of from, except that the axis has as many positions as were
// chosen; the axis may also be missing if that is one.
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
