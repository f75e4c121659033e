package proof

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// value compares one output, or inner value, with the original's results: it must consist of n
// items, and each must equal the result for that item alone.
func (c *rowRun) value(name string, n int64, all graphops.Value) *Difference {
	single := c.want[0][name]
	if !all.IsTensor() || !single.IsTensor() {
		c.unchecked(name, fmt.Sprintf("it is %s", single.Type))
		return nil
	}
	axis, why := alongWhich(single.Tensor.Shape, all.Tensor.Shape, n)
	switch {
	case slices.Equal(single.Tensor.Shape, all.Tensor.Shape) && c.constant(name, n, all.Tensor):
		c.r.Constant = with(c.r.Constant, name)
		return nil
	case why != "":
		c.unchecked(name, why)
		return nil
	}
	c.r.Compared = with(c.r.Compared, name)
	worst, d := c.arranged(name, axis, n, all.Tensor, itemsInOrder)
	if d != nil && single.Tensor.Shape[axis] != c.f.Old {
		// The axis was merged with another one, which may come before it.
		if w, ok := c.arranged(name, axis, n, all.Tensor, itemsInside(c.f.Old)); ok == nil {
			worst, d = w, nil
			c.r.Interleaved = with(c.r.Interleaved, name)
		}
	}
	if d == nil {
		c.r.MaxDifference = max(c.r.MaxDifference, worst)
	}
	return d
}

func (c *rowRun) unchecked(name, why string) {
	if !slices.ContainsFunc(c.r.Unchecked, func(u Unchecked) bool { return u.Output == name }) {
		c.r.Unchecked = append(c.r.Unchecked, Unchecked{name, why})
	}
}

// with adds a name to a list if it is not there.
func with(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// constant reports whether a value has no items, because it equals the original's result for each
// of the n items.
func (c *rowRun) constant(name string, n int64, all tensor.Tensor) bool {
	for _, want := range c.want[:n] {
		if !alike(want[name].Tensor, all) {
			return false
		}
	}
	return true
}

// alike reports whether two tensors are equal within the tolerance of their type.
func alike(a, b tensor.Tensor) bool {
	if unlike(a, b) != nil {
		return false
	}
	m, err := tensor.Compare(a, b, toleranceOf(b.DType))
	return err == nil && m.Mismatched == 0
}

// apart reports whether the test could detect exchanged items: the inputs of items differ, and so
// do the results.
func (c *rowRun) apart() bool {
	inputs := false
	for _, v := range c.changed.Graph().FeedInputs() {
		for _, in := range c.in[1:] {
			inputs = inputs || valueBits(c.in[0][v.Name()], in[v.Name()]) != nil
		}
	}
	return inputs && slices.ContainsFunc(c.r.Compared, func(name string) bool {
		return !c.constant(name, int64(len(c.want)), c.want[0][name].Tensor)
	})
}

// alongWhich returns the axis that is n times as long as for a single item. If there is none, why
// is the reason.
func alongWhich(single, all []int64, n int64) (axis int, why string) {
	if slices.Equal(single, all) {
		return 0, withoutAxis
	}
	axis = -1
	for i := range single {
		if len(all) != len(single) || all[i] != single[i] && (axis >= 0 || all[i] != n*single[i]) {
			return 0, fmt.Sprintf("its shape %s is not that of %d items of %s", tensor.FormatShape(all), n, tensor.FormatShape(single))
		}
		if all[i] != single[i] {
			axis = i
		}
	}
	return axis, ""
}

// arranged compares each of the n items of a tensor with the original's result. item cuts an item
// out of the tensor.
func (c *rowRun) arranged(name string, axis int, n int64, all tensor.Tensor, item cutter) (worst float64, d *Difference) {
	tol := toleranceOf(all.DType)
	c.r.Tolerance.RTol, c.r.Tolerance.ATol = max(c.r.Tolerance.RTol, tol.RTol), max(c.r.Tolerance.ATol, tol.ATol)
	for i := range n {
		want := c.want[i][name].Tensor
		part, err := item(all, axis, i, n)
		if err != nil {
			return 0, &Difference{Item: i, Reason: err.Error()}
		}
		if d := unlike(want, part); d != nil {
			d.Item = i
			return 0, d
		}
		m, err := tensor.Compare(want, part, tol)
		switch {
		case err != nil:
			return 0, &Difference{Item: i, Reason: err.Error()}
		case m.Mismatched > 0:
			d := &Difference{Item: i}
			d.element(m.Worst)
			return 0, d
		case m.Finite > 0:
			worst = max(worst, m.MaxAbs)
		}
	}
	return worst, nil
}

// cutter cuts item i of n out of a tensor.
type cutter func(all tensor.Tensor, axis int, i, n int64) (tensor.Tensor, error)

// itemsInOrder cuts items that are contiguous along the axis.
func itemsInOrder(all tensor.Tensor, axis int, i, n int64) (tensor.Tensor, error) {
	size := all.Shape[axis] / n
	return Cut(all, axis, i*size, (i+1)*size)
}

// itemsInside returns a cutter for tensors in which another axis before that of the items was
// merged with it, so that an item is not contiguous. old is the number of elements of an item along
// its own axis.
func itemsInside(old int64) cutter {
	return func(all tensor.Tensor, axis int, i, n int64) (tensor.Tensor, error) {
		if old == 0 || all.Shape[axis]%(n*old) != 0 {
			return tensor.Tensor{}, fmt.Errorf("an axis of %d elements has no %d items of %d", all.Shape[axis], n, old)
		}
		front := all.Shape[axis] / (n * old)
		parted := all
		parted.Shape = slices.Concat(all.Shape[:axis], []int64{front, n * old}, all.Shape[axis+1:])
		out, err := Cut(parted, axis+1, i*old, (i+1)*old)
		out.Shape = slices.Concat(all.Shape[:axis], []int64{front * old}, all.Shape[axis+1:])
		return out, err
	}
}

// withoutAxis is why an output has no items: none of its axes depends on the freed one.
const withoutAxis = "its shape does not depend on the axis"
