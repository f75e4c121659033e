package layers

import (
	"bytes"
	"errors"
	"io"

	"lathe/graphops"
	"lathe/graphops/region"
	"lathe/graphops/tensor"
)

// isolate computes the local errors of the layers whose inputs A has computed before position end.
func (c *comparison) isolate(end int) error {
	var apart []*layer
	for _, l := range c.layers {
		if l.done || l.ready >= end {
			continue
		}
		l.Type, l.Bytes = c.values.get(l.Pair.A).Type, bytesIn(c.values.get(l.Pair.A))
		if c.sameInputs(l) {
			l.done, l.EqualInputs = true, true
			l.Local, l.Reason, l.localSame = l.Accumulated, l.AccumulatedReason, l.same
			l.Tolerance = l.ownTolerance
			continue
		}
		apart = append(apart, l)
	}
	for len(apart) > 0 {
		n := c.fitting(apart)
		if err := c.isolateAll(apart[:n]); err != nil {
			return err
		}
		apart = apart[n:]
	}
	return nil
}

// fitting returns how many layers, from the start of the list, can be run together within the
// memory limit. Their inputs and outputs count as far as they are in the worker. The result is at
// least one.
func (c *comparison) fitting(apart []*layer) int {
	limit, used := c.segmentMemory(), int64(0)
	fed := map[graphops.ValueID]bool{}
	for n, l := range apart {
		used += c.copies(bytesIn(c.values.get(l.Pair.A)), valueCopies-1)
		for _, w := range c.cutB.Inputs(l.Pair.B) {
			if from := c.of[w]; from != nil && !fed[w] {
				fed[w] = true
				used += c.copies(bytesIn(c.values.get(from.Pair.A)), 1)
			}
		}
		if used > limit && n > 0 {
			return n
		}
	}
	return len(apart)
}

// sameInputs reports whether all inputs of a layer's region had the same bits as in A when B ran by
// itself. The local error is then the accumulated error.
func (c *comparison) sameInputs(l *layer) bool {
	if !l.seen || l.TypeB.Kind == graphops.TypeUnknown { // B did not compute it
		return false
	}
	for _, w := range c.cutB.Inputs(l.Pair.B) {
		if from := c.of[w]; from != nil && !(from.seen && from.same) {
			return false
		}
	}
	return true
}

// isolateAll runs the regions of some layers on A's values. If that fails, it runs each half of the
// list separately. In this way it finds the regions that do not run.
func (c *comparison) isolateAll(apart []*layer) error {
	if len(apart) == 0 {
		return nil
	}
	err := c.isolateOnce(apart)
	switch {
	case err == nil || c.ctx.Err() != nil:
		return err
	case len(apart) == 1:
		apart[0].done, apart[0].stuck, apart[0].Reason = true, true, err.Error()
		return nil
	}
	half := len(apart) / 2
	if err := c.isolateAll(apart[:half]); err != nil {
		return err
	}
	return c.isolateAll(apart[half:])
}

func (c *comparison) isolateOnce(apart []*layer) error {
	return c.runRegions(c.cutB, apart, func(l *layer, value graphops.Value) {
		got := c.gap(l, c.values.get(l.Pair.A), value)
		l.Tolerance = got.tolerance
		l.done, l.localSame, l.Local, l.Reason = true, got.same, got.metrics, got.reason
		if got.reason == "" && got.metrics != nil && got.metrics.Mismatched > 0 {
			l.localScaled = multipleOf(c.values.get(l.Pair.A), value)
		}
	})
}

// runRegions runs the regions of some layers on A's values and passes each result to take.
func (c *comparison) runRegions(cut *region.Cut, list []*layer, take func(l *layer, value graphops.Value)) error {
	given, types, err := c.feedsOf(cut, list)
	if err != nil {
		return err
	}
	values, likes := make([]graphops.ValueID, len(list)), make([]graphops.Value, len(list))
	for i, l := range list {
		values[i], likes[i] = l.Pair.B, c.values.get(l.Pair.A)
	}
	part := cut.Part(values, func(w graphops.ValueID) graphops.Type { return types[w] })
	return c.runPart(c.b, part.Model, given, likes, func(i int, value graphops.Value) { take(list[i], value) })
}

