package quant

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// weight tells how large a constant was before and after. Of a constant that
// was quantized before, the sizes are 0.
type weight struct {
	name          string
	before, after int64
}

// recipe says how a constant is quantized.
type recipe struct {
	rule       tensor.AffineRule
	axis       int  // that has a scale for each index
	perChannel bool // there is such an axis
	transposed bool // the codes are written transposed
}

// weight is the quantized form of the constant behind name for a second factor.
func (d *dynamic) weight(name string, t *graphops.Tensor, transposed bool) (value, weight, error) {
	key := name
	if transposed {
		key = d.transposedName(name)
	}
	if v, ok := d.values[key]; ok {
		return v, weight{name: name}, nil
	}
	r := recipe{
		rule:       tensor.AffineRule{Type: d.o.WeightType, Symmetric: d.o.symmetric(d.o.WeightType), Reduced: d.o.ReduceRange},
		perChannel: d.o.PerChannel && len(t.Dims()) == 2,
		axis:       1,
		transposed: transposed,
	}
	if transposed {
		r.axis = 0 // which is the last one of the transpose
	}
	if d.o.PerChannel && !r.perChannel {
		d.report.depart(PerChannelRank)
	}
	v, w, err := d.quantizeConstant(key, name, t, r)
	if err == nil {
		d.values[key] = v
	}
	return v, w, err
}

// table is the quantized form of the constant behind name for a Gather or a
// first factor: of the type and symmetry that activations have, one scale.
func (d *dynamic) table(name string, t *graphops.Tensor) (value, weight, error) {
	v, ok := d.values[name]
	if ok && !v.perChannel {
		return v, weight{name: name}, nil
	}
	if w, again := d.tables[name]; again {
		return w, weight{name: name}, nil
	}
	r := recipe{rule: tensor.AffineRule{Type: tensor.U8, Symmetric: d.o.symmetric(tensor.U8)}}
	made, w, err := d.quantizeConstant(name, name, t, r)
	switch {
	case err != nil:
	case ok:
		d.report.depart(PerChannelActivation)
		d.tables[name] = made
	default:
		d.values[name] = made
	}
	return made, w, err
}

// transposedName is the name that the transposed copy of a constant goes by:
// the constant's own if nothing reads it otherwise.
func (d *dynamic) transposedName(name string) string {
	if to, ok := d.transposes[name]; ok {
		d.report.depart(SharedTransposedWeight)
		return to
	}
	to := name
	if !d.onlyTransposed(name) {
		d.report.depart(SharedTransposedWeight)
		to = d.names.value(name + "_Transposed")
	}
	d.transposes[name] = to
	if d.statesShape(name) {
		d.report.depart(TransposedValueInfo)
	}
	return to
}

// statesShape reports whether value_info tells the shape of a constant matrix
// that its transpose does not have.
func (d *dynamic) statesShape(name string) bool {
	dims := d.constant(name).Dims()
	return dims[0] != dims[1] && slices.ContainsFunc(d.graph.ValueInfo(), func(v *graphops.ValueInfo) bool {
		return v.Name() == name && v.Type().Shape != nil
	})
}

