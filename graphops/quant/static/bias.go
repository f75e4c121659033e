package static

import (
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// numbers returns the elements of a small constant.
func numbers(t *graphops.Tensor) ([]float64, error) {
	n, err := t.Elements()
	if err != nil {
		return nil, err
	}
	if n > maxChannels {
		return nil, fmt.Errorf("%d elements, expected at most %d", n, maxChannels)
	}
	data, err := t.Data()
	if err != nil {
		return nil, err
	}
	b, err := data.Bytes()
	if err != nil {
		return nil, err
	}
	return tensor.Tensor{DType: t.DType(), Shape: t.Dims(), Data: b}.Float64s()
}

// biasRange is the width of the range of integers for a bias.
const biasRange = 2 * math.MaxInt32

// biasMargin is the factor by which the scale of a bias exceeds the smallest possible one, so that
// rounding does not exceed the range.
const biasMargin = 1.0001

// adjustWeights increases the scale of a weight if a bias would not fit into int32. A bias is
// stored with the scale of the products, which is the product of that scale and the scale of the
// other factor.
func (e *emitter) adjustWeights() error {
	if e.o.KeepWeightScales || e.sizesOnly { // a Draft does not read biases
		return nil
	}
	for _, b := range e.biases {
		c := e.constants[b.w]
		_, known := e.ranges[b.x]
		if !known || e.marks[b.x] == nil || c == nil || !c.adjustable() {
			continue
		}
		x, err := e.affineRead(b.x, b.node)
		if err != nil {
			return err
		}
		values, err := numbers(e.inits[b.name])
		if err != nil {
			return fmt.Errorf("bias %q: %w", b.name, err)
		}
		c.adjust(float64(x.Scale), values)
	}
	return nil
}

// adjustable reports whether the integers are of a signed type with zero points 0.
func (c *constant) adjustable() bool {
	for _, a := range c.by {
		if a.Zero != 0 {
			return false
		}
	}
	return c.rule.Type == tensor.I8 || c.rule.Type == tensor.I16
}

func (c *constant) adjust(x float64, bias []float64) {
	if len(c.by) == 0 {
		return
	}
	needed := make([]float64, len(c.by))
	for i, b := range bias {
		// As in the reference, scales per channel are computed in float32 and a single scale in
		// float64.
		s := biasMargin * (2 * math.Abs(b)) / biasRange
		if c.perChannel {
			s = float64(float32(biasMargin)*float32(2*math.Abs(b))) / biasRange
		}
		needed[i%len(needed)] = max(needed[i%len(needed)], s)
	}
	for i := range c.by {
		w := float64(c.by[i].Scale)
		if product := x * w; product < needed[i] && product > 0 {
			c.by[i].Scale = float32(w * (needed[i] / product))
		}
	}
}

// affineRead returns the parameters of an activation as node i reads it.
func (e *emitter) affineRead(name string, i int) (tensor.Affine, error) {
	v := e.o.override(name)
	if c := v.Convert; c != nil && (c.Receivers == nil || slices.Contains(c.Receivers, e.nodes[i].Name())) {
		v = c.override()
	}
	_, a, err := e.affineOf(name, v)
	return a, err
}

// scalesOf returns the scales of a value that a node reads.
func (e *emitter) scalesOf(name string, i int) []float32 {
	p, ok := e.params[name]
	if !ok {
		return nil
	}
	return e.forReader(p, i).scales
}

// emitBias writes a bias as int32. Its scale is the product of the scales of the two factors, so
// that it can be added to the integer products.
func (e *emitter) emitBias(b bias) error {
	if _, done := e.params[b.name]; done {
		return nil
	}
	t := e.inits[b.name]
	x, w := e.scalesOf(b.x, b.node), e.scalesOf(b.w, b.node)
	if len(x) != 1 || len(w) == 0 {
		e.report.depart(unscaledBias)
		e.warn("bias %q stays in float32: %q and %q are not both quantized", b.name, b.x, b.w)
		return nil
	}
	values, err := numbers(t)
	if err != nil {
		return fmt.Errorf("bias %q: %w", b.name, err)
	}
	if at := slices.IndexFunc(values, notFinite); at >= 0 {
		e.warn("bias %q stays in float32: its element %d is %v, which integers cannot represent", b.name, at, values[at])
		return nil
	}
	if len(w) > 1 && (len(t.Dims()) != 1 || len(values)%len(w) != 0) {
		e.report.depart(biasShape)
		return nil
	}
	scales := make([]float32, len(w))
	if len(w) > 1 {
		// the groups of a ConvTranspose share the scales of the weight
		scales = make([]float32, len(values))
	}
	if b.beta != 1 {
		e.report.depart(gemmBeta)
		e.setBeta(b.node)
	}
	for i := range scales {
		scales[i] = x[0] * w[i%len(w)]
	}
	return e.writeBias(b.name, t.Dims(), e.biasCodes(b.name, values, scales, b.beta), scales)
}

// biasCodes returns the elements of a bias, multiplied by factor and divided by the scales, as
// integers.
func (e *emitter) biasCodes(name string, values []float64, scales []float32, factor float64) []int64 {
	codes, cut := make([]int64, len(values)), 0
	for i, v := range values {
		if notFinite(v) {
			e.notFinite.Note(mainGraph, name, &tensor.NotFiniteError{Index: int64(i), Value: float32(v)})
			return codes
		}
		q := math.RoundToEven(v * factor / float64(scales[i%len(scales)]))
		if q < math.MinInt32 || q > math.MaxInt32 {
			q = min(max(q, math.MinInt32), math.MaxInt32)
			cut++
		}
		codes[i] = int64(q)
	}
	if cut > 0 {
		e.warn("%d of %d elements of bias %q do not fit into int32 at the scale of the products; keep biases in float, or use a signed 8-bit type for weights", cut, len(values), name)
	}
	return codes
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

func (e *emitter) writeBias(name string, dims []int64, codes []int64, scales []float32) error {
	var zeroDims []int64
	var attrs []*graphops.Attribute
	if len(scales) > 1 {
		zeroDims = []int64{int64(len(scales))}
		attrs = []*graphops.Attribute{graphops.IntAttribute("axis", 0)}
	}
	q, err := tensor.FromInt64s(tensor.I32, codes, dims...)
	if err != nil {
		return err
	}
	zero, err := tensor.FromInt64s(tensor.I32, make([]int64, len(scales)), zeroDims...)
	if err != nil {
		return err
	}
	quantized := e.add(name+"_quantized", q)
	p := params{
		scale:  e.add(name+"_quantized_scale", tensor.FromSlice(scales, int64(len(scales)))),
		zero:   e.add(name+"_quantized_zero_point", zero),
		scales: scales, perChannel: len(scales) > 1,
	}
	e.params[name] = p
	e.gone[name] = true
	e.node("DequantizeLinear", name+"_DequantizeLinear", []string{quantized, p.scale, p.zero}, name, attrs...)
	return nil
}

// setBeta sets the beta of a Gemm to 1, because the stored bias is already multiplied by it.
func (e *emitter) setBeta(i int) {
	var attrs []*graphops.Attribute
	for _, a := range e.nodes[i].Attributes() {
		if a.Name() != "beta" {
			attrs = append(attrs, a)
		}
	}
	e.nodes[i] = e.nodes[i].WithAttributes(attrs)
}
