package simplify

import (
	"fmt"

	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// activation is a function of x alone that is written out: the result is the
// polynomial outer in x and t, where t is what the curve, a node, makes of the
// polynomial inner in x.
type activation struct {
	inner, outer polynomial
	// free tells that the factor of x in inner may be any: it is given to the operator
	// as its attribute alpha.
	free bool
	// scaled tells that the result may be any number times outer, of which a layer
	// behind it has taken the inverse into its weights.
	scaled bool
}

// found is an activation that was found.
type found struct {
	cluster
	x     *rewrite.Value
	alpha float64
}

// maxClimb is how far behind the curve the result can be.
const maxClimb = 6

// find looks for the activation around its curve. The curve's argument is input
// first. What is almost there is refused.
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

// matches compares the curve's argument, and gives the factor alpha if it is free, 1
// otherwise, and 0 where the argument is another one.
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
		return 0, fmt.Sprintf("a constant before it is off by %.1g of what the activation has", d)
	default:
		return 0, ""
	}
}

// climb goes from the curve forward to the node that makes the result, or, where there
// is none, to the first that makes a number of times the result.
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

// whole looks whether the activation is all that needs its nodes, and whether the
// result has the shape of x.
func (f *found) whole(j *job, rank int) *found {
	f.inner = without(f.inner, f.root)
	if v := f.leak(); v != nil {
		j.refuse(f.root, fmt.Sprintf("%q, which is computed on the way, is needed elsewhere, too", v.Name()))
		return nil
	}
	if dims := f.x.Type().Dims; rank > 0 && (dims == nil || len(dims) < rank) {
		j.refuse(f.root, fmt.Sprintf("a constant has %s, and the input is not known to have as many", counted(rank, "axis", "axes")))
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

// modern is the version of the standard from which on shapes are broadcast as
// everywhere today; fusions leave older graphs alone.
const modern = 7
