package quant

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// recipe describes how a constant is quantized.
type recipe struct {
	rule     tensor.AffineRule
	channels tensor.Channels
	scales   []int64 // the shape of scales and zero points, with one element for each channel
	// matrices is the number of equally shaped matrices that follow each other in the constant
	// and are written transposed, each on its own; 0 keeps the order of the elements. There is one
	// scale for each row of a matrix, or for each matrix, or for all together.
	matrices int64
}

// whole returns the recipe with one scale for all elements.
func whole(rule tensor.AffineRule) recipe {
	return recipe{rule: rule, channels: tensor.OneChannel}
}

// columns returns the recipe with one scale for each column of a matrix.
func columns(rule tensor.AffineRule, dims []int64) recipe {
	return recipe{rule: rule, channels: tensor.ChannelsAlong(dims, 1), scales: dims[1:]}
}

// rows returns the recipe with one scale for each row of a matrix.
func rows(rule tensor.AffineRule, dims []int64) recipe {
	return recipe{rule: rule, channels: tensor.ChannelsAlong(dims, 0), scales: dims[:1]}
}

// transposed returns the recipe with the integers of the matrix written transposed.
func (r recipe) transposed() recipe {
	r.matrices = 1
	return r
}

// quantizeConstant adds the scale, zero point and integers of t to the graph, with names derived
// from base. name is the name of t in the original graph.
func (s *scope) quantizeConstant(base, name string, t *graphops.Tensor, r recipe) (value, weight, error) {
	data, err := s.dataOf(name, t)
	if err != nil {
		return value{}, weight{}, err
	}
	by, err := s.scalesOf(name, data, r)
	if err != nil {
		return value{}, weight{}, fmt.Errorf("weight %q: %w", name, err)
	}
	v := value{
		scale:      s.names.Value(base + "_scale"),
		zero:       s.names.Value(base + "_zero_point"),
		q:          s.names.Value(base + "_quantized"),
		perChannel: len(r.scales) > 0,
		floatStays: s.captured[base],
	}
	scale, zero, err := by.parameters(v, r)
	if err != nil {
		return value{}, weight{}, fmt.Errorf("weight %q: %w", name, err)
	}
	s.added = append(s.added, scale, zero, graphops.NewTensor(v.q, r.rule.Type, r.dims(t), r.codes(data, t, by)))
	s.sources[name] = data.Len()
	w := weight{name, data.Len(), data.Len()/4 + r.channels.Count*5}
	if s.sketch != nil {
		s.sketch.constant(s, name, t, w.before, w.after, r)
	}
	return v, w, nil
}

// dataOf returns the elements of the constant with the given name. Its error says which constant
// it is.
func (s *scope) dataOf(name string, t *graphops.Tensor) (graphops.Payload, error) {
	if s.initializer(name) != nil {
		return t.Data()
	}
	s.report.depart(constantNode)
	data, err := t.Data() // the tensor of a Constant node has no name
	if err != nil {
		err = fmt.Errorf("weight %q: %w", name, err)
	}
	return data, err
}

// dims returns the shape of the stored integers.
func (r recipe) dims(t *graphops.Tensor) []int64 {
	dims := slices.Clone(t.Dims())
	if last := len(dims) - 1; r.matrices > 0 {
		dims[last-1], dims[last] = dims[last], dims[last-1]
	}
	return dims
}

// scalesOf returns the scales and zero points of a constant. Unless the options say that this is done
// later, or a draft is made, it reads the constant to find them.
func (s *scope) scalesOf(name string, data graphops.Payload, r recipe) (*scales, error) {
	switch {
	case s.sketch != nil:
		return known(s.sketch.affines(r.channels)), nil
	case s.o.ScalesLater:
		return s.scalesLater(name, data, r.channels, r.rule), nil
	}
	by, wide, err := affines(s.meter.reader(data.Reader()), data.Len()/4, r.channels, r.rule, s.o.MinimumRealRange)
	if err != nil && s.notFinite.Note(s.owner(name).place.ID, name, err) {
		by, err = slices.Repeat([]tensor.Affine{{Scale: 1}}, int(r.channels.Count)), nil
	}
	if wide {
		s.report.depart(rangeOverflow)
	}
	return known(by), err
}

// codes returns a payload that computes the integers of the constant each time it is read, so that
// they are never held in memory.
func (r recipe) codes(data graphops.Payload, t *graphops.Tensor, of *scales) graphops.Payload {
	n := data.Len() / 4
	return graphops.TransformPayload(n, func(w io.Writer) error {
		by, err := of.get()
		if err != nil {
			return err
		}
		if r.matrices == 0 {
			return tensor.Quantize(w, data.Reader(), n, r.rule.Type, r.channels, by)
		}
		return r.transpose(w, data, t.Dims(), by)
	})
}

// transpose writes the integers of each matrix transposed.
func (r recipe) transpose(w io.Writer, data graphops.Payload, dims []int64, by []tensor.Affine) error {
	at, err := readerAt(data)
	if err != nil {
		return err
	}
	size := data.Len() / max(r.matrices, 1)
	for i := range r.matrices {
		part := by
		if each := int64(len(by)) / r.matrices; each > 0 {
			part = by[i*each : (i+1)*each]
		}
		matrix := io.NewSectionReader(at, i*size, size)
		if err := tensor.QuantizeTransposed(w, matrix, dims[len(dims)-2], dims[len(dims)-1], r.rule.Type, part); err != nil {
			return err
		}
	}
	return nil
}

// readerAt returns random access to the data. Data that is computed while it is read is held in
// memory for that.
func readerAt(data graphops.Payload) (io.ReaderAt, error) {
	if at, ok := data.Reader().(io.ReaderAt); ok {
		return at, nil
	}
	b, err := data.Bytes()
	return bytes.NewReader(b), err
}