// quantizeConstant adds scale, zero point and codes of t, named after base, to
// the graph. t is what the original calls name.
func (d *dynamic) quantizeConstant(base, name string, t *graphops.Tensor, r recipe) (value, weight, error) {
	fail := func(err error) (value, weight, error) {
		if notFinite := (*tensor.NotFiniteError)(nil); errors.As(err, &notFinite) {
			err = fmt.Errorf("%w; mend the weight or exclude the node", err)
		}
		return value{}, weight{}, fmt.Errorf("weight %q: %w", name, err)
	}
	if d.initializer(name) == nil {
		d.report.depart(ConstantNode)
	}
	data, err := t.Data()
	if err != nil && t.Name() == name {
		return value{}, weight{}, err // it names the tensor
	}
	if err != nil {
		return fail(err)
	}
	channels := tensor.OneChannel
	if r.perChannel {
		channels = tensor.ChannelsAlong(t.Dims(), r.axis)
	}
	by, err := d.affines(data, channels, r.rule)
	if err != nil {
		return fail(err)
	}
	v := value{
		scale: d.names.value(base + "_scale"), zero: d.names.value(base + "_zero_point"), q: d.names.value(base + "_quantized"),
		perChannel: r.perChannel,
		floatStays: d.captured[base],
	}
	scale, zero, err := parameters(v, by, r)
	if err != nil {
		return fail(err)
	}
	codes := graphops.NewTensor(v.q, r.rule.Type, r.dims(t), codes(data, t.Dims(), channels, by, r))
	d.added = append(d.added, scale, zero, codes)
	d.sources[name] = data.Len()
	return v, weight{name, data.Len(), data.Len()/4 + int64(len(by))*5}, nil
}

// dims is the shape of the codes.
func (r recipe) dims(t *graphops.Tensor) []int64 {
	if r.transposed {
		return []int64{t.Dims()[1], t.Dims()[0]}
	}
	return t.Dims()
}

// affines reads the constant to find the scale and zero point of each channel.
func (d *dynamic) affines(data graphops.Payload, c tensor.Channels, rule tensor.AffineRule) ([]tensor.Affine, error) {
	ranges, err := tensor.Ranges(d.meter.reader(data.Reader()), data.Len()/4, c)
	if err != nil {
		return nil, err
	}
	by := make([]tensor.Affine, len(ranges))
	for i, r := range ranges {
		if r.Overflows(rule.Symmetric) {
			d.report.depart(RangeOverflow)
		}
		if by[i], err = rule.Affine(r); err != nil {
			return nil, err
		}
	}
	return by, nil
}

// parameters are the tensors of scales and zero points: scalars, or vectors
// with an element for each channel.
func parameters(v value, by []tensor.Affine, r recipe) (scale, zero *graphops.Tensor, err error) {
	var dims []int64
	if r.perChannel {
		dims = []int64{int64(len(by))}
	}
	scales, zeros := make([]float32, len(by)), make([]int64, len(by))
	for i, a := range by {
		scales[i], zeros[i] = a.Scale, int64(a.Zero)
	}
	z, err := tensor.FromInt64s(r.rule.Type, zeros, dims...)
	if err != nil {
		return nil, nil, err
	}
	return graphops.NewTensorOf(v.scale, tensor.FromSlice(scales, dims...)), graphops.NewTensorOf(v.zero, z), nil
}

// codes is the constant quantized whenever it is read.
func codes(data graphops.Payload, dims []int64, c tensor.Channels, by []tensor.Affine, r recipe) graphops.Payload {
	n := data.Len() / 4
	return graphops.TransformPayload(n, func(w io.Writer) error {
		if !r.transposed {
			return tensor.Quantize(w, data.Reader(), n, r.rule.Type, c, by)
		}
		// A file and bytes can be read anywhere; what is computed is held.
		at, ok := data.Reader().(io.ReaderAt)
		if !ok {
			b, err := data.Bytes()
			if err != nil {
				return err
			}
			at = bytes.NewReader(b)
		}
		return tensor.QuantizeTransposed(w, at, dims[0], dims[1], r.rule.Type, by)
	})
}

// bytesToRead is the size of all constants that are going to be quantized.
func (d *dynamic) bytesToRead() int64 {
	total := int64(0)
	seen := map[string]bool{}
	for i, n := range d.graph.Nodes() {
		if !d.choices[i].take || n.OpType() == "Transpose" {
			continue
		}
		for _, name := range n.Inputs()[:min(2, len(n.Inputs()))] {
			if t := d.constant(name); t != nil && t.DType() == tensor.F32 && !seen[name] {
				seen[name] = true
				if size, err := t.ByteLen(); err == nil {
					total += size
				}
			}
		}
	}
	return total
}
