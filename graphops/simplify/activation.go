package simplify

import (
	"fmt"

	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// activation is an activation function that is written as several nodes. One of them, the curve, is
// the function that is not a polynomial, such as Erf or Tanh. It computes t from the polynomial
// inner in x, and the result is the polynomial outer in x and t.
type activation struct {
	inner, outer polynomial
	// free is set if inner may be multiplied by any factor. The factor becomes the operator's
	// attribute alpha.
	free bool
	// scaled is set if the result may be any multiple of outer. Such a factor remains if its
	// inverse was merged into the weights of the next layer.
	scaled bool
}

// found is an activation that was found.
type found struct {
	cluster
	x     *rewrite.Value
	alpha float64
}

// maxClimb is the maximum number of nodes between the curve and the result.
const maxClimb = 6

// find searches for the nodes of the activation around its curve. argument is the input of the
// curve. If the nodes almost match, it reports why they do not.
func (a activation) find(j *job, curve *rewrite.Node, argument *rewrite.Value) *found {
	for _, x := range arguments(argument) {
		in := &expression{x: x}
		p, ok := in.read(argument)
		if !ok || !isFloat(x) {
			continue
		}
		alpha, bad := a.matches(p, x.Type().Elem)
		if bad != "" {
			j.refuse(curve, bad)
			return nil
		}
		if alpha == 0 {
			continue
		}
		f := &found{x: x, alpha: alpha}
		f.add(in.nodes...)
		if rank, ok := f.climb(a, curve); ok {
			return f.whole(j, max(rank, in.rank))
		}
	}
	return nil
}

// matches compares the argument of the curve with inner. alpha is the factor if it may be any, 1 if
// the polynomials are equal, and otherwise 0. bad is the reason if they almost match.
func (a activation) matches(p polynomial, elem tensor.DType) (alpha float64, bad string) {
	if a.free {
		f, ok := p[power{1, 0}]
		if !ok || len(p) != 1 || f != f || f-f != 0 {
			return 0, ""
		}
		return f, ""
	}
	switch d := p.apart(a.inner); {
	case d <= precision(elem):
		return 1, ""
	case d <= almost:
		return 0, fmt.Sprintf("a constant in the nodes before it differs from the one that defines the activation (relative difference %.1g)", d)
	default:
		return 0, ""
	}
}

// climb follows the nodes after the curve to the one that computes the result, or else to the first
// one that computes a multiple of it.
func (f *found) climb(a activation, curve *rewrite.Node) (rank int, ok bool) {
	t := curve.Out(0)
	var nodes []*rewrite.Node
	for v, steps := t, 0; steps < maxClimb; steps++ {
		n := v.Reader()
		if !n.Is("Add", "Sub", "Mul", "Div") || n.Graph() != curve.Graph() || n.Out(0) == nil {
			break
		}
		e := &expression{x: f.x, t: t}
		if p, whole := e.read(n.Out(0)); whole {
			times := p.multiple(a.outer, precision(f.x.Type().Elem))
			if times == 1 || times != 0 && a.scaled && !ok {
				f.root, f.factor, nodes, rank, ok = n, times, e.nodes, e.rank, true
			}
			if times == 1 {
				break
			}
		}
		v = n.Out(0)
	}
	if ok {
		f.add(append(nodes, curve)...)
	}
	return rank, ok
}

// whole checks that nothing else needs the intermediate values, and that the result has the shape
// of x. It returns nil if this is not the case.
func (f *found) whole(j *job, rank int) *found {
	f.inner = without(f.inner, f.root)
	if v := f.leak(); v != nil {
		j.refuse(f.root, fmt.Sprintf("the intermediate value %q is also needed elsewhere", v.Name()))
		return nil
	}
	if dims := f.x.Type().Dims; rank > 0 && (dims == nil || len(dims) < rank) {
		j.refuse(f.root, fmt.Sprintf("a constant has %s, but the input is not known to have as many", counted(rank, "axis", "axes")))
		return nil
	}
	return f
}

func without(nodes []*rewrite.Node, n *rewrite.Node) []*rewrite.Node {
	out := nodes[:0]
	for _, o := range nodes {
		if o != n {
			out = append(out, o)
		}
	}
	return out
}

// modern is the opset from which broadcasting works as it does today. Fusions do not change models
// with an earlier one.
const modern = 7
