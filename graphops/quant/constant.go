package quant

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// recipe says how a constant is quantized.
type recipe struct {
	rule       tensor.AffineRule
	axis       int  // that has a scale for each index
	perChannel bool // there is such an axis
	transposed bool // the codes are written transposed
}

// quantizeConstant adds scale, zero point and codes of t, named after base, to
// the graph. t is what the original calls name.
func (d *dynamic) quantizeConstant(base, name string, t *graphops.Tensor, r recipe) (value, weight, error) {
	data, err := d.dataOf(name, t)
	if err != nil {
		return value{}, weight{}, err
	}
	by, err := d.affines(data, r.channels(t), r.rule)
	if err != nil {
		return value{}, weight{}, fmt.Errorf("weight %q: %w", name, err)
	}
	v := value{
		scale:      d.names.Value(base + "_scale"),
		zero:       d.names.Value(base + "_zero_point"),
		q:          d.names.Value(base + "_quantized"),
		perChannel: r.perChannel,
		floatStays: d.captured[base],
	}
	scale, zero, err := parameters(v, by, r)
	if err != nil {
		return value{}, weight{}, fmt.Errorf("weight %q: %w", name, err)
	}
	d.added = append(d.added, scale, zero, graphops.NewTensor(v.q, r.rule.Type, r.dims(t), r.codes(data, t, by)))
	d.sources[name] = data.Len()
	return v, weight{name, data.Len(), data.Len()/4 + int64(len(by))*5}, nil
}

// dataOf are the elements of the constant behind name. An error names it.
func (d *dynamic) dataOf(name string, t *graphops.Tensor) (graphops.Payload, error) {
	if d.initializer(name) != nil {
		return t.Data()
	}
	d.report.depart(ConstantNode)
	data, err := t.Data() // which has no name of its own
	if err != nil {
		err = fmt.Errorf("weight %q: %w", name, err)
	}
	return data, err
}

// channels are the parts of t that have a scale each.
func (r recipe) channels(t *graphops.Tensor) tensor.Channels {
	if !r.perChannel {
		return tensor.OneChannel
	}
	return tensor.ChannelsAlong(t.Dims(), r.axis)
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
	if notFinite := (*tensor.NotFiniteError)(nil); errors.As(err, &notFinite) {
		return nil, fmt.Errorf("%w; mend the weight or exclude the node", err)
	}
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

// codes is a constant quantized whenever it is read.
func (r recipe) codes(data graphops.Payload, t *graphops.Tensor, by []tensor.Affine) graphops.Payload {
	n := data.Len() / 4
	dims := t.Dims()
	return graphops.TransformPayload(n, func(w io.Writer) error {
		if !r.transposed {
			return tensor.Quantize(w, data.Reader(), n, r.rule.Type, r.channels(t), by)
		}
		at, err := readerAt(data)
		if err != nil {
			return err
		}
		return tensor.QuantizeTransposed(w, at, dims[0], dims[1], r.rule.Type, by)
	})
}

// readerAt reads anywhere in a file or in bytes; what is computed is held.
func readerAt(data graphops.Payload) (io.ReaderAt, error) {
	if at, ok := data.Reader().(io.ReaderAt); ok {
		return at, nil
	}
	b, err := data.Bytes()
	return bytes.NewReader(b), err
}
