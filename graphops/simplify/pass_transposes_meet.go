package simplify

import (
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
)

var meetTransposes = &pass{
	name:   "meet-transposes",
	title:  "two Transposes with only elementwise operators, or changes of axes of size 1, between them become one, or none",
	reason: "the operators between them compute each element independently of its position",
	after:  []string{"fold-transposes"},
	ops:    []string{"Transpose"},
	node: func(_ *job, n *rewrite.Node) string {
		if !isTranspose(n) || n.Out(0) == nil {
			return ""
		}
		between, first := upToTranspose(n)
		if first == nil || len(between) == 0 {
			return ""
		}
		perm := permOf(first)
		made := make([][]int, len(between))
		for i, b := range between {
			made[i] = axesMade(b)
		}
		between[0].SetInput(transposedInput(between[0]), first.In(0))
		for i, b := range between {
			perm = moveBefore(b, perm, made[i])
		}
		setPerm(n, composed(perm, permOf(n)))
		n.Stands(first)
		first.Remove()
		if isIdentity(permOf(n)) {
			n.PassOn(n.In(0))
		}
		return "merged with the Transpose on the other side of the elementwise operators"
	},
}

// upToTranspose returns the nodes between Transpose n and an earlier Transpose, first, in graph
// order. Each of them must be able to run before or after a Transpose.
func upToTranspose(n *rewrite.Node) (between []*rewrite.Node, first *rewrite.Node) {
	at := n
	for {
		v := at.In(max(transposedInput(at), 0))
		if v == nil || v.Reader() != at || v.Producer() == nil || v.Producer().Graph() != n.Graph() {
			return nil, nil
		}
		at = v.Producer()
		if isTranspose(at) {
			slices.Reverse(between)
			return between, at
		}
		if transposedInput(at) < 0 {
			return nil, nil
		}
		between = append(between, at)
	}
}

// elementwise are operators that compute each element from the same element of their first
// input, and scalars.
var elementwise = []string{
	"Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Cast", "Ceil", "Celu", "Clip", "Cos", "Cosh",
	"Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish", "Identity", "IsInf", "IsNaN", "LeakyRelu", "Log", "Mish", "Neg", "Not",
	"Reciprocal", "Relu", "Round", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Swish", "Tan",
	"Tanh", "ThresholdedRelu",
}

// transposedInput returns the index of the input of a node such that transposing this input has the
// same effect as transposing the output; -1 if there is none.
func transposedInput(n *rewrite.Node) int {
	switch {
	case n.In(0).Dims() == nil || n.Out(0).Dims() == nil || len(n.Outputs()) != 1:
		return -1
	case n.Is("Transpose"), n.Is(elementwise...):
		return 0
	case n.Is("Squeeze", "Unsqueeze") && axesMade(n) != nil && n.Graph().Opset("") >= sinceAxesInput:
		return 0
	case n.Is("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min") && len(n.Inputs()) == 2:
		for i := range 2 {
			if hasOneElement(n.In(1-i)) && len(n.In(1-i).Dims()) <= len(n.In(i).Dims()) {
				return i
			}
		}
	}
	return -1
}

// hasOneElement reports whether a value is a tensor with a single element.
func hasOneElement(v *rewrite.Value) bool {
	dims := v.Dims()
	return dims != nil && !slices.ContainsFunc(dims, func(d dim.Dim) bool { return !d.Is(1) })
}

// moveBefore gives a node that moves before a Transpose its new axes and its new type, and returns
// the permutation that the Transpose after it needs. made has the output axes if the node is a
// Squeeze or Unsqueeze.
func moveBefore(n *rewrite.Node, perm, made []int) []int {
	if made == nil {
		retype(n.Out(0), perm)
		return perm
	}
	rank := len(perm)
	if n.Is("Squeeze") {
		return squeezeBefore(n, perm, made)
	}
	// Unsqueeze: new axes keep their positions, and the others their order.
	old := make([]int, 0, rank)
	for i, axis := range made {
		if axis != added {
			old = append(old, i)
		}
	}
	after := make([]int, len(made))
	for i, axis := range made {
		if after[i] = i; axis != added {
			after[i] = old[perm[axis]]
		}
	}
	retype(n.Out(0), after)
	return after
}

// squeezeBefore makes a Squeeze drop the axes at their positions before the permutation.
func squeezeBefore(n *rewrite.Node, perm, made []int) []int {
	var gone []int64
	position := make([]int, len(perm)) // of an axis among the remaining ones
	left := 0
	kept := make([]bool, len(perm))
	for _, axis := range made {
		kept[perm[axis]] = true
	}
	for axis := range perm {
		if position[axis] = left; kept[axis] {
			left++
		} else {
			gone = append(gone, int64(axis))
		}
	}
	after := make([]int, len(made))
	for i, axis := range made {
		after[i] = position[perm[axis]]
	}
	retype(n.Out(0), after)
	withAxes(n, "Squeeze", n.In(0), gone)
	return after
}

// retype sets the type that a value had before a permutation.
func retype(v *rewrite.Value, perm []int) {
	t := v.Type()
	dims := make([]dim.Dim, len(perm))
	for i, p := range perm {
		dims[p] = t.Dims[i]
	}
	t.Dims = dims
	v.SetType(t)
}
