package static

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// bias returns the name of a bias stored with the scale of the products of x and w. If it is added
// to products with different scales, there is a copy for each.
func (q *operators) bias(name string, x, w *operand, factor float64) (string, error) {
	for _, b := range q.biases {
		if b.name == name && b.x == x && b.w == w && b.factor == factor {
			return b.form.q, nil
		}
	}
	c := w.constant
	if c != nil && q.o.WeightType == tensor.I8 && c.adjustable() && c.perChannel == q.o.PerChannel && !q.sizesOnly {
		values, err := numbers(q.inits[name])
		if err != nil {
			return "", fmt.Errorf("bias %q: %w", name, err)
		}
		c.adjust(float64(x.by.Scale), values)
	}
	base := name + "_quantized"
	f := &operand{q: q.names.Value(base), scale: q.names.Value(base + "_scale"), zero: q.names.Value(base + "_zero_point"), rule: tensor.I32}
	if c != nil && len(c.by) != 1 {
		f.axis = new(int)
	}
	b := &intBias{name: name, form: f, x: x, w: w, factor: factor}
	b.scales = b.unit()
	for _, other := range q.biases {
		if other.name == name && (other.factor != factor || !slices.Equal(other.scales, b.scales)) {
			q.report.depart(sharedBias)
		}
	}
	q.biases = append(q.biases, b)
	q.forms[name] = append(q.forms[name], f)
	return f.q, nil
}

// unit returns the scales of the products that a bias is added to.
func (b *intBias) unit() []float32 {
	if b.w.constant == nil {
		return []float32{b.x.by.Scale * b.w.by.Scale}
	}
	out := make([]float32, len(b.w.constant.by))
	for i, a := range b.w.constant.by {
		out[i] = b.x.by.Scale * a.Scale
	}
	return out
}

func (q *operators) writeBias(b *intBias) error {
	scales := b.unit()
	if !slices.Equal(scales, b.scales) {
		q.report.depart(sharedWeightScale)
	}
	t := q.inits[b.name]
	values, err := numbers(t)
	if err != nil {
		return fmt.Errorf("bias %q: %w", b.name, err)
	}
	whole, err := tensor.FromInt64s(tensor.I32, q.biasCodes(b.name, values, scales, b.factor), t.Dims()...)
	if err != nil {
		return err
	}
	var zeroDims []int64
	if len(scales) != 1 {
		zeroDims = []int64{int64(len(scales))}
	}
	zero, err := tensor.FromInt64s(tensor.I32, make([]int64, len(scales)), zeroDims...)
	if err != nil {
		return err
	}
	for i := range scales {
		scales[i] /= float32(b.factor)
	}
	q.added = append(q.added,
		graphops.NewTensorOf(b.form.q, whole),
		graphops.NewTensorOf(b.form.scale, tensor.FromSlice(scales, int64(len(scales)))),
		graphops.NewTensorOf(b.form.zero, zero))
	return nil
}
