package stepwise

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
	"lathe/session/sizing"
)

// shift is what an experiment changes of the inputs that count positions. valid is added to the number of
// valid positions, without a longer mask: to its last element, and to lengths.
type shift struct{ positions, mask, index, valid int64 }

// generate makes the values of all tokens with empty caches.
func (d *decoder) generate(ctx context.Context, o inputs.Options) error {
	if d.fit == nil {
		o.Dims = d.dims(o.Dims)
		var err error
		if d.fit, err = inputs.Fit(ctx, d.types, o, sizing.Check); err != nil {
			return err
		}
	}
	sizes, ok := d.fit.Last(ctx)
	if !ok {
		return refuse("no sizes were found at which it runs: %v", d.fit.Err())
	}
	o.Sizes, o.Roles, o.Batch = sizes, d.roles, 0
	made, err := inputs.Generate(d.types, o)
	if err != nil {
		return err
	}
	d.all = made.Feeds
	for name, v := range o.Given {
		d.all[name] = v
	}
	return d.checkSizes()
}

// dims returns the sizes that the comparison needs, beside those that the user gave.
func (d *decoder) dims(given map[string]int64) map[string]int64 {
	out := map[string]int64{}
	for _, c := range d.caches {
		switch name := d.axisName(c.past, c.axis); {
		case name == "":
		case c.way == growing:
			out[name] = 0
		case c.way == roomy:
			out[name] = d.tokens + after
		case c.way == sliding:
			out[name] = c.window
		}
	}
	for axis, n := range []int64{d.batch, d.tokens} {
		if name := d.axisName(d.ids, axis); name != "" {
			out[name] = n
		}
	}
	for name, n := range given {
		if _, own := out[name]; !own {
			out[name] = n
		}
	}
	return out
}

// checkSizes takes over the sizes that are fixed in the model.
func (d *decoder) checkSizes() error {
	shape := d.all[d.ids].Tensor.Shape
	d.batch = shape[0]
	if shape[1] < 2 {
		return refuse("input %q takes %d token in a run", d.ids, shape[1])
	}
	if d.tokens = shape[1]; d.prefix >= d.tokens {
		d.prefix = d.tokens / 2
	}
	for _, c := range d.caches {
		if shape := d.all[c.past].Tensor.Shape; c.axis >= len(shape) || c.way == growing && shape[c.axis] != 0 || c.way == roomy && shape[c.axis] < d.tokens {
			return refuse("the cache %q of %s has no room for %d tokens, or cannot be empty", c.past, tensor.FormatShape(shape), d.tokens)
		}
	}
	return nil
}

// empty returns the caches before the first run.
func (d *decoder) empty() (graphops.Feeds, error) {
	out := graphops.Feeds{}
	for _, c := range d.caches {
		v := d.all[c.past]
		if c.way != constant {
			t, err := filled(v.Tensor.DType, v.Tensor.Shape, func(int64) float64 { return 0 })
			if err != nil {
				return nil, fmt.Errorf("cache %q: %w", c.past, err)
			}
			v = graphops.TensorValue(t)
		}
		out[c.past] = v
	}
	return out, nil
}

// feeds returns the inputs of a run over the positions from p to p+n.
func (d *decoder) feeds(p, n int64, caches graphops.Feeds, by shift) (graphops.Feeds, error) {
	out := graphops.Feeds{}
	for i := range d.roles.Inputs {
		port := &d.roles.Inputs[i]
		v, ok := d.all[port.Name]
		if !ok {
			continue
		}
		if port.Kind == roles.Past {
			out[port.Name] = caches[port.Name]
			continue
		}
		t, err := d.value(port, v.Tensor, p, n, by)
		if err != nil {
			return nil, fmt.Errorf("input %q: %w", port.Name, err)
		}
		if v.IsTensor() {
			v = graphops.TensorValue(t)
		}
		out[port.Name] = v
	}
	return out, nil
}

