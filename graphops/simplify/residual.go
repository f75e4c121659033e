package simplify

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
)

// residual is a normalization of the last axis whose input is a sum.
type residual struct {
	norm, add   *rewrite.Node
	scale, bias *rewrite.Value // of the normalization; bias may be nil
	width       dim.Dim        // of the last axis
	epsilon     float32
}

// residualAt returns the normalization of a sum that a node computes, or nil. If ONNX Runtime's
// operator does not support it, the reason is reported.
func residualAt(j *job, n *rewrite.Node) *residual {
	add := made(n.In(0), "Add")
	if add == nil || add.Graph() != n.Graph() || n.Out(0) == nil || add.In(0) == nil || add.In(1) == nil {
		return nil
	}
	r := &residual{norm: n, add: add, scale: n.In(1), bias: n.In(2), epsilon: n.Float("epsilon", 1e-5)}
	if why := r.check(); why != "" {
		j.refuse(n, why)
		return nil
	}
	return r
}

func (r *residual) check() string {
	dims := r.add.Out(0).Type().Dims
	if len(dims) != 2 && len(dims) != 3 {
		return fmt.Sprintf("the sum before it has %s; ONNX Runtime's operator supports 2 or 3", counted(len(dims), "axis", "axes"))
	}
	axis := r.norm.Int("axis", -1)
	if axis != -1 && axis != int64(len(dims)-1) {
		return "it normalizes more than the last axis"
	}
	if r.norm.Int("stash_type", 1) != 1 {
		return "it does not compute in 32 bits"
	}
	for i, v := range r.norm.Outputs() {
		if i > 0 && v.IsUsed() {
			return "its mean or deviation is also needed"
		}
	}
	r.width = dims[len(dims)-1]
	for _, v := range []*rewrite.Value{r.scale, r.bias} {
		switch {
		case v == nil:
		case !isVector(v, r.width):
			return fmt.Sprintf("%q is not one number for each element of the last axis", v.Name())
		case v.Producer() != nil && v.Graph() == r.add.Graph():
			return fmt.Sprintf("%q is computed, possibly after the sum", v.Name())
		}
	}
	if r.scale == nil {
		return "it has no scale"
	}
	return ""
}

// isVector reports whether a value has exactly one axis, of this size.
func isVector(v *rewrite.Value, size dim.Dim) bool {
	dims := v.Type().Dims
	return len(dims) == 1 && dims[0].Equal(size)
}

// replace makes readers of the normalization's result read the node's first output, and other
// readers of the sum read its output number sum. That output is omitted if it is not needed, like
// outputs without a type.
func (r *residual) replace(n *rewrite.Node, sum int) bool {
	result, total := r.norm.Out(0), r.add.Out(0)
	keep := total.Uses() > 1
	if keep && !total.ReplaceWith(n.Out(sum)) {
		n.Remove()
		return false
	}
	if !result.ReplaceWith(n.Out(0)) {
		if keep {
			n.Out(sum).ReplaceWith(total)
			r.norm.SetInput(0, total)
		}
		n.Remove()
		return false
	}
	r.norm.Remove()
	for i, v := range n.Outputs() {
		if v.Type().Kind == graphops.TypeUnknown || i == sum {
			n.LeaveOut(i)
		}
	}
	n.Graph().Model().Import(microsoft, 1)
	return true
}