// feedsOf returns A's values for all inputs of some regions, converted to the types that B expects.
func (c *comparison) feedsOf(cut *region.Cut, list []*layer) (map[string]graphops.Value, map[graphops.ValueID]graphops.Type, error) {
	given, types := map[string]graphops.Value{}, map[graphops.ValueID]graphops.Type{}
	for _, l := range list {
		for _, w := range cut.Inputs(l.Pair.B) {
			from := c.of[w]
			if from == nil {
				continue
			}
			if _, has := types[w]; has {
				continue
			}
			value, err := c.store.convert(c.values.get(from.Pair.A), from.Layer)
			if err != nil {
				return nil, nil, err
			}
			given[from.B], types[w] = value, value.Type
		}
	}
	return given, types, nil
}

// elem returns the element type that the value has in B, or Undefined if it is not known.
func (l Layer) elem() tensor.DType {
	if l.TypeB.Kind == graphops.TypeTensor {
		return l.TypeB.Elem
	}
	return l.Pair.TypeB.Elem
}

// convert converts A's value of a layer to the shape and element type that it has in B. If the
// value is in the file, so is the result.
func (s *store) convert(v graphops.Value, l Layer) (graphops.Value, error) {
	if shape, fixed := sizesOf(l.TypeB); fixed && v.IsTensor() && sameCount(v.Tensor.Shape, shape) {
		v.Tensor.Shape, v.Type.Shape = shape, l.TypeB.Shape
	}
	to := l.elem()
	if v.Stored == nil || !differs(v, to) {
		return convert(v, to)
	}
	size, err := sizeAs(v, to)
	if err != nil {
		return v, err
	}
	from, err := elementsOf(v)
	if err != nil {
		return v, err
	}
	f := s.follow(size, nil)
	err = convertTo(f, from, to)
	return storedIn(graphops.TensorValue(tensor.Tensor{DType: to, Shape: v.Tensor.Shape}), f.place()), err
}

// convert converts a value in memory to another element type.
func convert(v graphops.Value, to tensor.DType) (graphops.Value, error) {
	if !differs(v, to) {
		return v, nil
	}
	size, err := sizeAs(v, to)
	if err != nil {
		return v, err
	}
	from, err := elementsOf(v)
	if err != nil {
		return v, err
	}
	data := bytes.NewBuffer(make([]byte, 0, size))
	err = convertTo(data, from, to)
	return graphops.TensorValue(tensor.Tensor{DType: to, Shape: v.Tensor.Shape, Data: data.Bytes()}), err
}

// differs reports whether v is a tensor of another element type than to. It is false if to is
// Undefined.
func differs(v graphops.Value, to tensor.DType) bool {
	return v.IsTensor() && to != tensor.Undefined && v.Tensor.DType != to
}

// sizeAs returns how many bytes a tensor would take with another element type.
func sizeAs(v graphops.Value, to tensor.DType) (int64, error) {
	n, err := tensor.Elements(v.Tensor.Shape)
	if err != nil {
		return 0, err
	}
	return to.ByteLen(n)
}

// convertTo reads all elements of a tensor, converts them to another type and writes them.
func convertTo(w io.Writer, from *tensor.Reader, to tensor.DType) error {
	for {
		t, err := converted(from, to)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			_, err = w.Write(t.Data)
		}
		if err != nil {
			return err
		}
	}
}

// converted reads the next elements of a tensor and converts them to another type.
func converted(from *tensor.Reader, to tensor.DType) (tensor.Tensor, error) {
	if to.Kind() == tensor.KindFloat {
		list, err := from.Float64s()
		if err != nil {
			return tensor.Tensor{}, err
		}
		return tensor.FromFloat64s(to, list, int64(len(list)))
	}
	list, err := from.Int64s()
	if err != nil {
		return tensor.Tensor{}, err
	}
	return tensor.FromInt64s(to, list, int64(len(list)))
}
