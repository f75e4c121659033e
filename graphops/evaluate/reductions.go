package evaluate

import (
	"io"
	"math"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// reductions has the operators that combine all elements along some axes. They are only computed
// for integers, because the result for floats depends on the order.
var reductions = map[string]operator{
	"ReduceMin":  reduction{18, least[int64], most[float64]}.operator(),
	"ReduceMax":  reduction{18, most[int64], most[float64]}.operator(),
	"ReduceSum":  reduction{13, sum[int64], sum[float64]}.operator(),
	"ReduceProd": reduction{18, product[int64], product[float64]}.operator(),
}

type reduction struct {
	since int64 // the first version in which the axes are an input
	of    func(a, b int64) int64
	// grows returns a bound for the magnitude of a combined with b, where a and b are at least 1.
	// It bounds the intermediate results for any order of the elements.
	grows func(a, b float64) float64
}

func least[N int64 | float64](a, b N) N   { return min(a, b) }
func most[N int64 | float64](a, b N) N    { return max(a, b) }
func sum[N int64 | float64](a, b N) N     { return a + b }
func product[N int64 | float64](a, b N) N { return a * b }

// maxReduced has the magnitude that no intermediate result may reach. Kernels of ONNX Runtime
// calculate with f64, so that larger integers could be rounded.
var maxReduced = map[tensor.DType]float64{tensor.I32: math.MaxInt32, tensor.I64: 1 << 53}

func (r reduction) operator() operator {
	return operator{1, func(c *call) ([]*graphops.Tensor, error) {
		list, err := c.ints(0)
		if err != nil {
			return nil, err
		}
		from := c.Inputs[0]
		if maxReduced[from.DType()] == 0 || len(list) == 0 {
			return nil, unable("%d elements of type %s", len(list), from.DType())
		}
		reduced, err := c.reducedAxes(r.since, len(from.Dims()))
		if err != nil {
			return nil, err
		}
		dims, single := []int64{}, []int64{} // single has the reduced axes with size 1
		for i, d := range from.Dims() {
			if reduced[i] {
				d = 1
			}
			if single = append(single, d); !reduced[i] || c.int("keepdims", 1) != 0 {
				dims = append(dims, d)
			}
		}
		out, err := r.reduce(list, from, single)
		if err != nil {
			return nil, err
		}
		return c.one(from.DType(), dims, func(w io.Writer) error {
			t, err := tensor.FromInt64s(from.DType(), out, int64(len(out)))
			if err == nil {
				_, err = w.Write(t.Data)
			}
			return err
		})
	}, false}
}

// reducedAxes returns, for each axis, whether it is reduced.
func (c *call) reducedAxes(since int64, rank int) ([]bool, error) {
	list, _, err := c.intsOr("axes", 1, since)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 && c.int("noop_with_empty_axes", 0) != 0 {
		return nil, unable("no axes")
	}
	reduced := make([]bool, rank)
	for i := range reduced {
		reduced[i] = len(list) == 0
	}
	for _, a := range list {
		at, err := axis(a, rank)
		if err != nil || reduced[at] {
			return nil, unable("axes %v", list)
		}
		reduced[at] = true
	}
	return reduced, nil
}

// reduce combines the elements of list, which has the shape of from. single is the shape of the
// result, in which reduced axes have size 1.
func (r reduction) reduce(list []int64, from *graphops.Tensor, single []int64) ([]int64, error) {
	to, _ := tensor.Repeated(single, from.Dims())
	n, _ := tensor.Elements(single)
	out, magnitude := make([]int64, n), make([]float64, n)
	seen := make([]bool, n)
	place := make([]int64, len(single))
	for _, x := range list {
		at := int64(0)
		for i, p := range place {
			at += p * to.Strides[i]
		}
		size := max(math.Abs(float64(x)), 1)
		if seen[at] {
			x = r.of(out[at], x)
			size = r.grows(magnitude[at], size)
		}
		if size >= maxReduced[from.DType()] {
			return nil, unable("elements as large as %g", size)
		}
		out[at], magnitude[at], seen[at] = x, size, true
		advance(place, from.Dims())
	}
	return out, nil
}
