package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/evaluate"
	"lathe/graphops/graphtest"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/session/ort/orttest"
)

var (
	evaluations     = flag.Int("evaluations", 40, "evaluations: how many nodes of each operator, in each version")
	evaluationsFrom = flag.Uint64("evaluations-from", 1, "evaluations: the first of the numbers that they are made from")
)

// TestEvaluate has nodes of every operator that is computed without a runtime computed
// by one, too: the bits are the same.
func TestEvaluate(t *testing.T) {
	t.Setenv("LATHE_ORT_LIB", orttest.Library(t))
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	w := (&app{}).workers()
	known := evaluate.Operators()
	versions := []int64{10, 13, 23}
	if *evaluations > 40 {
		versions = []int64{8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 21, 23}
	}
	for _, version := range versions {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			random := rand.New(rand.NewPCG(*evaluationsFrom, uint64(version)))
			var nodes []evaluated
			for _, op := range slices.Sorted(maps.Keys(known)) {
				if known[op] > version {
					continue
				}
				for range *evaluations {
					for range 50 { // until the runtime has a kernel for it
						if n, ok := newEvaluated(random, op, version); ok {
							nodes = append(nodes, n)
							break
						}
					}
				}
			}
			counts := map[string]int{}
			compareEvaluated(t, w, computed(t, nodes), counts)
			for _, op := range slices.Sorted(maps.Keys(known)) {
				if known[op] <= version && counts[op]*4 < *evaluations {
					t.Errorf("only %d of %d nodes of %s were compared", counts[op], *evaluations, op)
				}
			}
			t.Log(counts)
		})
	}
}

// evaluated is a node of constants.
type evaluated struct {
	op         string
	version    int64
	inputs     []*graphops.Tensor
	attributes []*graphops.Attribute
	outputs    int
	made       []*graphops.Tensor // the outputs, as they were computed
}

func (e evaluated) String() string {
	text := fmt.Sprintf("%s-%d", e.op, e.version)
	for _, t := range e.inputs {
		text += fmt.Sprintf(" %s%v", t.DType(), t.Dims())
		if n, _ := t.Elements(); n <= 8 {
			if v, err := t.Read(); err == nil {
				list, _ := v.Texts()
				text += fmt.Sprint(list)
			}
		}
	}
	for _, a := range e.attributes {
		text += fmt.Sprintf(" %s=%d%v%q", a.Name(), a.Int(), a.Ints(), a.Text())
	}
	return text
}

// compareEvaluated runs nodes together, and parts of them where the runtime does not
// run one.
func compareEvaluated(t *testing.T, w graphops.Runner, nodes []evaluated, counts map[string]int) {
	t.Helper()
	if len(nodes) == 0 {
		return
	}
	m, want := evaluatedModel(t, nodes)
	got := map[string]tensor.Tensor{}
	err := w.Run(t.Context(), m, nil, graphops.Whole(want...), func(g graphops.Got) error {
		got[g.Name] = g.Value.Tensor
		return nil
	})
	switch {
	case err != nil && len(nodes) == 1:
		t.Errorf("%s: ONNX Runtime refuses it: %v", nodes[0], err)
		return
	case err != nil:
		compareEvaluated(t, w, nodes[:len(nodes)/2], counts)
		compareEvaluated(t, w, nodes[len(nodes)/2:], counts)
		return
	}
	for i, n := range nodes {
		counts[n.op]++
		for k, o := range n.made {
			v, err := o.Read()
			if err != nil {
				t.Errorf("%s: %v", n, err)
				continue
			}
			if w := got[fmt.Sprintf("y%d_%d", i, k)]; v.DType != w.DType || !slices.Equal(v.Shape, w.Shape) || !bytes.Equal(v.Data, w.Data) || !slices.Equal(v.Strings, w.Strings) {
				a, _ := v.Texts()
				b, _ := w.Texts()
				at := 0
				for at < min(len(a), len(b))-1 && a[at] == b[at] {
					at++
				}
				t.Errorf("%s: output %d is %s%v %s, ONNX Runtime has %s%v %s (element %d)", n, k, v.DType, v.Shape, some(a, at), w.DType, w.Shape, some(b, at), at)
			}
		}
	}
}

