package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// tolerance decides which contradictions ONNX Runtime may accept.
type tolerance struct {
	*subject
	transposes map[*graphops.Place]int // number of Transposes
}

// known reports whether runs may succeed at a node with a contradiction: because a function
// replaces the operator and does not use the wrong part, or because the optimizer removes the node.
func (t tolerance) known(p shape.Problem) bool {
	n := site{p.Place.Graph.Nodes()[p.Node], p.Place, p.Node}
	if n.Domain() != graphops.DefaultDomain {
		return false
	}
	switch n.StandardOp() {
	case "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss":
		return len(t.sizes(n, 2)) == 1 && t.targetsFit(n)
	case "GroupNormalization":
		return t.broadcasts(n, 1) || t.broadcasts(n, 2)
	case "Slice": // ONNX Runtime's inference does not check its bounds
		return t.mayNotRun(p.Place, p.Node)
	case "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare":
		return t.isOldScalar(n)
	case "HannWindow", "HammingWindow", "BlackmanWindow":
		return t.isFedOne(n)
	case "Softmax", "LogSoftmax", "Hardmax":
		return t.isCutToAxis(n)
	case "Transpose":
		return t.isShortened(n) && t.countTransposes(p.Place) > 1
	default:
		return false
	}
}

// targetsFit reports whether the targets of a loss fit the scores, so that the weights are the
// problem.
func (t tolerance) targetsFit(n site) bool {
	d, targets := t.sizes(n, 0), t.sizes(n, 1)
	if len(d) < 2 || len(targets) != len(d)-1 {
		return false
	}
	return !anyApart(targets[:1], d[:1]) && !anyApart(targets[1:], d[2:])
}

// broadcasts reports whether an input has one element.
func (t tolerance) broadcasts(n site, input int) bool {
	d := t.sizes(n, input)
	if d == nil || len(d) > 1 {
		return false
	}
	for _, size := range d {
		if one, ok := size.Number(); !ok || one != 1 {
			return false
		}
	}
	return true
}

// isOldScalar reports whether a reduction of a scalar has the first version, whose kernels pass
// scalars on and whose inference does not check axes.
func (t tolerance) isOldScalar(n site) bool {
	schema, d := t.schema(n), t.sizes(n, 0)
	return schema != nil && schema.Since == 1 && d != nil && len(d) == 0
}

// isFedOne reports whether a node may read a single element that is not constant, with any
// number of axes. The inference only checks constants.
func (t tolerance) isFedOne(n site) bool {
	_, stored := constantInput(n, 0)
	d := t.sizes(n, 0)
	return stored == nil && d != nil && !dim.Apart(dim.Product(d...), dim.Number(1))
}

// isCutToAxis reports whether the lower 32 bits of an axis, which are all that ONNX Runtime
// reads, are valid.
func (t tolerance) isCutToAxis(n site) bool {
	axis, known := settings{n}.number("axis", 0)
	rank := int64(len(t.sizes(n, 0)))
	cut := int64(int32(axis))
	return known && cut != axis && -rank <= cut && cut < rank
}

// isShortened reports whether a Transpose omits axes of its input, which ONNX Runtime's
// inference accepts. The given axes must be a permutation, otherwise no kernel is created.
func (t tolerance) isShortened(n site) bool {
	perm, known := settings{n}.ints("perm")
	return known && len(perm) < len(t.sizes(n, 0)) && isPermutation(perm)
}

func isPermutation(perm []int64) bool {
	sorted := slices.Sorted(slices.Values(perm))
	for i, axis := range sorted {
		if axis != int64(i) {
			return false
		}
	}
	return true
}

func (t tolerance) countTransposes(p *graphops.Place) int {
	count, known := t.transposes[p]
	if !known {
		for _, n := range p.Graph.Nodes() {
			if n.Is("Transpose") {
				count++
			}
		}
		t.transposes[p] = count
	}
	return count
}
