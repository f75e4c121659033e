package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// beyond returns a message if an index is certainly outside of an axis. Negative indices count from
// the end.
func (o operands) beyond(input, data, axis int) string {
	n := largest(o.dims(data)[axis])
	index, wrong := o.outside(input, -n, n-1)
	if !wrong {
		return ""
	}
	return o.indexText(index, input, data, axis, n)
}

func (o operands) indexText(index int64, input, data, axis int, n int64) string {
	return fmt.Sprintf("index %d in %s is outside of axis %d of %s, which has %s", index, o.quoted(input), axis, o.quoted(data), counted(int(n), "element"))
}

// indexedAlong requires that the second input has valid indices into an axis of the first. The
// axis is an attribute with the default 0.
func indexedAlong(attribute string) func(operands) string {
	return func(o operands) string {
		d := o.dims(0)
		axis, ok := o.axis(attribute, 0, len(d))
		if !ok {
			return ""
		}
		return o.beyond(1, 0, axis)
	}
}

// elementsBeside requires that, along all axes other than the indexed one, the indices are not
// longer than the data.
func elementsBeside(o operands) string {
	d, at := o.dims(0), o.dims(1)
	axis, ok := o.axis("axis", 0, len(d))
	if !ok || len(at) != len(d) {
		return ""
	}
	for a := range d {
		if lo, _ := at[a].Sub(d[a]).Bounds(); a != axis && lo > 0 {
			return fmt.Sprintf("%s has %s elements along axis %d, but %s has %s, expected at most this number on axes other than %d", o.quoted(1), at[a], a, o.quoted(0), d[a], axis)
		}
	}
	return ""
}

// indexedAxes requires that each number of an index is within its axis. The indexed axes come after
// the batch axes.
func indexedAxes(o operands) string {
	d, at, list := o.dims(0), o.dims(1), o.elements(1)
	batch, known := o.number("batch_dims", 0)
	if known && batch < 0 {
		return fmt.Sprintf("attribute \"batch_dims\" is %d, expected 0 or more", batch)
	}
	if len(d) == 0 || len(at) == 0 || !known {
		return ""
	}
	width, ok := at[len(at)-1].Number()
	switch rank := int64(len(d)); {
	case !ok || width < 1:
		return ""
	case width > rank-batch:
		return fmt.Sprintf("the last axis of %s has size %d, but %s has rank %d, of which %d are \"batch_dims\"", o.quoted(1), width, o.quoted(0), rank, batch)
	}
	if text := o.uneven(int(batch)); text != "" {
		return text
	}
	if width == 1 {
		return o.beyond(1, 0, int(batch))
	}
	for i, e := range list {
		axis := int(batch + int64(i)%width)
		n := largest(d[axis])
		if lo, hi := e.Bounds(); lo >= n || hi < -n {
			return o.indexText(lo, 1, 0, axis, n)
		}
	}
	return ""
}

// uneven returns a message if the number of indices is not a multiple of the number of batches.
func (o operands) uneven(batch int) string {
	d, at := o.dims(0), o.dims(1)
	batches, known := dim.Product(d[:batch]...).Number()
	slices, ok := dim.Product(at[:len(at)-1]...).Number()
	if !known || !ok || batches < 1 || slices%batches == 0 {
		return ""
	}
	return fmt.Sprintf("%s has %d indices, expected a multiple of the %d batches of %s", o.quoted(1), slices, batches, o.quoted(0))
}

// writtenBehind requires that a TensorScatter writes within its cache.
func writtenBehind(o operands) string {
	cache, update := o.dims(0), o.dims(1)
	axis, ok := o.axis("axis", -2, len(cache))
	if !ok || len(update) != len(cache) {
		return ""
	}
	room := cache[axis].Sub(update[axis])
	if largest(room) < 0 {
		return fmt.Sprintf("%s has %s elements along axis %d, but %s has room for %s", o.quoted(1), update[axis], axis, o.quoted(0), cache[axis])
	}
	to := largest(room)
	if mode, known := o.text("mode", "linear"); !known || mode != "linear" {
		to = 1<<63 - 1
	}
	if index, wrong := o.outside(2, 0, to); wrong {
		return fmt.Sprintf("index %d in %s leaves no room for %s along axis %d of %s", index, o.quoted(2), o.quoted(1), axis, o.quoted(0))
	}
	return ""
}

