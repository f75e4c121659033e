package opset

import (
	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// oneAxis converts a Softmax, LogSoftmax or Hardmax. Up to version 12, it works on all axes from
// the stated one on, as if they were one axis. Later versions work on one axis. If more than one of
// these axes may have several elements, they are merged into one axis first, and the output is
// reshaped back.
func oneAxis(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	axis, err := intOr(n, "axis", 1)
	if err != nil {
		return nil, err
	}
	x := n.Inputs()[0]
	if axis == -1 || s.isLast(x, axis) {
		return s.one(with(n, graphops.IntAttribute("axis", axis)), "the axis is stated, and all axes after it have size 1")
	}
	t := shape.Type{Kind: graphops.TypeTensor, Elem: s.typ(x).Elem}
	y := n.Outputs()[0]
	flat, of, result := s.fresh(y+"_flat", t), s.fresh(y+"_shape", shape.Type{Kind: graphops.TypeTensor, Elem: tensor.I64}), s.fresh(y+"_flat_result", t)
	s.said = "the axes from the stated one on are merged into one"
	return []*graphops.Node{
		s.follow(n, "Shape", []string{x}, []string{of}),
		s.follow(n, "Flatten", []string{x}, []string{flat}, graphops.IntAttribute("axis", axis)),
		with(n, graphops.IntAttribute("axis", -1)).WithInputs([]string{flat}).WithOutputs([]string{result}),
		s.follow(n, "Reshape", []string{result, of}, []string{y}),
	}, nil
}

// isLast reports whether all axes after the given one are known to have size 1.
func (s *step) isLast(name string, axis int64) bool {
	rank, err := s.rank(name)
	if axis < 0 {
		axis += int64(rank)
	}
	if err != nil || axis < 0 || axis >= int64(rank) {
		return false
	}
	for i := int(axis) + 1; i < rank; i++ {
		if size, ok := s.size(name, i); !ok || size != 1 {
			return false
		}
	}
	return true
}
