package quant

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"lathe/graphops"
	"lathe/graphops/aside"
	"lathe/graphops/tensor"
)

// ErrRanges is the error of a save if the range of a weight shows that nodes had to be chosen in
// another way (see DynamicOptions.ScalesLater). Without that option the same model is quantized.
var ErrRanges = errors.New("its numbers decide which nodes can be quantized")

// scales has the scale and zero point of each channel of a constant, which are found when they are
// first needed.
type scales struct {
	by    []tensor.Affine // set if they were known from the beginning
	find  func() ([]tensor.Affine, error)
	begun sync.Once
	wait  func() ([]tensor.Affine, error)
	next  *scales // of the constant that is written next
}

// get returns the scales. Those of the next constant are found meanwhile, so that the disk is also
// read while the integers of this one are computed and written.
func (s *scales) get() ([]tensor.Affine, error) {
	if s.by != nil {
		return s.by, nil
	}
	s.begin()
	by, err := s.wait()
	if s.next != nil && err == nil {
		s.next.begin()
	}
	return by, err
}

// begin starts to find the scales, unless that was done.
func (s *scales) begin() { s.begun.Do(func() { s.wait = aside.Start(s.find) }) }

// scalesLater returns the scales of a constant that is read when it is saved.
func (d *dynamic) scalesLater(name string, data graphops.Payload, c tensor.Channels, rule tensor.AffineRule) *scales {
	s := &scales{find: func() ([]tensor.Affine, error) {
		by, wide, err := affines((&meter{ctx: d.ctx}).reader(data.Reader()), data.Len()/4, c, rule, d.o.MinimumRealRange)
		var infinite *tensor.NotFiniteError
		if wide || errors.As(err, &infinite) {
			err = ErrRanges
		}
		if err != nil {
			err = fmt.Errorf("weight %q: %w", name, err)
		}
		return by, err
	}}
	if d.latest != nil {
		d.latest.next = s
	}
	d.latest = s
	return s
}

// known returns scales that were found before.
func known(by []tensor.Affine) *scales {
	return &scales{by: by, find: func() ([]tensor.Affine, error) { return by, nil }}
}

// affines reads n numbers to find the scale and zero point of each channel. Ranges are at least as wide
// as least. wide reports whether one of them is too wide for float32.
func affines(src io.Reader, n int64, c tensor.Channels, rule tensor.AffineRule, least float64) (by []tensor.Affine, wide bool, err error) {
	ranges, err := tensor.Ranges(src, n, c)
	if err != nil {
		return nil, false, err
	}
	by = make([]tensor.Affine, len(ranges))
	for i, r := range ranges {
		r = r.Widened(least)
		wide = wide || r.Overflows(rule.Symmetric)
		if by[i], err = rule.Affine(r); err != nil {
			return nil, wide, err
		}
	}
	return by, wide, nil
}

// parameters returns the tensors of scales and zero points. If the scales are not known yet, they are
// found when one of the tensors is written.
func (s *scales) parameters(v value, r recipe) (scale, zero *graphops.Tensor, err error) {
	if s.by != nil {
		scales, zeros, err := r.parameters(s.by)
		if err != nil {
			return nil, nil, err
		}
		return graphops.NewTensorOf(v.scale, scales), graphops.NewTensorOf(v.zero, zeros), nil
	}
	size, err := r.rule.Type.ByteLen(r.channels.Count)
	if err != nil {
		return nil, nil, err
	}
	part := func(n int64, of func(scales, zeros tensor.Tensor) tensor.Tensor) graphops.Payload {
		return graphops.TransformPayload(n, func(w io.Writer) error {
			by, err := s.get()
			if err != nil {
				return err
			}
			scales, zeros, err := r.parameters(by)
			if err == nil {
				_, err = w.Write(of(scales, zeros).Data)
			}
			return err
		}).Slow()
	}
	first := func(scales, _ tensor.Tensor) tensor.Tensor { return scales }
	second := func(_, zeros tensor.Tensor) tensor.Tensor { return zeros }
	return graphops.NewTensor(v.scale, tensor.F32, r.scales, part(4*r.channels.Count, first)),
		graphops.NewTensor(v.zero, r.rule.Type, r.scales, part(size, second)), nil
}

// parameters returns scales and zero points as tensors.
func (r recipe) parameters(by []tensor.Affine) (scales, zeros tensor.Tensor, err error) {
	list, offsets := make([]float32, len(by)), make([]int64, len(by))
	for i, a := range by {
		list[i], offsets[i] = a.Scale, int64(a.Zero)
	}
	zeros, err = tensor.FromInt64s(r.rule.Type, offsets, r.scales...)
	return tensor.FromSlice(list, r.scales...), zeros, err
}
