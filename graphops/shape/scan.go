package shape

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

func scan(c *call) {
	// Version 8 has a batch axis before all others, and sequence lengths as the first input.
	batched := c.since < 9
	first := 0
	if batched {
		first = 1
	}
	scanned := int(c.attrInt("num_scan_inputs", 0))
	carried := len(c.in) - scanned - first
	if scanned < 0 || carried < 0 {
		c.problem(-1, fmt.Sprintf("num_scan_inputs is %d, but the node has %d inputs", scanned, len(c.in)))
		return
	}
	var state []Value
	for i := range carried {
		state = append(state, Value{Type: c.rowsOf(c.input(first+i).Type, batched)})
	}
	c.perRow("scan_input_axes", scanned)
	c.perRow("scan_output_axes", len(c.out)-carried)
	c.directionsOf("scan_input_directions", scanned)
	c.directionsOf("scan_output_directions", len(c.out)-carried)
	times, rows := c.scanRows(first+carried, scanned, batched)
	body := c.bodyPlace("body")
	for i, v := range state {
		c.fits(body, i, first+i, v.Type)
	}
	for i, t := range rows {
		c.fits(body, carried+i, first+carried+i, t)
	}
	given := slices.Clone(state)
	outputs := c.settled("body", state, 0, func(f *frame, state []Value) {
		f.times = times
		for i, v := range state {
			f.feed(i, Value{Type: v.Type})
		}
		for i, t := range rows {
			f.feed(carried+i, Value{Type: t})
		}
	})
	for i := range state {
		c.keepsState(first+i, given[i], at(outputs, i).Type)
	}
	axes, _ := c.attrInts("scan_output_axes")
	for o := range c.out {
		t := at(outputs, o).Type
		if o >= carried {
			t = c.inserted(times, t, pick(axes, o-carried))
		} else {
			t = state[o].Type
		}
		if batched {
			t = c.inserted(c.batchOf(first), t, 0)
		}
		c.out[o].Type = t
	}
}

// keepsState demands that a state has the same shape in all iterations.
func (c *call) keepsState(i int, before Value, after Type) {
	if len(before.Dims) != len(after.Dims) {
		return
	}
	for axis, n := range before.Dims {
		c.note(Source{n, i, -1}, Source{after.Dims[axis], i, -1}, Equals, "")
	}
}

// perRow requires that a list, if it is given, has one element for each scanned tensor.
func (c *call) perRow(name string, n int) {
	if list, ok := c.attrInts(name); ok && len(list) != n {
		c.problem(-1, fmt.Sprintf("%s has %d numbers for %d tensors", name, len(list), n))
	}
}

// directionsOf requires 0 or 1, forward or backward, for each of the tensors.
func (c *call) directionsOf(name string, n int) {
	list, _ := c.attrInts(name)
	if len(list) == 0 {
		return
	}
	c.perRow(name, n)
	if slices.ContainsFunc(list, func(d int64) bool { return d != 0 && d != 1 }) {
		c.problem(-1, fmt.Sprintf("%s is %s, expected 0 for forward or 1 for backward", name, brief(list)))
	}
}

// batchOf returns the size of the first axis of the inputs from an index on.
func (c *call) batchOf(first int) dim.Dim {
	n := dim.Unknown()
	for i := first; i < len(c.in); i++ {
		if d := c.dims(i); len(d) > 0 {
			n = known(n, d[0])
		}
	}
	return n
}

// rowsOf returns the type of one item of a batch, or the type itself if there is no batch.
func (c *call) rowsOf(t Type, batched bool) Type {
	if batched && len(t.Dims) > 0 {
		t.Dims = t.Dims[1:]
	}
	return t
}

// scanRows returns the number of rows that a Scan iterates over, and the type of one row of each
// input.
func (c *call) scanRows(first, n int, batched bool) (times dim.Dim, rows []Type) {
	axes, _ := c.attrInts("scan_input_axes")
	times = dim.Unknown()
	before := Source{times, -1, -1}
	for i := range n {
		t := c.rowsOf(c.input(first+i).Type, batched)
		if t.Dims != nil {
			axis, ok := c.axis(pick(axes, i), len(t.Dims))
			if !ok {
				t.Dims = nil
			} else {
				here := Source{t.Dims[axis], first + i, axis}
				if before.Input >= 0 {
					here.Size = c.demand(before, here)
				}
				times, before = here.Size, here
				t.Dims = slices.Delete(slices.Clone(t.Dims), axis, axis+1)
			}
		}
		rows = append(rows, t)
	}
	return times, rows
}

func pick(list []int64, i int) int64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// inserted returns a type with a new axis of size n.
func (c *call) inserted(n dim.Dim, t Type, axis int64) Type {
	if t.Kind != graphops.TypeTensor || t.Dims == nil {
		return t
	}
	if at, ok := c.axis(axis, len(t.Dims)+1); ok {
		t.Dims = slices.Insert(slices.Clone(t.Dims), at, n)
	} else {
		t.Dims = nil
	}
	return t
}
