package static

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// constant is an initializer that becomes integers.
type constant struct {
	name       string
	dims       []int64
	data       graphops.Payload
	rule       tensor.AffineRule
	perChannel bool
	axis       int
	by         []tensor.Affine
	form       *operand // the names of its parts in FormatOperators
}

func (c *constant) channels() tensor.Channels {
	if !c.perChannel {
		return tensor.OneChannel
	}
	return tensor.ChannelsAlong(c.dims, c.axis)
}

func (c *constant) codesLen() int64 { return (c.data.Len()/4*int64(c.rule.Type.Bits()) + 7) / 8 }

// findConstants reads all marked initializers to find their scales and zero points.
func (e *emitter) findConstants() error {
	for _, name := range e.marked {
		m, t := e.marks[name], e.inits[name]
		if m == nil || t == nil || e.constants[name] != nil || m.shared != "" {
			continue
		}
		c, err := e.constantOf(name, t, m)
		if err != nil {
			return fmt.Errorf("weight %q: %w", name, err)
		}
		e.constants[name] = c
	}
	return nil
}

func (e *emitter) constantOf(name string, t *graphops.Tensor, m *mark) (*constant, error) {
	rule := tensor.AffineRule{Type: e.o.ActivationType, Symmetric: e.o.ActivationSymmetric, Reduced: e.o.ReduceRange}
	v := e.o.override(name)
	if m.weight {
		rule.Type = e.o.WeightType
	}
	if v.Type != 0 {
		rule.Type = tensor.DType(v.Type)
	}
	if m.weight {
		rule.Symmetric = e.o.symmetricWeight(rule.Type)
	}
	perChannel, axis := m.perChannel, m.axis
	if v.Axis != nil {
		perChannel, axis = true, (*v.Axis+len(t.Dims()))%len(t.Dims())
	}
	rule.Symmetric = rule.Symmetric || perChannel
	if v.Symmetric != nil {
		rule.Symmetric = *v.Symmetric
	}
	if v.ReduceRange != nil {
		rule.Reduced = *v.ReduceRange
	}
	return e.newConstant(name, t, rule, perChannel, axis)
}

