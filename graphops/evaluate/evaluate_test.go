package evaluate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/evaluate"
	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// results are texts of nodes of constants, and what they make; "" where they are left
// to a runtime.
var results = map[string]struct{ text, want string }{
	"transposed":                {"init a f32[2,3] 1 2 3 4 5 6\ny = Transpose(a)", "f32[3,2]{1,4,2,5,3,6}"},
	"transposed by perm":        {"init a u8[1,2,2] 1 2 3 4\ny = Transpose(a) perm=[2,0,1]", "u8[2,1,2]{1,3,2,4}"},
	"perm of others":            {"init a f32[2,3] 1 2 3 4 5 6\ny = Transpose(a) perm=[1,1]", ""},
	"perm that is short":        {"init a f32[2,3] 1 2 3 4 5 6\ny = Transpose(a) perm=[0]", ""},
	"perm outside":              {"init a f32[2,3] 1 2 3 4 5 6\ny = Transpose(a) perm=[0,-1]", ""},
	"texts":                     {"init a str[2,2] a b c a\ny = Transpose(a)", `str[2,2]{"a","c","b","a"}`},
	"expanded":                  {"init a i64[2,1] 1 2\ninit s i64[2] 1 3\ny = Expand(a, s)", "i64[2,3]{1,1,1,2,2,2}"},
	"tiled":                     {"init a i8[2] 1 2\ninit s i64[1] 2\ny = Tile(a, s)", "i8[4]{1,2,1,2}"},
	"tiled never":               {"init a i8[2] 1 2\ninit s i64[1] 0\ny = Tile(a, s)", "i8[0]{}"},
	"sliced backwards":          {"init a i32[4] 1 2 3 4\ninit s i64[1] -1\ninit e i64[1] -9\ninit x i64[1] 0\ninit d i64[1] -2\ny = Slice(a, s, e, x, d)", "i32[2]{4,2}"},
	"sliced by no step":         {"init a i32[4] 1 2 3 4\ninit s i64[1] -1\ninit e i64[1] -9\ninit x i64[1] 0\ninit d i64[1] 0\ny = Slice(a, s, e, x, d)", ""},
	"sliced twice":              {"init a i32[4] 1 2 3 4\ninit s i64[2] 0 0\ninit e i64[2] 1 1\ninit x i64[2] 0 -1\ny = Slice(a, s, e, x)", ""},
	"concatenated":              {"init a bool[1,2] 1 0\ninit b bool[1,1] 1\ny = Concat(a, b) axis=-1", "bool[1,3]{true,false,true}"},
	"other sizes":               {"init a f32[1,2] 1 0\ninit b f32[2,1] 1 2\ny = Concat(a, b) axis=1", ""},
	"split":                     {"init a f32[3] 1 2 3\ninit s i64[2] 1 2\nx, y = Split(a, s)", "f32[2]{2,3}"},
	"split with parts left out": {"opset 18\ninit a f32[9] 1\nx, y = Split(a) num_outputs=3", ""},
	"split into more":           {"init a f32[3] 1 2 3\ninit s i64[2] 2 2\nx, y = Split(a, s)", ""},
	"split by less than 0":      {"init a f32[3] 1 2 3\ninit s i64[2] -1 4\nx, y = Split(a, s)", ""},
	"padded":                    {"init a f32[1,2] 1 2\ninit p i64[4] 1 0 0 1\ninit v f32[] 7\ny = Pad(a, p, v)", "f32[2,3]{7,7,7,1,2,7}"},
	"cropped":                   {"init a f32[1,2] 1 2\ninit p i64[4] 0 -1 0 1\ny = Pad(a, p)", "f32[1,2]{2,0}"},
	"padded by reflection":      {"init a f32[3] 1 2 3\ninit p i64[2] 1 1\ny = Pad(a, p) mode='reflect'", ""},
	"cropped to nothing":        {"init a f32[2] 1 2\ninit p i64[2] -1 -1\ny = Pad(a, p)", ""},
	"upper":                     {"init a f32[2,2] 1 2 3 4\ninit k i64[] 1\ny = Trilu(a, k)", "f32[2,2]{0,2,0,0}"},
	"lower":                     {"init a f32[2,2] 1 2 3 4\ny = Trilu(a) upper=0", "f32[2,2]{1,0,3,4}"},
	"gathered":                  {"init a f32[3] 1 2 3\ninit i i64[2] -1 0\ny = Gather(a, i)", "f32[2]{3,1}"},
	"gathered outside":          {"init a f32[3] 1 2 3\ninit i i64[1] 3\ny = Gather(a, i)", ""},
	"gathered by elements":      {"init a f32[2,2] 1 2 3 4\ninit i i64[1,2] 1 -2\ny = GatherElements(a, i)", "f32[1,2]{3,2}"},
	"gathered by tuples":        {"init a f32[2,2] 1 2 3 4\ninit i i64[1,2] 1 -2\ny = GatherND(a, i)", "f32[1]{3}"},
	"tuples of nothing":         {"init a f32[2,2] 1 2 3 4\ninit i i64[2,0]\ny = GatherND(a, i)", ""},
	"scattered":                 {"init a f32[3] 1 2 3\ninit i i64[1,1] 1\ninit u f32[1] 9\ny = ScatterND(a, i, u)", "f32[3]{1,9,3}"},
	"scattered twice":           {"init a f32[3] 1 2 3\ninit i i64[2,1] 1 -2\ninit u f32[2] 9 8\ny = ScatterND(a, i, u)", ""},
	"scattered and added":       {"init a f32[3] 1 2 3\ninit i i64[1,1] 1\ninit u f32[1] 9\ny = ScatterND(a, i, u) reduction='add'", ""},
	"one hot, opset 10":         {"opset 10\ninit i i64[2] 1 -1\ninit d i64[] 3\ninit v f32[2] 0 5\ny = OneHot(i, d, v)", ""},
	"one hot":                   {"init i i64[2] 1 -1\ninit d i64[] 3\ninit v f32[2] 0 5\ny = OneHot(i, d, v)", "f32[2,3]{0,5,0,0,0,5}"},
	"not zero":                  {"init a f32[2,2] 0 2 -0 nan\ny = NonZero(a)", "i64[2,2]{0,1,1,1}"},
	"filled":                    {"init s i64[2] 1 2\ny = ConstantOfShape(s) value={f16[1] 0.5}", "f16[1,2]{0.5,0.5}"},
	"filled without end":        {"init s i64[2] 4611686018427387904 4611686018427387904\ny = ConstantOfShape(s)", ""},
	"filled less than 0":        {"init s i64[1] -1\ny = ConstantOfShape(s)", ""},
	"largest":                   {"init a i64[2,2] 3 -1 7 5\ninit x i64[1] -1\ny = ReduceMax(a, x)", "i64[2,1]{3,7}"},
	"sum that overflows":        {"init a i32[2] 2147483647 1\ny = ReduceSum(a) keepdims=0", ""},
	"sum beyond 53 bits":        {"init a i64[2] 9007199254740993 1\ny = ReduceSum(a)", ""},
	"product of rows":           {"init a i32[2,3] 1 2 3 4 5 6\ninit x i64[1] 0\ny = ReduceProd(a, x) keepdims=0", "i32[3]{4,10,18}"},
	"reduced twice":             {"init a i64[2] 1 2\ninit x i64[2] 0 -1\ny = ReduceMin(a, x)", ""},
	"sum of fractions":          {"init a f32[2] 1 2\ny = ReduceSum(a)", ""},
	"reduced by no axes":        {"init a i64[2] 1 2\ny = ReduceSum(a) noop_with_empty_axes=1", ""},
	"range":                     {"init a i32[] 5\ninit b i32[] -2\ninit c i32[] -3\ny = Range(a, b, c)", "i32[3]{5,2,-1}"},
	"range by 0":                {"init a i32[] 5\ninit b i32[] 7\ninit c i32[] 0\ny = Range(a, b, c)", ""},
	"range of fractions":        {"init a f32[] 0\ninit b f32[] 1\ninit c f32[] 0.1\ny = Range(a, b, c)", ""},
	"a part of a shape":         {"init a f32[2,3] 0\ny = Shape(a) start=-1", "i64[1]{3}"},
	"size":                      {"init a f32[2,3] 0\ny = Size(a)", "i64[]{6}"},
	"reshaped":                  {"init a f32[2,3] 1 2 3 4 5 6\ninit s i64[2] -1 2\ny = Reshape(a, s)", "f32[3,2]{1,2,3,4,5,6}"},
	"wrapped":                   {"init a i8[2] 127 -128\ninit b i8[] 1\ny = Add(a, b)", "i8[2]{-128,-127}"},
	"divided":                   {"init a i32[2] -7 7\ninit b i32[] 2\ny = Div(a, b)", "i32[2]{-3,3}"},
	"divided by 0":              {"init a i32[2] -7 7\ninit b i32[2] 2 0\ny = Div(a, b)", ""},
	"divided too much":          {"init a i32[1] -2147483648\ninit b i32[] -1\ny = Div(a, b)", ""},
	"large and unsigned":        {"init a u64[1] 18446744073709551615\ninit b u64[] 2\ny = Div(a, b)", "u64[1]{9223372036854775807}"},
	"remainder":                 {"init a i32[2] -7 7\ninit b i32[2] 3 -3\ny = Mod(a, b)", "i32[2]{2,-2}"},
	"rounded once":              {"init a f32[] 1\ninit b f32[] 3\ny = Div(a, b)", "f32[]{0.33333334}"},
	"infinite":                  {"init a f32[] 1\ninit b f32[] 0\ny = Div(a, b)", "f32[]{+Inf}"},
	"no number":                 {"init a f32[] 0\ninit b f32[] 0\ny = Div(a, b)", ""},
	"half as many bits":         {"init a f16[] 1\ninit b f16[] 3\ny = Add(a, b)", ""},
	"smallest":                  {"init a f32[2] 1 2\ninit b f32[1] 2\ninit c f32[1] 1.5\ny = Min(a, b, c)", "f32[2]{1,1.5}"},
	"zeros of both signs":       {"init a f32[1] 0\ninit b f32[1] -0\ny = Max(a, b)", ""},
	"half to even":              {"init a f32[4] 0.5 1.5 2.5 -0.5\ny = Round(a)", "f32[4]{0,2,2,-0}"},
	"root":                      {"init a f32[1] 2\ny = Sqrt(a)", "f32[1]{1.4142135}"},
	"root of less":              {"init a f32[1] -2\ny = Sqrt(a)", ""},
	"greater":                   {"init a f32[3] 1 2 nan\ninit b f32[] 1\ny = Greater(a, b)", "bool[3]{false,true,false}"},
	"greater unsigned":          {"init a u64[1] 18446744073709551615\ninit b u64[] 1\ny = Greater(a, b)", "bool[1]{true}"},
	"and":                       {"init a bool[2] 1 0\ninit b bool[] 1\ny = And(a, b)", "bool[2]{true,false}"},
	"not":                       {"init a bool[2] 1 0\ny = Not(a)", "bool[2]{false,true}"},
	"where":                     {"init c bool[2] 1 0\ninit a f32[] 1\ninit b f32[2] 2 3\ny = Where(c, a, b)", "f32[2]{1,3}"},
	"cast":                      {"init a f32[3] 1.9 -1.9 300\ny = Cast(a) to=6", "i32[3]{1,-1,300}"},
	"cast outside":              {"init a f32[1] 300\ny = Cast(a) to=2", ""},
	"cast to fewer bits":        {"init a i32[2] 300 -1\ny = Cast(a) to=2", "u8[2]{44,255}"},
	"cast to 16 bits":           {"init a f32[2] 65519 65520\ny = Cast(a) to=10", "f16[2]{65504,+Inf}"},
	"cast to texts":             {"init a f32[1] 1\ny = Cast(a) to=8", ""},
	"cast to nothing":           {"init a f32[1] 1\ny = Cast(a) to=99", ""},
	"cast to its own":           {"init a f32[1] nan\ny = Cast(a) to=1", "f32[1]{NaN}"},
	"no input":                  {"y = Add()", ""},
	"left out":                  {"init a f32[1] 1\ny = Add(, a)", ""},
	"types that differ":         {"init a f32[1] 1\ninit b f64[1] 1\ny = Add(a, b)", ""},
	"shapes that differ":        {"init a f32[2] 1\ninit b f32[3] 1\ny = Add(a, b)", ""},
	"another operator":          {"init a f32[2] 1\ny = Exp(a)", ""},
}

