package static

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// checkOverrides returns an error for invalid overrides. They are checked in the order of names.
func (k *marker) checkOverrides() error {
	for _, name := range slices.Sorted(maps.Keys(k.o.Overrides)) {
		list := k.o.Overrides[name]
		if len(list) == 0 {
			continue
		}
		err := k.checkWhole(name, list)
		for i := 0; err == nil && i < len(list); i++ {
			err = k.checkOne(name, list[i], list[0])
		}
		if err != nil {
			return fmt.Errorf("override of %q: %w", name, err)
		}
	}
	return nil
}

// checkWhole checks all overrides of a value together.
func (k *marker) checkWhole(name string, list []Override) error {
	t := k.inits[name]
	first := list[0]
	switch {
	case t == nil && k.types[name] == tensor.Undefined:
		return &graphops.UnknownNameError{What: "value", Name: name, Nearest: graphops.NearestNames(name, maps.Keys(k.types))}
	case t == nil && (len(list) > 1 || first.Axis != nil):
		return fmt.Errorf("it has an axis or several entries, which only initializers can have")
	case t == nil && first.ReduceRange != nil:
		return fmt.Errorf("reduce_range is for initializers only")
	case t == nil && first.Convert != nil:
		return k.checkConversion(name, first)
	case t == nil:
		return nil
	case first.Convert != nil:
		return fmt.Errorf("convert is for values that are computed only")
	case first.Axis == nil && len(list) > 1:
		return fmt.Errorf("it has %d entries, but the first has no axis", len(list))
	case first.Axis == nil:
		return nil
	}
	rank := len(t.Dims())
	axis := *first.Axis
	if axis < -rank || axis >= rank {
		return fmt.Errorf("it has axis %d, expected one of the %d axes of %v", axis, rank, t.Dims())
	}
	count := t.Dims()[(axis+rank)%rank]
	if each := first.Scale != nil || first.Min != nil || first.Max != nil; (each || len(list) > 1) && int64(len(list)) != count {
		return fmt.Errorf("it has %d entries, expected one for each of %d channels", len(list), count)
	}
	if count > maxChannels {
		return fmt.Errorf("%d channels, expected at most %d", count, maxChannels)
	}
	return nil
}

func (k *marker) checkConversion(name string, v Override) error {
	c := v.Convert
	switch {
	case c.Type == 0:
		return fmt.Errorf("convert has no quant_type")
	case tensor.DType(c.Type) == k.o.typeOf(v):
		return fmt.Errorf("convert has the same type as the value, %s", tensor.DType(c.Type))
	case k.o.DedicatedPairs:
		return fmt.Errorf("convert cannot be combined with separate QuantizeLinear and DequantizeLinear nodes for each reader")
	}
	for _, node := range c.Receivers {
		if !slices.ContainsFunc(k.readers[name], func(i int) bool { return k.nodes[i].Name() == node }) {
			return fmt.Errorf("recv_nodes has node %q, which does not read the value", node)
		}
	}
	return k.checkOne(name, c.override(), c.override())
}

// checkOne checks one override against the first of the list.
func (k *marker) checkOne(name string, v, first Override) error {
	d := k.o.typeOf(first)
	if k.inits[name] == nil && !slices.Contains(activationTypes, d) {
		return fmt.Errorf("activations cannot be quantized to %s, expected i8, u8, i16 or u16", d)
	}
	if d == tensor.F8E4M3FN && (v.Symmetric != nil || v.ReduceRange != nil || v.Min != nil || v.Max != nil) {
		return fmt.Errorf("symmetric, reduce_range, rmin and rmax have no effect with type %s, whose zero point is 0 and whose scale follows from the standard deviation", d)
	}
	finite := func(x *float32) bool { return x == nil || !math.IsNaN(float64(*x)) && !math.IsInf(float64(*x), 0) }
	switch {
	case (v.Scale == nil) != (v.Zero == nil):
		return fmt.Errorf("scale and zero_point must be set together")
	case (v.Scale == nil) != (first.Scale == nil):
		return fmt.Errorf("scale and zero_point must be set for all channels or for none")
	case v.Scale != nil && (v.Symmetric != nil || v.ReduceRange != nil || v.Min != nil || v.Max != nil):
		return fmt.Errorf("scale and zero_point cannot be combined with symmetric, reduce_range, rmin and rmax")
	case v.Scale != nil && !(*v.Scale > 0 && finite(v.Scale)):
		return fmt.Errorf("scale is %v, expected a number above 0", *v.Scale)
	case !finite(v.Min) || !finite(v.Max) || v.Min != nil && v.Max != nil && *v.Min > *v.Max:
		return fmt.Errorf("rmin and rmax are not a range of finite numbers")
	case first.Axis != nil && (v.Min == nil) != (v.Max == nil):
		return fmt.Errorf("rmin and rmax of a channel must be set together")
	case first.Axis != nil && (v.Min == nil) != (first.Min == nil):
		return fmt.Errorf("rmin and rmax must be set for all channels or for none")
	case v.Type != 0 && v.Type != first.Type, v.Axis != nil && (first.Axis == nil || *v.Axis != *first.Axis),
		v.Symmetric != nil && (first.Symmetric == nil || *v.Symmetric != *first.Symmetric),
		v.ReduceRange != nil && (first.ReduceRange == nil || *v.ReduceRange != *first.ReduceRange):
		return fmt.Errorf("quant_type, axis, symmetric and reduce_range of a channel must equal those of the first")
	}
	if v.Zero == nil {
		return nil
	}
	if k.inits[name] != nil && first.Type == 0 {
		return nil // its type depends on its readers; stated checks it later
	}
	return checkZero(*v.Zero, d)
}

// checkZero returns an error if a zero point is outside the range of the type.
func checkZero(zero int64, d tensor.DType) error {
	lo, hi, err := tensor.AffineRule{Type: d}.Codes()
	if err != nil {
		return err
	}
	if d == tensor.F8E4M3FN {
		lo, hi = 0, 0
	}
	if float64(zero) < lo || float64(zero) > hi {
		return fmt.Errorf("zero_point is %d, expected %v to %v for type %s", zero, lo, hi, d)
	}
	return nil
}
