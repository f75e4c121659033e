package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// tolerance tells which contradictions ONNX Runtime may live with.
type tolerance struct {
	*subject
	transposes map[*graphops.Place]int // how many there are
}

// known reports whether runs may come through at a node with a contradiction: where a
// function stands for the operator, and does without what does not fit, and where
// the optimizer takes the node away.
func (t tolerance) known(p shape.Problem) bool {
	n := site{p.Place.Graph.Nodes()[p.Node], p.Place, p.Node}
	if n.Domain() != graphops.DefaultDomain {
		return false
	}
	switch n.OpType() {
	case "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss":
		return len(t.sizes(n, 2)) == 1 && t.targetsFit(n)
	case "GroupNormalization":
		return t.broadcasts(n, 1) || t.broadcasts(n, 2)
	case "Slice": // whose bounds ONNX Runtime's inference does not look at
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

// targetsFit reports whether the targets of a loss fit what comes in, so that it is the
// weights that do not.
func (t tolerance) targetsFit(n site) bool {
	d, targets := t.sizes(n, 0), t.sizes(n, 1)
	if len(d) < 2 || len(targets) != len(d)-1 {
		return false
	}
	return !anyApart(targets[:1], d[:1]) && !anyApart(targets[1:], d[2:])
}

// broadcasts reports whether an input is of one element.
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

// isOldScalar reports whether a reduction of a scalar is of the first version, whose
// kernels hand scalars on and whose inference does not look at axes.
func (t tolerance) isOldScalar(n site) bool {
	schema, d := t.schema(n), t.sizes(n, 0)
	return schema != nil && schema.Since == 1 && d != nil && len(d) == 0
}

// isFedOne reports whether a node may read a single element that is not constant, in
// however many axes. The inference looks at constants alone.
func (t tolerance) isFedOne(n site) bool {
	_, stored := constantInput(n, 0)
	d := t.sizes(n, 0)
	return stored == nil && d != nil && !dim.Apart(dim.Product(d...), dim.Number(1))
}

// isCutToAxis reports whether the lower 32 bits of an axis name one, which are all that
// ONNX Runtime reads.
func (t tolerance) isCutToAxis(n site) bool {
	axis, known := settings{n}.number("axis", 0)
	rank := int64(len(t.sizes(n, 0)))
	cut := int64(int32(axis))
	return known && cut != axis && -rank <= cut && cut < rank
}

// isShortened reports whether a Transpose lacks axes of what comes in, which ONNX
// Runtime's inference lets pass. The axes that it has must be a permutation, or no kernel
// is made.
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
			if n.OpType() == "Transpose" {
				count++
			}
		}
		t.transposes[p] = count
	}
	return count
}