// computed are the nodes that are computed without a runtime.
func computed(t *testing.T, nodes []evaluated) []evaluated {
	t.Helper()
	m, _ := evaluatedModel(t, nodes)
	inferred, err := shape.Infer(t.Context(), m, shape.Options{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	var out []evaluated
	for i, n := range nodes {
		var types []evaluate.Type
		place, x := m.Places()[0], m.Graph().Index()
		for k := range n.outputs {
			id, _ := x.Value(fmt.Sprintf("y%d_%d", i, k))
			types = append(types, evaluatedType(inferred.Value(place, id)))
		}
		n.made, err = evaluate.Compute(t.Context(), &graphops.Scratch{}, n.node(types))
		switch {
		case err == nil:
			out = append(out, n)
		case !errors.Is(err, evaluate.ErrUnable):
			t.Errorf("%s: %v", n, err)
		}
	}
	return out
}

func some(list []string, at int) string {
	return strings.Join(list[min(at, len(list)):min(at+4, len(list))], " ")
}

func evaluatedType(v shape.Value) evaluate.Type {
	t := evaluate.Type{Elem: v.Elem}
	if v.Dims == nil {
		return t
	}
	t.Dims = []int64{}
	for _, d := range v.Dims {
		n, ok := d.Number()
		if !ok {
			return evaluate.Type{Elem: v.Elem}
		}
		t.Dims = append(t.Dims, n)
	}
	return t
}

func (e evaluated) node(types []evaluate.Type) evaluate.Node {
	return evaluate.Node{
		Op: e.op, Version: e.version, Inputs: e.inputs, Outputs: types,
		Attribute: func(name string) (*graphops.Attribute, bool) {
			i := slices.IndexFunc(e.attributes, func(a *graphops.Attribute) bool { return a.Name() == name })
			if i < 0 {
				return nil, false
			}
			return e.attributes[i], true
		},
	}
}

// evaluatedModel has nodes i with inputs xi_k and outputs yi_k.
func evaluatedModel(t *testing.T, nodes []evaluated) (m *graphops.Model, outputs []string) {
	t.Helper()
	e := graphops.Edit(graphtest.Model(t, fmt.Sprintf("opset %d", nodes[0].version)))
	for i, n := range nodes {
		spec := graphops.NodeSpec{Op: n.op, Name: fmt.Sprint(n.op, i), Attributes: n.attributes}
		for k, in := range n.inputs {
			name := fmt.Sprintf("x%d_%d", i, k)
			spec.Inputs = append(spec.Inputs, name)
			e.Initializers = append(e.Initializers, in.WithName(name))
		}
		for k := range n.outputs {
			name := fmt.Sprintf("y%d_%d", i, k)
			spec.Outputs = append(spec.Outputs, name)
			outputs = append(outputs, name)
		}
		e.Nodes = append(e.Nodes, graphops.NewNode(spec))
	}
	m = e.Model()
	inferred, err := shape.Infer(context.Background(), m, shape.Options{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	e = graphops.Edit(m)
	place, x := m.Places()[0], m.Graph().Index()
	for _, name := range outputs {
		id, _ := x.Value(name)
		e.Outputs = append(e.Outputs, graphops.NewValueInfo(name, graphops.Type{Kind: graphops.TypeTensor, Elem: inferred.Value(place, id).Elem}))
	}
	return e.Model(), outputs
}

var evaluatedTypes = []tensor.DType{
	tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.I8, tensor.U8, tensor.I16, tensor.U16,
	tensor.I32, tensor.U32, tensor.I64, tensor.U64, tensor.Bool, tensor.String,
}

// newEvaluated makes a node; ok is false where no kernel of the runtime is for its types.
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
	for _, k := range opschema.Kernels("", op) {
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

// values are elements of a type, odd ones among them.
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

// shrunk is a shape that is repeated to another one.
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

// quotient leaves tensors without elements out: a runtime that divides nothing by 0 may
// refuse it.
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

// makers make the inputs and attributes of a node.
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
		return evaluated{
			inputs: []*graphops.Tensor{
				r.small(kind, dims...), graphops.NewTensorOf("x", tensor.FromSlice([]int64{1 + r.Int64N(4)}, 1)), r.values(r.d, 2),
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

// reduced is a reduction of integers, whose axes are an input from a version on.
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

// withAxesSince adds axes, which are an input from a version on.
func (r maker) withAxesSince(since int64, e evaluated, axes ...int64) evaluated {
	if r.version < since {
		e.attributes = append(e.attributes, graphops.IntsAttribute("axes", axes))
	} else {
		e.inputs = append(e.inputs, r.list(axes...))
	}
	return e
}

// indices are some into an axis of a size, counted from either end.
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

// tuples are indices into some axes each.
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

// small are integers from -3 to 5.
func (r maker) small(d tensor.DType, dims ...int64) *graphops.Tensor {
	n, _ := tensor.Elements(dims)
	list := make([]int64, n)
	for i := range list {
		list[i] = r.Int64N(9) - 3
	}
	t, _ := tensor.FromInt64s(d, list, dims...)
	return graphops.NewTensorOf("x", t)
}
