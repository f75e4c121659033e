package weights

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Region says where two tensors of one shape differ, and in which way.
type Region struct {
	// From and To are the smallest box that has all differences: for each axis the first position,
	// and that behind the last. Both are nil if the box is nearly the whole tensor.
	From, To []int64
	// Ratio is b/a if it is the same at every difference, otherwise 0.
	Ratio float64
	dims  []int64
}

// String returns the region in words, "" if there is nothing to say: "all at [:,5]; b = 30 × a".
func (r Region) String() string {
	var out []string
	if r.From != nil {
		axes := make([]string, len(r.From))
		for i := range axes {
			switch from, to := r.From[i], r.To[i]; {
			case from == 0 && to == r.dims[i]:
				axes[i] = ":"
			case to == from+1:
				axes[i] = fmt.Sprint(from)
			default:
				axes[i] = fmt.Sprintf("%d:%d", from, to)
			}
		}
		out = append(out, "all at ["+strings.Join(axes, ",")+"]")
	}
	switch {
	case r.Ratio == -1:
		out = append(out, "b = -a")
	case r.Ratio != 0:
		out = append(out, fmt.Sprintf("b = %.5g × a", r.Ratio))
	}
	return strings.Join(out, "; ")
}

// errNothing ends a search that finds nothing.
var errNothing = errors.New("the differences have nothing in common")

// Locate finds where tensors differ whose numbers were compared with the given result. Numbers are
// streamed. If most elements differ, it ends as soon as their ratios differ too.
func Locate(ctx context.Context, a, b *graphops.Tensor, m tensor.Metrics, progress Progress) (Region, error) {
	d := a.DType()
	if d != b.DType() || d == tensor.String || d.Kind() == tensor.KindComplex || m.Mismatched < 2 || m.NaNMismatched > 0 {
		return Region{}, nil
	}
	s := &search{dims: a.Dims(), most: 2*m.Mismatched > m.Total, slack: slack(d), low: math.Inf(1), high: math.Inf(-1)}
	err := passBoth(ctx, a, b, progress, func(x, y *content) error {
		elements, err := a.Elements()
		if err != nil {
			return err
		}
		rx, err := tensor.NewReader(x.stream(), d, elements)
		if err != nil {
			return err
		}
		ry, err := tensor.NewReader(y.stream(), d, elements)
		if err != nil {
			return err
		}
		return s.pass(rx, ry, elements)
	})
	if errors.Is(err, errNothing) {
		return Region{}, nil
	}
	return s.region(), err
}

// slack is how far ratios may differ because of rounding.
func slack(d tensor.DType) float64 {
	switch d {
	case tensor.F16:
		return 4e-3
	case tensor.BF16:
		return 3e-2
	default:
		return 2e-6
	}
}

// search is a pass over two tensors.
type search struct {
	dims      []int64
	most      bool // more than half of the elements differ, so that no box is sought
	slack     float64
	from, to  []int64
	low, high float64 // the ratios
	noRatio   bool
}

func (s *search) pass(rx, ry *tensor.Reader, elements int64) error {
	for at := int64(0); at < elements; {
		x, err := rx.Float64s()
		if err != nil {
			return err
		}
		y, err := ry.Float64s()
		if err != nil {
			return err
		}
		if len(x) != len(y) || len(x) == 0 {
			return errNothing
		}
		for i := range x {
			if x[i] != y[i] {
				s.add(at+int64(i), x[i], y[i])
			}
		}
		if s.noRatio && s.most {
			return errNothing
		}
		at += int64(len(x))
	}
	return nil
}

// add notes a difference at a position in row-major order.
func (s *search) add(at int64, x, y float64) {
	if ratio := y / x; x == 0 || math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		s.noRatio = true
	} else {
		s.low, s.high = min(s.low, ratio), max(s.high, ratio)
		s.noRatio = s.noRatio || s.high-s.low > s.slack*max(math.Abs(s.low), math.Abs(s.high))
	}
	if s.most {
		return
	}
	isFirst := s.from == nil
	if isFirst {
		s.from, s.to = make([]int64, len(s.dims)), make([]int64, len(s.dims))
	}
	for axis := len(s.dims) - 1; axis >= 0; axis-- {
		i := at % s.dims[axis]
		at /= s.dims[axis]
		if isFirst || i < s.from[axis] {
			s.from[axis] = i
		}
		s.to[axis] = max(s.to[axis], i+1)
	}
}

// region returns what was found. A box that is nearly the whole tensor is left out.
func (s *search) region() Region {
	r := Region{dims: s.dims}
	if !s.noRatio && !math.IsInf(s.low, 0) {
		r.Ratio = (s.low + s.high) / 2
		if near := math.Round(r.Ratio); near != 0 && math.Abs(r.Ratio-near) <= s.slack*math.Abs(near) {
			r.Ratio = near
		}
	}
	for axis := range s.from {
		if 2*(s.to[axis]-s.from[axis]) <= s.dims[axis] {
			r.From, r.To = s.from, s.to
		}
	}
	return r
}