// lengthsWithin requires lengths of at most the size of an axis of the first input.
func (o operands) lengthsWithin(input, axis int) string {
	d := o.dims(0)
	if axis < 0 || axis >= len(d) {
		return ""
	}
	if n, wrong := o.outside(input, 0, largest(d[axis])); wrong {
		return fmt.Sprintf("length %d in %s does not fit axis %d of %s, which has %s", n, o.quoted(input), axis, o.quoted(0), counted(int(largest(d[axis])), "element"))
	}
	return ""
}

func reversedLengths(o operands) string {
	time, known := o.number("time_axis", 0)
	if !known {
		return ""
	}
	return o.lengthsWithin(1, int(time))
}

func sequenceLengths(o operands) string {
	if layout, known := o.number("layout", 0); !known || layout != 0 {
		return ""
	}
	return o.lengthsWithin(4, 0)
}

// imagesOfRegions requires that the image of each region is in the batch.
func imagesOfRegions(o operands) string {
	d := o.dims(0)
	if len(d) == 0 {
		return ""
	}
	if index, wrong := o.outside(2, 0, largest(d[0])-1); wrong {
		return o.indexText(index, 2, 0, 0, largest(d[0]))
	}
	return ""
}

// positionsWithin requires that a table has a row for each position.
func positionsWithin(positions, table int) func(operands) string {
	return func(o operands) string {
		d := o.dims(table)
		if len(d) == 0 {
			return ""
		}
		if index, wrong := o.outside(positions, 0, largest(d[0])-1); wrong {
			return o.indexText(index, positions, table, 0, largest(d[0]))
		}
		return ""
	}
}

// imagesOfCorners requires that each region, an image and four corners, belongs to an image of
// the batch.
func imagesOfCorners(o operands) string {
	d := o.dims(0)
	if len(d) == 0 {
		return ""
	}
	n := largest(d[0])
	for i, e := range o.elements(1) {
		if lo, hi := e.Bounds(); i%5 == 0 && (lo >= n || hi < 0) {
			return o.indexText(lo, 1, 0, 0, n)
		}
	}
	return ""
}

// extractedFeatures requires indices that are not negative.
func extractedFeatures(o operands) string {
	d := o.dims(0)
	if len(d) == 0 {
		return ""
	}
	last := len(d) - 1
	if index, wrong := o.outside(1, 0, largest(d[last])-1); wrong {
		return o.indexText(index, 1, 0, last, largest(d[last]))
	}
	return ""
}

// positiveClasses requires that the constant indices of a OneHot are not negative before opset 11,
// in which the standard began to count them from the end. ONNX Runtime 1.32 is the first that
// refuses them, when it loads the model.
func positiveClasses(o operands) string {
	least, _, known := o.bounds(0)
	if !known || least >= 0 || o.opset() >= 11 || !o.subject.isSince("1.32") {
		return ""
	}
	return fmt.Sprintf("%s contains %d, which is not a class before opset 11", o.quoted(0), least)
}

// opset returns the version of the standard's operators by which ONNX Runtime interprets the node.
func (o operands) opset() int64 {
	v, _ := o.subject.resolved(o.place, graphops.DefaultDomain)
	return v
}

// atLeastOne requires that an input has no number below 1.
func atLeastOne(input int) func(operands) string {
	return func(o operands) string {
		least, _, known := o.bounds(input)
		if !known || least >= 1 {
			return ""
		}
		return fmt.Sprintf("%s contains %d, expected 1 or more", o.quoted(input), least)
	}
}