// newConstant reads an initializer to find its scales and zero points.
func (e *emitter) newConstant(name string, t *graphops.Tensor, rule tensor.AffineRule, perChannel bool, axis int) (*constant, error) {
	data, err := t.Data()
	if err != nil {
		return nil, err
	}
	c := &constant{name: name, dims: t.Dims(), data: data, rule: rule, perChannel: perChannel, axis: axis}
	if e.sizesOnly {
		c.by = slices.Repeat([]tensor.Affine{{Scale: 1}}, int(c.channels().Count))
		return c, nil
	}
	list := e.o.Overrides[name]
	if stated := len(list) > 0 && list[0].Scale != nil; rule.Type == tensor.F8E4M3FN && !stated {
		c.by, err = e.float8Scales(data, c.channels())
		return c, e.leftOut(c, err)
	}
	ranges, err := tensor.Ranges(stoppable{e.ctx, data.Reader()}, data.Len()/4, c.channels())
	if err != nil {
		return c, e.leftOut(c, err)
	}
	c.by = make([]tensor.Affine, len(ranges))
	for i, r := range ranges {
		v := Override{}
		if i < len(list) {
			v = list[i]
		}
		if v.Scale != nil {
			if c.by[i], err = v.stated(rule.Type); err != nil {
				return nil, err
			}
			continue
		}
		if r = v.within(r); data.Len() > 0 {
			r = e.o.widened(r)
		}
		if r.Overflows(c.rule.Symmetric) {
			e.report.depart(rangeOverflow)
		}
		if c.by[i], err = c.rule.Affine(r); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// leftOut records a constant that contains NaN or an infinity. It gets placeholder scales so that
// the run can continue and find further ones; the result of the run is not used. Any other error is
// returned.
func (e *emitter) leftOut(c *constant, err error) error {
	if !e.notFinite.Note(mainGraph, c.name, err) {
		return err
	}
	c.by = slices.Repeat([]tensor.Affine{{Scale: 1}}, int(c.channels().Count))
	return nil
}

func (o Options) weightSymmetric() bool {
	return o.symmetricWeight(o.WeightType)
}

// symmetricWeight reports whether weights of the type have zero point 0.
func (o Options) symmetricWeight(d tensor.DType) bool {
	if o.WeightSymmetric == quant.SymmetryByType {
		return d == tensor.I8 || d == tensor.I16 || d == tensor.I4
	}
	return o.WeightSymmetric == quant.Symmetric
}

// widened returns the range, extended to the minimum width in the options.
func (o Options) widened(r tensor.Range) tensor.Range {
	return r.Widened(o.MinimumRealRange)
}

// affineOf returns the type, scale and zero point of an activation.
func (k *marker) affineOf(name string, v Override) (tensor.DType, tensor.Affine, error) {
	d := k.o.typeOf(v)
	if v.Scale != nil {
		a, err := v.stated(d)
		return d, a, err
	}
	if d == tensor.F8E4M3FN {
		a, err := k.float8(name)
		return d, a, err
	}
	r, ok := k.ranges[name]
	if !ok {
		return d, tensor.Affine{}, uncalibrated(name)
	}
	a, err := k.affine(r, v)
	if err != nil {
		return d, a, fmt.Errorf("value %q: %w", name, err)
	}
	return d, a, nil
}

func uncalibrated(name string) error {
	return fmt.Errorf("value %q has no calibrated range; calibrate the model with the same operators to quantize, or exclude the nodes around it", name)
}

// affine returns the scale and zero point for a range, after the override is applied to it.
func (k *marker) affine(r calibration.Range, v Override) (tensor.Affine, error) {
	d := k.o.typeOf(v)
	lo, hi := float32(r.Low), float32(r.High)
	if !usable(r) {
		return tensor.Affine{}, fmt.Errorf("its range is from %v to %v, expected finite numbers in that order; calibrate again, or exclude the nodes around it", r.Low, r.High)
	}
	within := v.within(tensor.Range{Min: min(lo, 0), Max: max(hi, 0)})
	rule := tensor.AffineRule{Type: d, Symmetric: k.o.ActivationSymmetric}
	if v.Symmetric != nil {
		rule.Symmetric = *v.Symmetric
	}
	if k.o.RestrictedAsymmetric && d == tensor.U8 && !rule.Symmetric {
		return k.restricted(float64(within.Min), float64(within.Max)), nil
	}
	in := k.o.widened(within)
	if in.Overflows(rule.Symmetric) {
		k.report.depart(rangeOverflow)
	}
	return rule.Affine(in)
}

// usable reports whether the ends of a range are finite float32 numbers in order.
func usable(r calibration.Range) bool {
	lo, hi := float32(r.Low), float32(r.High)
	return lo <= hi && !math.IsInf(float64(lo), 0) && !math.IsInf(float64(hi), 0)
}

// restricted returns the scale and zero point for RestrictedAsymmetric, in type U8. The zero point
// is 0 if no number is negative, otherwise 128. The scale is large enough for both ends of the
// range.
func (k *marker) restricted(lo, hi float64) tensor.Affine {
	least := k.o.MinimumRealRange
	if least > 0 {
		hi = max(hi, lo+least)
	}
	var a tensor.Affine
	switch {
	case hi <= lo:
		a.Scale = float32(1.0 / 255)
	case lo >= 0:
		a.Scale = float32(hi / 255)
	default:
		a = tensor.Affine{Scale: float32(max(-lo/128, hi/127)), Zero: 128}
	}
	if float64(a.Scale) < least/255 {
		a.Scale = float32(least / 255)
	}
	return a
}

// emitConstant writes a constant as integers, and the node that converts them to floats.
func (e *emitter) emitConstant(c *constant) error {
	var dims []int64
	var attrs []*graphops.Attribute
	if c.perChannel {
		dims = []int64{int64(len(c.by))}
		attrs = []*graphops.Attribute{graphops.IntAttribute("axis", int64(c.axis))}
	}
	zero, scale, err := c.parameters(dims)
	if err != nil {
		return err
	}
	p := params{scales: c.scales(), perChannel: c.perChannel}
	p.zero, p.scale = e.add(c.name+"_zero_point", zero), e.add(c.name+"_scale", scale)
	e.params[c.name] = p
	var out string
	if e.o.PairAtWeights {
		out = e.pair(c.name, c.name, "", "", p, attrs...)
	} else {
		codes := e.names.Value(c.name + "_quantized")
		e.added = append(e.added, graphops.NewTensor(codes, c.rule.Type, c.dims, c.codes()))
		out = e.names.Value(c.name + "_DequantizeLinear_Output")
		e.node("DequantizeLinear", c.name+"_DequantizeLinear", []string{codes, p.scale, p.zero}, out, attrs...)
	}
	for _, i := range e.readers[c.name] {
		if !c.perChannel || e.takesChannels(i, c.name) {
			e.replaceIn(i, c.name, out)
		}
	}
	return nil
}

func (c *constant) scales() []float32 {
	out := make([]float32, len(c.by))
	for i, a := range c.by {
		out[i] = a.Scale
	}
	return out
}

// parameters returns the zero points and scales of a constant.
func (c *constant) parameters(dims []int64) (zero, scale tensor.Tensor, err error) {
	zeros := make([]int64, len(c.by))
	for i, a := range c.by {
		zeros[i] = int64(a.Zero)
	}
	zero, err = zeroPoints(c.rule.Type, zeros, dims...)
	return zero, tensor.FromSlice(c.scales(), dims...), err
}

// zeroPoints returns a tensor of zero points.
func zeroPoints(d tensor.DType, values []int64, dims ...int64) (tensor.Tensor, error) {
	if d == tensor.F8E4M3FN { // all are 0
		return tensor.FromFloat64s(d, make([]float64, len(values)), dims...)
	}
	return tensor.FromInt64s(d, values, dims...)
}

// codes returns a payload that quantizes the constant each time it is read.
func (c *constant) codes() graphops.Payload {
	n := c.data.Len() / 4
	return graphops.TransformPayload(c.codesLen(), func(w io.Writer) error {
		return tensor.Quantize(w, c.data.Reader(), n, c.rule.Type, c.channels(), c.by)
	})
}

// stoppable is a reader that stops with an error when its context is cancelled.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

// stoppableOf returns a function that opens a stoppable reader of the data.
func stoppableOf(ctx context.Context, data graphops.Payload) func() io.Reader {
	return func() io.Reader { return stoppable{ctx, data.Reader()} }
}

func (s stoppable) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(b)
}