func TestResults(t *testing.T) {
	for name, c := range results {
		t.Run(name, func(t *testing.T) {
			n := nodeOf(t, "opset 21\n"+c.text)
			out, err := evaluate.Compute(t.Context(), &graphops.Scratch{}, n)
			if c.want == "" {
				if !errors.Is(err, evaluate.ErrUnable) {
					t.Errorf("got %v, want that it is left", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			v, err := out[len(out)-1].Read()
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := v.Literal(); strings.ReplaceAll(got, " ", "") != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Nodes are known from the version on in which their parameters are read so.
func TestVersions(t *testing.T) {
	for op, since := range evaluate.Operators() {
		if evaluate.Knows(op, since-1) || !evaluate.Knows(op, since) {
			t.Errorf("%s is not known from version %d on", op, since)
		}
	}
	if evaluate.Knows("Exp", 21) {
		t.Error("Exp is known")
	}
	n := nodeOf(t, "opset 6\ninit a f32[1] 1\ny = Add(a, a)")
	if _, err := evaluate.Compute(t.Context(), &graphops.Scratch{}, n); !errors.Is(err, evaluate.ErrUnable) {
		t.Errorf("Add of version 6 gives %v", err)
	}
}

// What is made has the type that it is known to have.
func TestExpected(t *testing.T) {
	n := nodeOf(t, "opset 21\ninit a f32[2] 1 2\ny = Neg(a)")
	n.Outputs[0].Dims = []int64{3}
	if _, err := evaluate.Compute(t.Context(), &graphops.Scratch{}, n); !errors.Is(err, evaluate.ErrUnable) {
		t.Errorf("other sizes give %v", err)
	}
	n.Outputs[0].Dims, n.Outputs[0].Elem = nil, tensor.F64
	if _, err := evaluate.Compute(t.Context(), &graphops.Scratch{}, n); !errors.Is(err, evaluate.ErrUnable) {
		t.Errorf("another type gives %v", err)
	}
}

// Nobody waits for a large tensor any more.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{
		"init a f32[1] 1\ninit s i64[1] 1000000\ny = Expand(a, s)",
		"init s i64[1] 1000000\ny = ConstantOfShape(s)",
		"init a f32[1] 1\ninit p i64[2] 100000 100000\ny = Pad(a, p)",
		"init a i64[] 0\ninit b i64[] 100000\ninit c i64[] 1\ny = Range(a, b, c)",
	} {
		if _, err := evaluate.Compute(ctx, &graphops.Scratch{}, nodeOf(t, "opset 21\n"+text)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// nodeOf is the only node of a model, with types as they are inferred.
func nodeOf(t *testing.T, text string) evaluate.Node {
	t.Helper()
	m := graphtest.Model(t, text)
	inferred, err := shape.Infer(t.Context(), m, shape.Options{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	g := m.Graph()
	spec := g.Nodes()[0]
	version, _ := m.Opset("")
	n := evaluate.Node{Op: spec.OpType(), Version: version, Attribute: spec.Attribute}
	for _, name := range spec.Inputs() {
		i := slices.IndexFunc(g.Initializers(), func(t *graphops.Tensor) bool { return t.Name() == name })
		if i < 0 {
			n.Inputs = append(n.Inputs, nil)
			continue
		}
		n.Inputs = append(n.Inputs, g.Initializers()[i])
	}
	for _, name := range spec.Outputs() {
		id, _ := g.Index().Value(name)
		n.Outputs = append(n.Outputs, typeOf(inferred.Value(m.Places()[0], id)))
	}
	return n
}

func typeOf(v shape.Value) evaluate.Type {
	t := evaluate.Type{Elem: v.Elem, Dims: []int64{}}
	if v.Dims == nil {
		t.Dims = nil
	}
	for _, d := range v.Dims {
		n, ok := d.Number()
		if !ok {
			return evaluate.Type{Elem: v.Elem}
		}
		t.Dims = append(t.Dims, n)
	}
	return t
}
