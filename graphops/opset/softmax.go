package opset

import (
	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// oneAxis converts a Softmax, LogSoftmax or Hardmax. Up to version 12, it works on all axes from
// the stated one on, as if they were one axis. Later versions work on one axis. If more than one of
// these axes may have several elements, they are merged into one axis first, and the output is
// reshaped back.
func oneAxis(s *step) string {
	axis := s.int("axis", 1)
	x, y := s.n.In(0), s.n.Out(0)
	if axis == -1 || s.isLast(x, axis) {
		s.n.SetAttribute(graphops.IntAttribute("axis", axis))
		return "the axis is stated, and all axes after it have size 1"
	}
	elem := s.typ(x).Elem
	flat, of, result := s.value(y, "flat", elem), s.value(y, "shape", tensor.I64), s.value(y, "flat_result", elem)
	s.ahead("Shape", of, values{x})
	s.ahead("Flatten", flat, values{x}, graphops.IntAttribute("axis", axis))
	s.n.SetAttribute(graphops.IntAttribute("axis", -1))
	s.n.SetInput(0, flat)
	s.n.SetOutput(0, result)
	s.behind("Reshape", y, values{result, of})
	return "the axes from the stated one on are merged into one"
}

// isLast reports whether all axes after the given one are known to have size 1.
func (s *step) isLast(v *rewrite.Value, axis int64) bool {
	t := s.typ(v)
	rank := int64(len(t.Dims))
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis >= rank {
		return false
	}
	for _, d := range t.Dims[axis+1:] {
		if size, ok := d.Number(); !ok || size != 1 {
			return false
		}
	}
	return true
}
