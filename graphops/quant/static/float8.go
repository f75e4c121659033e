package static

import (
	"context"
	"fmt"
	"math"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/opset"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// isFloat8 reports whether the model is to compute with 8-bit floats instead of integers.
func (o Options) isFloat8() bool { return o.ActivationType == tensor.F8E4M3FN }

// checkFloat8 returns an error for options that have no meaning for 8-bit floats.
func (o Options) checkFloat8() error {
	if o.isFloat8() != (o.WeightType == tensor.F8E4M3FN) {
		return fmt.Errorf("activations have type %s and weights have type %s: type %s must be used for both or for neither", o.ActivationType, o.WeightType, tensor.F8E4M3FN)
	}
	if !o.isFloat8() {
		return nil
	}
	for _, idle := range []struct {
		what string
		set  bool
	}{
		{"an unused bit in each weight", o.ReduceRange},
		{"the restriction of zero points to 0 and 128", o.RestrictedAsymmetric},
		{"the symmetry of weights", o.WeightSymmetric != quant.SymmetryByType},
		{"the minimum width of a range", o.MinimumRealRange > 0},
		{"QuantizeLinear of domain com.microsoft", o.ContribOps},
	} {
		if idle.set {
			return fmt.Errorf("%s has no effect with type %s, whose zero point is 0 and whose scale follows from the standard deviation", idle.what, tensor.F8E4M3FN)
		}
	}
	return nil
}

// takeTable stores the calibrated ranges and deviations.
func (k *marker) takeTable(table *calibration.Table) error {
	if k.o.isFloat8() && table.Method != calibration.MethodDistribution {
		return fmt.Errorf("type %s needs calibration by method %s, but the method used is %s", tensor.F8E4M3FN, calibration.MethodDistribution, table.Method)
	}
	for name, c := range table.Tensors {
		k.ranges[name] = c.Range
		k.spreads[name] = tensor.Spread{Mean: float32(c.Mean), Deviation: float32(c.Deviation)}
	}
	return nil
}

// softmaxSpread gives the scale 1/256, with which 1 can be represented. A scale from the deviation
// of the numbers would cut off the few large outputs of a Softmax, which are the ones that matter.
var softmaxSpread = tensor.Spread{Deviation: tensor.DeviationF8E4M3FN / 256}

// float8 returns the scale of an activation.
func (k *marker) float8(name string) (tensor.Affine, error) {
	s, ok := k.spreads[name]
	if x := float64(s.Deviation); ok && (math.IsNaN(x) || math.IsInf(x, 0)) || s.Mean-s.Mean != 0 {
		return tensor.Affine{}, fmt.Errorf("value %q: its standard deviation is %v and its mean is %v, expected finite numbers; calibrate again, or exclude the nodes around it", name, s.Deviation, s.Mean)
	}
	if !ok {
		return tensor.Affine{}, uncalibrated(name)
	}
	return k.float8Of(s), nil
}

func (k *marker) float8Of(s tensor.Spread) tensor.Affine {
	a, offset := s.Float8()
	if offset {
		k.report.depart(offsetNumbers)
	}
	return a
}

// float8Scales returns the scales of a constant.
func (e *emitter) float8Scales(data graphops.Payload, c tensor.Channels) ([]tensor.Affine, error) {
	spreads, wide, err := tensor.Spreads(stoppableOf(e.ctx, data), data.Len()/4, c)
	if err != nil {
		return nil, err
	}
	if wide {
		e.report.depart(rangeOverflow)
	}
	out := make([]tensor.Affine, len(spreads))
	for i, s := range spreads {
		if data.Len() == 0 {
			out[i].Scale = 1
			continue
		}
		out[i] = e.float8Of(s)
	}
	return out, nil
}

// stepFloat8 returns the distance between neighbouring numbers of the type at x. If x is beyond the
// largest number, it returns how much of x is cut off.
func stepFloat8(x, scale float64) float64 {
	const bits, least, last = 3, -6, 448
	t := max(x/scale, 0x1p-9)
	if t > last {
		return scale * (t - last)
	}
	_, exponent := math.Frexp(t)
	return math.Ldexp(scale, max(exponent-1, least)-bits)
}

// opsetFloat8 is the first opset whose QuantizeLinear produces 8-bit floats.
const opsetFloat8 = 19

// raisedForFloat8 returns the model in an opset that supports 8-bit floats. There is no
// alternative, because ONNX Runtime's own operators do not support them.
func raisedForFloat8(ctx context.Context, m *graphops.Model, r *Report) (*graphops.Model, error) {
	later, added, err := opset.AtLeast(ctx, m, opsetFloat8)
	if err != nil {
		return nil, fmt.Errorf("type %s needs opset %d: %w", tensor.F8E4M3FN, opsetFloat8, err)
	}
	if added {
		r.depart(carriedAttribute)
	}
	return later, nil
}

// emitFloatBias keeps a bias in float32 next to weights of 8-bit floats. As in the reference, it is
// read through a Cast.
func (e *emitter) emitFloatBias(b bias) {
	if _, done := e.params[b.name]; done {
		return
	}
	x, w := e.scalesOf(b.x, b.node), e.scalesOf(b.w, b.node)
	if len(x) == 0 || len(w) == 0 {
		e.report.depart(unscaledBias)
		return
	}
	if b.beta != 1 { // the node multiplies the bias by beta
		e.report.depart(gemmBeta)
	}
	t := e.inits[b.name]
	kept := e.names.Value(b.name + "_quantized")
	e.added = append(e.added, t.WithName(kept))
	e.params[b.name] = params{}
	e.gone[b.name] = true
	e.emitted = append(e.emitted, graphops.NewNode(graphops.NodeSpec{
		Op: "Cast", Name: e.names.Node(b.name + "_DequantizeLinear"), Inputs: []string{kept}, Outputs: []string{b.name},
		Attributes: []*graphops.Attribute{graphops.IntAttribute("to", int64(tensor.F32))},
	}))
}
