package check

import (
	"fmt"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// maskedLength requires that the mask of an Attention covers the keys of the past and of this
// run. The standard allows a shorter mask, but the kernel, which exists for these types, does not.
func maskedLength(o operands) string {
	mask, keys := o.dims(3), o.dims(1)
	if len(mask) == 0 || len(keys) < 3 || len(o.Inputs()) == 0 {
		return ""
	}
	if t := o.elementType(0).Elem; t != tensor.F32 && t != tensor.F16 {
		return ""
	}
	total := keys[len(keys)-2]
	if o.hasInput(4) {
		past := o.dims(4)
		if len(past) != 4 {
			return ""
		}
		total = total.Add(past[2])
	}
	last := mask[len(mask)-1]
	if !dim.Apart(last, total) {
		return ""
	}
	return fmt.Sprintf("mask %s is for %s keys, but there are %s", o.quoted(3), last, total)
}

// rotaryTable requires a table for half of the numbers that are rotated in each head.
func rotaryTable(o operands) string {
	d, table := o.dims(0), o.dims(1)
	rotated, known := o.number("rotary_embedding_dim", 0)
	heads, also := o.number("num_heads", 0)
	if !known || !also || len(d) < 3 || len(table) == 0 {
		return ""
	}
	size, isNumber := d[len(d)-1].Number()
	switch {
	case rotated > 0:
		size = rotated
	case !isNumber || len(d) == 3 && heads < 1:
		return ""
	case len(d) == 3:
		size /= heads
	}
	if last := table[len(table)-1]; dim.Apart(last, dim.Number(size/2)) {
		return fmt.Sprintf("%s has %s columns, expected %d, half of the %d numbers that are rotated", o.quoted(1), last, size/2, size)
	}
	return ""
}