// value returns the value of an input that is not a cache.
func (d *decoder) value(port *roles.Port, all tensor.Tensor, p, n int64, by shift) (tensor.Tensor, error) {
	rank := len(all.Shape)
	same := func(x int64) (tensor.Tensor, error) {
		return filled(all.DType, all.Shape, func(int64) float64 { return float64(x) })
	}
	switch port.Kind {
	case roles.IDs, roles.Segments, roles.Embeddings:
		if rank >= 2 && all.Shape[1] == d.tokens {
			return cut(all, 1, p, n)
		}
	case roles.Positions:
		if rank >= 1 && all.Shape[rank-1] == d.tokens {
			return counted(all, rank-1, n, p+by.positions)
		}
	case roles.CacheIndex:
		if axis := slices.Index(all.Shape, d.tokens); axis >= 0 {
			return counted(all, axis, n, p+by.index)
		}
		return same(p + by.index)
	case roles.Mask:
		if !port.Cross {
			return d.mask(port.Name, all, p, n, by)
		}
	case roles.Lengths:
		return same(p + n + int64(port.Offset) + by.mask + by.valid)
	case roles.Total:
		return same(p + n + by.mask)
	case roles.PastLength:
		return same(p)
	case roles.Branch:
		return same(min(p, 1))
	default:
	}
	return all, nil
}

// mask returns a mask in which all positions before p+n count.
func (d *decoder) mask(name string, all tensor.Tensor, p, n int64, by shift) (tensor.Tensor, error) {
	values, err := all.Float64s()
	if err != nil || len(values) == 0 {
		return all, err
	}
	kept, columns := values[0], p+n+by.mask
	declared := d.typeOf(name).Shape[1]
	switch {
	case declared.IsFixed():
		columns = declared.Value
	case d.axisName(name, 1) == d.axisName(d.ids, 1):
		columns = n
	}
	valid := p + n + by.mask
	return filled(all.DType, []int64{all.Shape[0], columns}, func(i int64) float64 {
		switch {
		case declared.IsFixed() && i%columns >= valid:
			return 1 - kept
		case i%columns == min(columns, valid)-1:
			return kept + float64(by.valid)
		}
		return kept
	})
}

// counted returns numbers that count from a start along an axis, which has n elements.
func counted(like tensor.Tensor, axis int, n, from int64) (tensor.Tensor, error) {
	shape := slices.Clone(like.Shape)
	shape[axis] = n
	inner := product(shape[axis+1:])
	return filled(like.DType, shape, func(i int64) float64 { return float64(max(from+i/inner%n, 0)) })
}

// filled returns a tensor with the elements that a function returns for their positions.
func filled(d tensor.DType, shape []int64, at func(i int64) float64) (tensor.Tensor, error) {
	n, err := tensor.Elements(shape)
	if err != nil {
		return tensor.Tensor{}, err
	}
	values := make([]float64, n*int64(d.Components()))
	for i := range values {
		values[i] = at(int64(i))
	}
	if d == tensor.Bool {
		data := make([]byte, n)
		for i, x := range values {
			if x != 0 {
				data[i] = 1
			}
		}
		return tensor.Tensor{DType: d, Shape: shape, Data: data}, nil
	}
	return tensor.FromFloat64s(d, values, shape...)
}

// cut returns n positions of a tensor along an axis, from a position on.
func cut(t tensor.Tensor, axis int, from, n int64) (tensor.Tensor, error) {
	if t.DType.Bits()%8 != 0 {
		return t, fmt.Errorf("elements of %s cannot be cut", t.DType)
	}
	size := int64(t.DType.Bits() / 8)
	outer, inner := product(t.Shape[:axis]), product(t.Shape[axis+1:])*size
	out := t
	out.Shape = slices.Clone(t.Shape)
	out.Shape[axis] = n
	out.Data = make([]byte, 0, outer*n*inner)
	for o := range outer {
		at := (o*t.Shape[axis] + from) * inner
		out.Data = append(out.Data, t.Data[at:at+n*inner]...)
	}
	return out, nil
}

func product(sizes []int64) int64 {
	n := int64(1)
	for _, s := range sizes {
		n *= s
	}
	return n
}
