//go:build cgo

package evaluate_test

import (
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// makers make the inputs and attributes of a node of each operator.
var makers = map[string]func(r maker) evaluated{
	"Add": maker.two, "Sub": maker.two, "Mul": maker.two, "Div": maker.quotient,
	"BitwiseAnd": maker.two, "BitwiseOr": maker.two, "BitwiseXor": maker.two, "And": maker.two, "Or": maker.two, "Xor": maker.two,
	"Equal": maker.two, "Less": maker.two, "Greater": maker.two, "LessOrEqual": maker.two, "GreaterOrEqual": maker.two,
	"Neg": maker.one, "Abs": maker.one, "Floor": maker.one, "Ceil": maker.one, "Round": maker.one,
	"Reciprocal": maker.one, "BitwiseNot": maker.one, "Not": maker.one, "Identity": maker.one, "NonZero": maker.one, "Size": maker.one,
	"Min": maker.several, "Max": maker.several,
	"Sqrt": func(r maker) evaluated {
		e := r.one()
		if v, err := e.inputs[0].Read(); err == nil && v.DType.Kind() == tensor.KindFloat {
			list, _ := v.Float64s()
			for i, x := range list {
				list[i] = math.Abs(x)
			}
			t, _ := tensor.FromFloat64s(v.DType, list, v.Shape...)
			e.inputs[0] = graphops.NewTensorOf("x", t)
		}
		return e
	},
	"Mod": func(r maker) evaluated {
		e := r.quotient()
		if r.d.Kind() == tensor.KindFloat || r.IntN(4) == 0 {
			e.attributes = append(e.attributes, graphops.IntAttribute("fmod", 1))
		}
		return e
	},
	"Cast": func(r maker) evaluated {
		e := r.one()
		e.attributes = append(e.attributes, graphops.IntAttribute("to", int64(evaluatedTypes[r.IntN(len(evaluatedTypes)-1)])))
		return e
	},
	"CastLike": func(r maker) evaluated {
		e := r.one()
		e.inputs = append(e.inputs, r.values(evaluatedTypes[r.IntN(len(evaluatedTypes)-1)], 1))
		return e
	},
	"Where": func(r maker) evaluated {
		e := r.two()
		e.inputs = append([]*graphops.Tensor{r.values(tensor.Bool, r.shrunk(e.inputs[0].Dims())...)}, e.inputs...)
		return e
	},
	"Reshape": func(r maker) evaluated {
		e := r.one()
		n, _ := e.inputs[0].Elements()
		to := [][]int64{{n}, {-1}, {1, -1}, {n, 1}, e.inputs[0].Dims()}[r.IntN(5)]
		e.inputs = append(e.inputs, r.list(to...))
		return e
	},
	"Flatten": func(r maker) evaluated {
		e := evaluated{inputs: []*graphops.Tensor{r.values(r.d, r.dims(1, 4)...)}}
		if rank := len(e.inputs[0].Dims()); r.IntN(3) > 0 {
			e.attributes = append(e.attributes, graphops.IntAttribute("axis", r.either(r.IntN(rank), rank)))
		}
		return e
	},
	"Squeeze": func(r maker) evaluated {
		dims := r.dims(1, 4)
		at := r.IntN(len(dims))
		dims[at] = 1
		e := evaluated{inputs: []*graphops.Tensor{r.values(r.d, dims...)}}
		return r.withAxes(e, r.either(at, len(dims)))
	},
	"Unsqueeze": func(r maker) evaluated {
		e := r.one()
		rank := len(e.inputs[0].Dims())
		return r.withAxes(e, r.either(r.IntN(rank+1), rank+1))
	},
	"Transpose": func(r maker) evaluated {
		e := r.one()
		if r.IntN(4) > 0 {
			var perm []int64
			for _, p := range r.Perm(len(e.inputs[0].Dims())) {
				perm = append(perm, int64(p))
			}
			e.attributes = append(e.attributes, graphops.IntsAttribute("perm", perm))
		}
		return e
	},
	"Expand": func(r maker) evaluated {
		dims := r.dims(1, 4)
		return evaluated{inputs: []*graphops.Tensor{r.values(r.d, r.shrunk(dims)...), r.list(r.shrunk(dims)...)}}
	},
	"Tile": func(r maker) evaluated {
		e := evaluated{inputs: []*graphops.Tensor{r.values(r.d, r.dims(1, 3)...)}}
		var times []int64
		for range e.inputs[0].Dims() {
			times = append(times, r.Int64N(4))
		}
		e.inputs = append(e.inputs, r.list(times...))
		return e
	},
	"Slice": func(r maker) evaluated {
		dims := r.dims(1, 4)
		e := evaluated{inputs: []*graphops.Tensor{r.values(r.d, dims...)}}
		var starts, ends, axes, steps []int64
		for axis := range dims {
			if r.IntN(3) == 0 {
				continue
			}
			axes = append(axes, r.either(axis, len(dims)))
			starts = append(starts, []int64{r.Int64N(8) - 4, math.MinInt64, math.MaxInt64, 0}[r.IntN(4)])
			ends = append(ends, []int64{r.Int64N(8) - 4, math.MinInt64, math.MaxInt64, 3}[r.IntN(4)])
			steps = append(steps, []int64{1, 2, -1, -2, -3, math.MaxInt64}[r.IntN(6)])
		}
		if len(axes) == 0 {
			axes, starts, ends, steps = []int64{0}, []int64{0}, []int64{1}, []int64{1}
		}
		if r.version < 10 {
			e.attributes = []*graphops.Attribute{graphops.IntsAttribute("starts", starts), graphops.IntsAttribute("ends", ends), graphops.IntsAttribute("axes", axes)}
			return e
		}
		e.inputs = append(e.inputs, r.list(starts...), r.list(ends...), r.list(axes...), r.list(steps...))
		return e
	},
	"Concat": func(r maker) evaluated {
		dims := r.dims(1, 4)
		at := r.IntN(len(dims))
		e := evaluated{attributes: []*graphops.Attribute{graphops.IntAttribute("axis", r.either(at, len(dims)))}}
		for range 1 + r.IntN(4) {
			dims = slices.Clone(dims)
			dims[at] = r.Int64N(4)
			e.inputs = append(e.inputs, r.values(r.d, dims...))
		}
		return e
	},
	"Split": func(r maker) evaluated {
		dims := r.dims(1, 4)
		at := r.IntN(len(dims))
		e := evaluated{attributes: []*graphops.Attribute{graphops.IntAttribute("axis", r.either(at, len(dims)))}, outputs: 1 + r.IntN(3)}
		if r.version >= 18 && r.IntN(2) == 0 {
			dims[at] = int64(2 + r.IntN(6))
			e.attributes = append(e.attributes, graphops.IntAttribute("num_outputs", int64(e.outputs)))
			e.inputs = []*graphops.Tensor{r.values(r.d, dims...)}
			return e
		}
		var list []int64
		dims[at] = 0
		for range e.outputs {
			list = append(list, r.Int64N(4))
			dims[at] += list[len(list)-1]
		}
		e.inputs = []*graphops.Tensor{r.values(r.d, dims...)}
		if r.version < 13 {
			e.attributes = append(e.attributes, graphops.IntsAttribute("split", list))
		} else {
			e.inputs = append(e.inputs, r.list(list...))
		}
		return e
	},
	"Pad": func(r maker) evaluated {
		dims := r.dims(1, 4)
		e := evaluated{inputs: []*graphops.Tensor{r.values(r.d, dims...)}}
		pads := make([]int64, 2*len(dims))
		for i := range pads {
			pads[i] = r.Int64N(4) - 1
		}
		if r.version < 11 {
			e.attributes = []*graphops.Attribute{graphops.IntsAttribute("pads", pads), graphops.FloatAttribute("value", float32(r.IntN(2))*0.7)}
			return e
		}
		e.inputs = append(e.inputs, r.list(pads...))
		if r.IntN(2) == 0 {
			e.inputs = append(e.inputs, r.values(r.d))
		}
		return e
	},
	"Trilu": func(r maker) evaluated {
		e := evaluated{inputs: []*graphops.Tensor{r.values(r.d, r.dims(2, 4)...)}}
		e.attributes = append(e.attributes, graphops.IntAttribute("upper", r.Int64N(2)))
		if r.IntN(3) > 0 {
			e.inputs = append(e.inputs, r.scalar(r.Int64N(12)-6))
		}
		return e
	},
	"Gather": func(r maker) evaluated {
		dims := r.dims(1, 4)
		at := r.IntN(len(dims))
		dims[at] = max(dims[at], 1)
		return evaluated{
			inputs:     []*graphops.Tensor{r.values(r.d, dims...), r.indices(dims[at], r.dims(0, 2)...)},
			attributes: []*graphops.Attribute{graphops.IntAttribute("axis", r.either(at, len(dims)))},
		}
	},
	"GatherElements": func(r maker) evaluated {
		dims := r.dims(1, 4)
		at := r.IntN(len(dims))
		dims[at] = max(dims[at], 1)
		to := slices.Clone(dims)
		for i := range to {
			to[i] = min(to[i], 1+r.Int64N(3))
		}
		to[at] = 1 + r.Int64N(4)
		return evaluated{
			inputs:     []*graphops.Tensor{r.values(r.d, dims...), r.indices(dims[at], to...)},
			attributes: []*graphops.Attribute{graphops.IntAttribute("axis", r.either(at, len(dims)))},
		}
	},
	"GatherND": func(r maker) evaluated {
		dims := []int64{2, 3, 1 + r.Int64N(3), 2}
		batch := 0
		e := evaluated{}
		if r.version >= 12 {
			batch = r.IntN(3)
			e.attributes = append(e.attributes, graphops.IntAttribute("batch_dims", int64(batch)))
		}
		width := 1 + r.IntN(len(dims)-batch)
		to := append(slices.Clone(dims[:batch]), 1+r.Int64N(4), int64(width))
		e.inputs = []*graphops.Tensor{r.values(r.d, dims...), r.tuples(dims[batch:batch+width], to)}
		return e
	},
	"ScatterND": func(r maker) evaluated {
		dims := []int64{4, 3, 1 + r.Int64N(3)}
		width := 1 + r.IntN(3)
		to := []int64{1 + r.Int64N(2), int64(width)}
		return evaluated{inputs: []*graphops.Tensor{r.values(r.d, dims...), r.tuples(dims[:width], to), r.values(r.d, append(to[:1:1], dims[width:]...)...)}}
	},
	"OneHot": func(r maker) evaluated {
		dims := r.dims(0, 3)
		kind := []tensor.DType{tensor.I64, tensor.I32}[r.IntN(2)]
		indices := r.small(kind, dims...)
		if r.version < 11 { // negative ones are left to the runtime
			indices = r.smallFrom(0, kind, dims...)
		}
		return evaluated{
			inputs: []*graphops.Tensor{
				indices, graphops.NewTensorOf("x", tensor.FromSlice([]int64{1 + r.Int64N(4)}, 1)), r.values(r.d, 2),
			},
			attributes: []*graphops.Attribute{graphops.IntAttribute("axis", r.either(r.IntN(len(dims)+1), len(dims)+1))},
		}
	},
	"ConstantOfShape": func(r maker) evaluated {
		e := evaluated{inputs: []*graphops.Tensor{r.list(r.dims(0, 4)...)}}
		if r.IntN(4) > 0 && r.d != tensor.String {
			e.attributes = append(e.attributes, graphops.TensorAttribute("value", r.values(r.d, 1)))
		}
		return e
	},
	"Shape": func(r maker) evaluated {
		e := r.one()
		if r.version >= 15 && r.IntN(2) == 0 {
			e.attributes = append(e.attributes, graphops.IntAttribute("start", r.Int64N(7)-3), graphops.IntAttribute("end", r.Int64N(7)-3))
		}
		return e
	},
	"ReduceMin": reduced(18), "ReduceMax": reduced(18), "ReduceProd": reduced(18), "ReduceSum": reduced(13),
	"Range": func(r maker) evaluated {
		d := []tensor.DType{tensor.I64, tensor.I32, tensor.I16}[r.IntN(3)]
		e := evaluated{}
		for _, x := range []int64{r.Int64N(40) - 20, r.Int64N(40) - 20, []int64{1, 2, 3, -1, -2, -7}[r.IntN(6)]} {
			t, _ := tensor.FromInt64s(d, []int64{x})
			e.inputs = append(e.inputs, graphops.NewTensorOf("x", t))
		}
		return e
	},
}
