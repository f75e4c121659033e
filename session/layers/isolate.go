package layers

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// isolate finds the local errors of the layers whose inputs are all there.
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
	return c.isolateAll(apart)
}

// sameInputs reports whether all that a region reads had A's bits where B ran by itself.
func (c *comparison) sameInputs(l *layer) bool {
	if !l.seen || l.TypeB.Kind == graphops.TypeUnknown { // or B did not come to it
		return false
	}
	for _, w := range c.cutB.Inputs(l.Pair.B) {
		if from := c.of[w]; from != nil && !(from.seen && from.same) {
			return false
		}
	}
	return true
}

// isolateAll runs regions, each on A's values. Where that fails it halves, down to the
// regions that do not run.
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
	given, types, err := c.feedsOf(apart)
	if err != nil {
		return err
	}
	values := make([]graphops.ValueID, len(apart))
	for i, l := range apart {
		values[i] = l.Pair.B
	}
	part := c.cutB.Part(values, func(w graphops.ValueID) graphops.Type { return types[w] })
	return c.runPart(part.Model, given, func(i int, value graphops.Value) {
		l := apart[i]
		got := c.gap(l, c.values.get(l.Pair.A), value)
		l.Tolerance = got.tolerance
		l.done, l.localSame, l.Local, l.Reason = true, got.same, got.metrics, got.reason
	})
}

// feedsOf are A's values for what regions read, as B's types have it.
func (c *comparison) feedsOf(apart []*layer) (map[string]graphops.Value, map[graphops.ValueID]graphops.Type, error) {
	given, types := map[string]graphops.Value{}, map[graphops.ValueID]graphops.Type{}
	for _, l := range apart {
		for _, w := range c.cutB.Inputs(l.Pair.B) {
			from := c.of[w]
			if from == nil {
				continue
			}
			if _, has := types[w]; has {
				continue
			}
			value, err := convert(c.values.get(from.Pair.A), from.elem())
			if err != nil {
				return nil, nil, err
			}
			given[from.B], types[w] = value, value.Type
		}
	}
	return given, types, nil
}

// elem is the type of B's elements, Undefined where nothing tells.
func (l *layer) elem() tensor.DType {
	if l.TypeB.Kind == graphops.TypeTensor {
		return l.TypeB.Elem
	}
	return l.Pair.TypeB.Elem
}

// convert is a value with elements of another type.
func convert(v graphops.Value, to tensor.DType) (graphops.Value, error) {
	if !v.IsTensor() || to == tensor.Undefined || v.Tensor.DType == to {
		return v, nil
	}
	if to.Kind() == tensor.KindFloat {
		list, err := v.Tensor.Float64s()
		if err != nil {
			return v, err
		}
		t, err := tensor.FromFloat64s(to, list, v.Tensor.Shape...)
		return graphops.TensorValue(t), err
	}
	list, err := v.Tensor.Int64s()
	if err != nil {
		return v, err
	}
	t, err := tensor.FromInt64s(to, list, v.Tensor.Shape...)
	return graphops.TensorValue(t), err
}
