//go:build cgo

package evaluate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

var evaluatedTypes = []tensor.DType{
	tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.I8, tensor.U8, tensor.I16, tensor.U16,
	tensor.I32, tensor.U32, tensor.I64, tensor.U64, tensor.Bool, tensor.String,
}

// newEvaluated makes a node. It reports whether the runtime has a kernel for the types.
func newEvaluated(r *rand.Rand, op string, version int64) (e evaluated, ok bool) {
	d := evaluatedTypes[r.IntN(len(evaluatedTypes))]
	e = maker{r, d, version}.node(op)
	e.op, e.version = op, version
	if e.outputs == 0 {
		e.outputs = 1
	}
	s, found := opschema.Find("", op, version)
	if !found {
		return e, false
	}
	var in []graphops.Type
	for i, t := range e.inputs {
		in = append(in, graphops.Type{Kind: graphops.TypeTensor, Elem: t.DType()})
		if !s.Inputs[min(i, len(s.Inputs)-1)].Allows(in[i]) {
			return e, false
		}
	}
	var to []graphops.Type
	if i := slices.IndexFunc(e.attributes, func(a *graphops.Attribute) bool { return a.Name() == "to" }); i >= 0 {
		to = append(to, graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.DType(e.attributes[i].Int())})
	}
	if op == "CastLike" { // a function of a Cast
		return e, true
	}
	for _, k := range opschema.Kernels(ort.OldestVersion, "", op) {
		if k.Provider == "CPUExecutionProvider" && k.Implements(s) {
			if _, _, ok := k.Takes(s, in, to); ok {
				return e, true
			}
		}
	}
	return e, false
}

// maker makes random inputs and attributes.
type maker struct {
	*rand.Rand
	d       tensor.DType
	version int64
}

func (r maker) dims(least, most int) []int64 {
	out := make([]int64, least+r.IntN(most-least+1))
	for i := range out {
		out[i] = 1 + r.Int64N(5)
		if r.IntN(40) == 0 {
			out[i] = 0
		}
		if r.IntN(60) == 0 {
			out[i] = 70
		}
	}
	return out
}

// values is a tensor of random elements, including unusual ones.
func (r maker) values(d tensor.DType, dims ...int64) *graphops.Tensor {
	n, _ := tensor.Elements(dims)
	if d == tensor.String {
		list := make([]string, n)
		for i := range list {
			list[i] = strings.Repeat("ä", r.IntN(3)) + fmt.Sprint(r.IntN(3))
		}
		return graphops.NewTensorOf("x", tensor.FromStrings(list, dims...))
	}
	if d.Kind() == tensor.KindFloat {
		list := make([]float64, n)
		style := r.IntN(6)
		for i := range list {
			list[i] = r.float(style)
		}
		t, err := tensor.FromFloat64s(d, list, dims...)
		if err != nil {
			panic(err)
		}
		return graphops.NewTensorOf("x", t)
	}
	size := d.Bits() / 8
	data := make([]byte, n*int64(size))
	for i := range data {
		data[i] = byte(r.Uint32())
		if d == tensor.Bool {
			data[i] &= 1
		}
	}
	if r.IntN(2) == 0 && d != tensor.Bool { // small ones
		for i := range data {
			if data[i] %= 4; i%size > 0 {
				data[i] = 0
			}
		}
	}
	return graphops.NewTensorOf("x", tensor.Tensor{DType: d, Shape: dims, Data: data})
}

func (r maker) float(style int) float64 {
	odd := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -2.5, 1e-40, 1e30, -3e38, math.MaxFloat32, 65504, 65519, 65520, 6e-8, 127, 128, 255, 256, -129, 2147483648, 9.3e18}
	switch {
	case style == 0:
		return odd[r.IntN(len(odd))]
	case style == 1:
		return []float64{math.Inf(1), math.Inf(-1), 1, 0, -2, math.MaxFloat64}[r.IntN(6)]
	case style == 2 && r.IntN(4) == 0:
		return math.NaN()
	case style == 3:
		return float64(math.Float32frombits(r.Uint32()))
	case style == 4:
		return float64(r.IntN(11) - 5)
	}
	return r.NormFloat64() * 10
}

func (maker) list(values ...int64) *graphops.Tensor {
	return graphops.NewTensorOf("x", tensor.FromSlice(values, int64(len(values))))
}

func (maker) scalar(v int64) *graphops.Tensor {
	return graphops.NewTensorOf("x", tensor.FromSlice([]int64{v}))
}

