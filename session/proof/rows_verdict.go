package proof

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// itemwise compares one output, or inner value, of n items with the original's results item by item,
// and keeps only the verdict: the value must consist of n items, and each must equal the result for
// that item alone.
type itemwise struct {
	name   string
	n, old int64
	all    graphops.Value
	axis   int
	why    string // why there are no items, or ""
	// constant is set as long as the value equals every result, because it has no items.
	constant, sameShape bool
	inOrder, inside     arrangement
	merged              bool // the axis was merged with another one, which may come before it
}

// arrangement is one way in which a value can consist of items.
type arrangement struct {
	worst float64
	d     *Difference // of the first item that differs, or nil
}

// item compares the result of the original for item i alone.
func (v *itemwise) item(i int64, single graphops.Value) {
	if i == 0 && !v.begin(single) || v.why != "" {
		return
	}
	if v.sameShape {
		v.constant = v.constant && alike(single.Tensor, v.all.Tensor)
		return
	}
	v.inOrder.item(i, v, single.Tensor, itemsInOrder)
	if v.merged {
		v.inside.item(i, v, single.Tensor, itemsInside(v.old))
	}
}

// begin finds the axis of the items. It returns false if the values have no items.
func (v *itemwise) begin(single graphops.Value) bool {
	if !v.all.IsTensor() || !single.IsTensor() {
		v.why = fmt.Sprintf("it is %s", single.Type)
		return false
	}
	if v.sameShape = slices.Equal(single.Tensor.Shape, v.all.Tensor.Shape); v.sameShape {
		return true
	}
	v.axis, v.why = alongWhich(single.Tensor.Shape, v.all.Tensor.Shape, v.n)
	v.merged = v.why == "" && single.Tensor.Shape[v.axis] != v.old
	return v.why == ""
}

// item cuts item i out of a value and compares it.
func (a *arrangement) item(i int64, v *itemwise, want tensor.Tensor, cut cutter) {
	if a.d != nil {
		return
	}
	part, err := cut(v.all.Tensor, v.axis, i, v.n)
	if err == nil {
		if a.d = unlike(want, part); a.d != nil {
			a.d.Item = i
			return
		}
	}
	var m tensor.Metrics
	if err == nil {
		m, err = tensor.Compare(want, part, toleranceOf(v.all.Tensor.DType))
	}
	switch {
	case err != nil:
		a.d = &Difference{Item: i, Reason: err.Error()}
	case m.Mismatched > 0:
		a.d = &Difference{Item: i}
		a.d.element(m.Worst)
	case m.Finite > 0:
		a.worst = max(a.worst, m.MaxAbs)
	}
}

// conclude fills in the result from the verdicts of all batches.
func (c *rowRun) conclude() {
	for k, b := range c.batches {
		if c.failed != nil && k == len(c.batches)-1 {
			c.found(c.failed, b.sizes)
			return
		}
		for _, v := range b.values {
			if d := c.verdict(v); d != nil {
				d.Value = v.name
				c.found(d, b.sizes)
			}
		}
		c.r.Sizes = append(c.r.Sizes, b.n*c.f.Old)
	}
	c.r.Apart = c.inputsDiffer && slices.ContainsFunc(c.r.Compared, func(name string) bool { return c.differ[name] })
}

// verdict adds what was found about a value to the result, and returns the difference that remains.
func (c *rowRun) verdict(v *itemwise) *Difference {
	switch {
	case v.sameShape && v.constant:
		c.r.Constant = with(c.r.Constant, v.name)
		return nil
	case v.sameShape:
		v.why = withoutAxis
	}
	if v.why != "" {
		c.unchecked(v.name, v.why)
		return nil
	}
	c.r.Compared = with(c.r.Compared, v.name)
	tol := toleranceOf(v.all.Tensor.DType)
	c.r.Tolerance.RTol, c.r.Tolerance.ATol = max(c.r.Tolerance.RTol, tol.RTol), max(c.r.Tolerance.ATol, tol.ATol)
	is := v.inOrder
	if is.d != nil && v.merged && v.inside.d == nil {
		is = v.inside
		c.r.Interleaved = with(c.r.Interleaved, v.name)
	}
	if is.d == nil {
		c.r.MaxDifference = max(c.r.MaxDifference, is.worst)
	}
	return is.d
}

// found records a difference. The first one becomes the result.
func (c *rowRun) found(d *Difference, sizes map[string]int64) {
	d.Sizes = map[string]int64{c.f.Symbol: sizes[c.f.Symbol]}
	c.r.Differences = append(c.r.Differences, d)
	if c.r.Difference == nil {
		c.r.Difference = d
	}
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

// apart notes how an item differs from the first one. If neither inputs nor results differ, the
// test cannot detect exchanged items.
func (c *rowRun) apart(in graphops.Feeds, want map[string]graphops.Value) {
	for _, v := range c.changed.Graph().FeedInputs() {
		c.inputsDiffer = c.inputsDiffer || valueBits(c.firstIn[v.Name()], in[v.Name()]) != nil
	}
	for _, name := range c.names {
		a, b := want[name], c.firstOut[name]
		if !c.differ[name] && a.IsTensor() && b.IsTensor() {
			c.differ[name] = !alike(a.Tensor, b.Tensor)
		}
	}
}