// either is an axis, counted from the front or from the end.
func (r maker) either(axis, rank int) int64 {
	if r.IntN(2) == 0 && r.version >= 11 {
		return int64(axis - rank)
	}
	return int64(axis)
}

// shrunk is a random shape that broadcasts to dims.
func (r maker) shrunk(dims []int64) []int64 {
	out := slices.Clone(dims)
	for i := range out {
		if r.IntN(3) == 0 {
			out[i] = 1
		}
	}
	for len(out) > 0 && r.IntN(4) == 0 {
		out = out[1:]
	}
	return out
}

func (r maker) node(op string) evaluated {
	if of := makers[op]; of != nil {
		return of(r)
	}
	panic("no nodes are made of " + op)
}

func (r maker) one() evaluated {
	return evaluated{inputs: []*graphops.Tensor{r.values(r.d, r.dims(0, 4)...)}}
}

func (r maker) two() evaluated {
	dims := r.dims(0, 4)
	e := evaluated{inputs: []*graphops.Tensor{r.values(r.d, r.shrunk(dims)...), r.values(r.d, r.shrunk(dims)...)}}
	return e
}

// quotient is two without empty tensors. A runtime may refuse to divide an empty tensor by 0.
func (r maker) quotient() evaluated {
	for {
		e := r.two()
		if !slices.ContainsFunc(e.inputs, func(t *graphops.Tensor) bool { return slices.Contains(t.Dims(), 0) }) {
			return e
		}
	}
}

func (r maker) several() evaluated {
	dims := r.dims(0, 4)
	e := evaluated{}
	for range 1 + r.IntN(4) {
		e.inputs = append(e.inputs, r.values(r.d, r.shrunk(dims)...))
	}
	return e
}

// reduced makes a reduction of integers. The axes are an input since a version.
func reduced(since int64) func(r maker) evaluated {
	return func(r maker) evaluated {
		dims := r.dims(0, 4)
		e := evaluated{inputs: []*graphops.Tensor{r.values([]tensor.DType{tensor.I64, tensor.I32}[r.IntN(2)], dims...)}}
		if r.IntN(3) == 0 {
			e.attributes = append(e.attributes, graphops.IntAttribute("keepdims", r.Int64N(2)))
		}
		var axes []int64
		for axis := range dims {
			if r.IntN(2) == 0 {
				axes = append(axes, r.either(axis, len(dims)))
			}
		}
		if len(axes) == 0 {
			return e
		}
		return r.withAxesSince(since, e, axes...)
	}
}

func (r maker) withAxes(e evaluated, axes ...int64) evaluated {
	return r.withAxesSince(13, e, axes...)
}

// withAxesSince adds axes, which are an input since a version and an attribute before.
func (r maker) withAxesSince(since int64, e evaluated, axes ...int64) evaluated {
	if r.version < since {
		e.attributes = append(e.attributes, graphops.IntsAttribute("axes", axes))
	} else {
		e.inputs = append(e.inputs, r.list(axes...))
	}
	return e
}

// indices are random indices into an axis, counted from either end.
func (r maker) indices(size int64, dims ...int64) *graphops.Tensor {
	n, _ := tensor.Elements(dims)
	list := make([]int64, n)
	for i := range list {
		if list[i] = r.Int64N(size); r.IntN(3) == 0 && r.version >= 11 {
			list[i] -= size
		}
	}
	t, _ := tensor.FromInt64s([]tensor.DType{tensor.I64, tensor.I32}[r.IntN(2)], list, dims...)
	return graphops.NewTensorOf("x", t)
}

// tuples are random tuples of indices into several axes.
func (r maker) tuples(sizes, dims []int64) *graphops.Tensor {
	n, _ := tensor.Elements(dims)
	list := make([]int64, n)
	for i := range list {
		size := sizes[i%len(sizes)]
		if list[i] = r.Int64N(size); r.IntN(3) == 0 {
			list[i] -= size
		}
	}
	return graphops.NewTensorOf("x", tensor.FromSlice(list, dims...))
}

// small are random integers from -3 to 5.
func (r maker) small(d tensor.DType, dims ...int64) *graphops.Tensor {
	return r.smallFrom(-3, d, dims...)
}

func (r maker) smallFrom(least int64, d tensor.DType, dims ...int64) *graphops.Tensor {
	n, _ := tensor.Elements(dims)
	list := make([]int64, n)
	for i := range list {
		list[i] = r.Int64N(9) + least
	}
	t, _ := tensor.FromInt64s(d, list, dims...)
	return graphops.NewTensorOf("x", t)
}
