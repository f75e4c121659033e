package opset

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// adaptations are models of one opset and what their nodes are in another one; an error
// begins with "!".
var adaptations = []struct {
	name, text string
	to         int64
	want       string
}{
	{"Squeeze", "opset 11\ny = Squeeze(x) axes=[0]", 13, "y = Squeeze(x, y_axes)"},
	{"Squeeze of all axes", "opset 11\ny = Squeeze(x)", 13, "y = Squeeze(x)"},
	{"Unsqueeze", "opset 11\ny = Unsqueeze(x) axes=[0]", 25, "y = Unsqueeze(x, y_axes)"},
	{"ReduceSum", "opset 11\ny = ReduceSum(x) axes=[1] keepdims=0", 13, "y = ReduceSum(x, y_axes) keepdims=0"},
	{"ReduceMean", "opset 11\ny = ReduceMean(x) axes=[1]", 18, "y = ReduceMean(x, y_axes)"},
	{"ReduceMean before", "opset 11\ny = ReduceMean(x) axes=[1]", 17, "y = ReduceMean(x) axes=[1]"},
	{"Clip", "opset 6\ny = Clip(x) max=1.0", 11, "y = Clip(x, , y_max)"},
	{"Clip of nothing", "opset 6\ny = Clip(x)", 13, "y = Clip(x)"},
	{"Pad", "opset 1\ny = Pad(x) paddings=[0,0,0,0,1,1,1,1]", 18, "y = Pad(x, y_pads)"},
	{"Pad with a value", "opset 2\ny = Pad(x) pads=[0,0,0,0,1,1,1,1] value=2.0", 18, "y = Pad(x, y_pads, y_value)"},
	{"Slice", "opset 1\ny = Slice(x) starts=[0] ends=[1]", 10, "y = Slice(x, y_starts, y_ends, y_axes)"},
	{"Split", "opset 2\na, b = Split(x) axis=1 split=[1,2]", 18, "a, b = Split(x, a_split) axis=1"},
	{"Split evenly", "opset 2\na, b = Split(x)", 18, "a, b = Split(x) num_outputs=2"},
	{"Split by an input", "opset 1\ninit s f32[2] 1 2\na, b = Split(x, s) axis=1", 2, "a, b = Split(x) axis=1 split=[1,2]"},
	{"TopK", "opset 1\na, b = TopK(x) k=1", 11, "a, b = TopK(x, a_k)"},
	{"Reshape", "opset 1\ny = Reshape(x) shape=[2,-1]", 14, "y = Reshape(x, y_shape)"},
	{"Cast", "opset 1\ny = Cast(x) to='INT64'", 13, "y = Cast(x) to=7"},
	{"Concat", "opset 1\ny = Concat(x, x)", 13, "y = Concat(x, x) axis=1"},
	{"Selu", "opset 1\ny = Selu(x)", 6, "y = Selu(x) alpha=1.6732 gamma=1.0507"},
	{"in place", "opset 1\ny = Relu(x) consumed_inputs=[0]", 14, "y = Relu(x)"},
	{"Add", "opset 6\ny = Add(x, v) broadcast=1", 14, "y = Add(x, v)"},
	{"Add at an axis", "opset 6\ny = Add(x, v) broadcast=1 axis=1", 7, "v_spread = Unsqueeze(v) axes=[1,2]\ny = Add(x, v_spread)"},
	{"Add at an axis, later", "opset 6\nn: y = Add(x, v) broadcast=1 axis=1", 13, "n_Unsqueeze: v_spread = Unsqueeze(v, v_spread_axes)\nn: y = Add(x, v_spread)"},
	{"Add at the last axis", "opset 6\ny = Add(x, v) broadcast=1 axis=3", 7, "y = Add(x, v)"},
	{"Add at no axis", "opset 6\ny = Add(x, v) broadcast=1 axis=5", 7, "!axis 5 is not valid for inputs of rank 4 and 1"},
	{"Add of what is not known", "opset 6\ny = Add(x, k) broadcast=1 axis=1", 7, "!the rank of \"k\" is not known"},
	{"Gemm", "opset 6\ny = Gemm(x, x, v) broadcast=1", 13, "y = Gemm(x, x, v)"},
	{"PRelu", "opset 6\ny = PRelu(x, v)", 7, "v_spread = Unsqueeze(v) axes=[1,2]\ny = PRelu(x, v_spread)"},
	{"PRelu of one slope", "opset 6\ninit s f32[1] 1\ny = PRelu(x, s)", 16, "y = PRelu(x, s)"},
	{"Tile", "opset 1\ninit t f32[] 3\ninit a f32[] 2\ny = Tile(x, t, a)", 6, "y = Tile(x, y_repeats)"},
	{"Tile of inputs", "opset 1\ny = Tile(x, k, k)", 6, "!must be constants"},
	{"Softmax", "opset 12\ny = Softmax(x) axis=3", 13, "y = Softmax(x) axis=3"},
	{
		"Softmax of several axes", "opset 12\nn: y = Softmax(x) axis=2", 13,
		"n_Shape: y_shape = Shape(x)\nn_Flatten: y_flat = Flatten(x) axis=2\nn: y_flat_result = Softmax(y_flat) axis=-1\nn_Reshape: y = Reshape(y_flat_result, y_shape)",
	},
	{"Softmax of one element each", "opset 12\ny = Softmax(ones)", 13, "y = Softmax(ones) axis=1"},
	{"Softmax of what is not known", "opset 12\ny = LogSoftmax(k) axis=-1", 13, "y = LogSoftmax(k) axis=-1"},
	{"Dropout", "opset 7\ny = Dropout(x) ratio=0.25", 13, "y = Dropout(x, y_ratio)"},
	{"Dropout in training", "opset 6\ny = Dropout(x)", 7, "!is_test is not 1"},
	{"mask", "opset 7\ny, mask = Dropout(x)\nz = Neg(mask)", 12, "y, mask_bool = Dropout(x)\nmask = Cast(mask_bool) to=1\nz = Neg(mask)"},
	{"BatchNormalization", "opset 6\ny = BatchNormalization(x, v, v, v, v) is_test=1", 15, "y = BatchNormalization(x, v, v, v, v)"},
	{"BatchNormalization in training", "opset 6\ny = BatchNormalization(x, v, v, v, v)", 14, "y, y_mean, y_var = BatchNormalization(x, v, v, v, v) training_mode=1"},
	{"batch statistics", "opset 9\ny, _, _, s, _ = BatchNormalization(x, v, v, v, v)\nz = Neg(s)", 14, "!it has the output \"s\""},
	{"Upsample", "opset 1\ny = Upsample(x) height_scale=2.0 width_scale=2.0", 10, "y = Resize(x, y_scales)"},
	{"Upsample to 13", "opset 7\ny = Upsample(x) scales=[1.0,1.0,2.0,2.0]", 13, "y = Resize(x, y_roi, y_scales) coordinate_transformation_mode='asymmetric' mode='nearest' nearest_mode='floor'"},
	{"Upsample by an input", "opset 9\ny = Upsample(x, k)", 11, "y = Resize(x, y_roi, k) coordinate_transformation_mode='asymmetric' mode='nearest' nearest_mode='floor'"},
	{"Upsample linear", "opset 9\ny = Upsample(x, k) mode='linear'", 11, "y = Resize(x, y_roi, k) coordinate_transformation_mode='asymmetric' mode='linear'"},
	{"Resize", "opset 10\ninit s f32[4] 1 1 0.5 0.5\ny = Resize(x, s)", 11, "y = Resize(x, y_roi, s) coordinate_transformation_mode='asymmetric' mode='nearest' nearest_mode='ceil'"},
	{
		"Resize of both kinds", "opset 10\ninit s f32[4] 1 1 0.5 2\nn: y = Resize(x, s)", 11,
		"n_Resize: y_smaller = Resize(x, y_roi, y_scales_down) coordinate_transformation_mode='asymmetric' mode='nearest' nearest_mode='ceil'\nn: y = Resize(y_smaller, y_roi__1, y_scales_up) coordinate_transformation_mode='asymmetric' mode='nearest' nearest_mode='floor'",
	},
	{"Resize by an input", "opset 10\ny = Resize(x, k)", 11, "!are not constant"},
	{"Resize cubic", "opset 10\ny = Resize(x, k) mode='cubic'", 11, "!mode \"cubic\" does not exist"},
	{"half pixels", "opset 11\ny = Resize(x, v, k) coordinate_transformation_mode='tf_half_pixel_for_nn' nearest_mode='floor'", 13, "y = Resize(x, v, k) coordinate_transformation_mode='half_pixel' nearest_mode='round_prefer_ceil'"},
	{"half pixels up", "opset 11\ny = Resize(x, v, k) coordinate_transformation_mode='tf_half_pixel_for_nn' nearest_mode='ceil'", 13, "!has no replacement"},
	{"Scatter", "opset 9\ny = Scatter(x, i, x) axis=1", 18, "y = ScatterElements(x, i, x) axis=1"},
	{"RoiAlign", "opset 10\ny = RoiAlign(x, k, i)", 16, "y = RoiAlign(x, k, i) coordinate_transformation_mode='output_half_pixel'"},
	{"GridSample", "opset 16\ny = GridSample(x, x)", 20, "y = GridSample(x, x) mode='linear'"},
	{"DFT", "opset 17\ny = DFT(x)", 20, "y = DFT(x, , y_axis)"},
	{"AveragePool", "opset 10\ny = AveragePool(x) kernel_shape=[2,2] ceil_mode=1", 22, "y = AveragePool(x) kernel_shape=[2,2] ceil_mode=1"},
	{"an experiment", "opset 7\ny = GRUUnit(x, x, x, x)", 10, "!withdrawn"},
	{"Affine", "opset 7\nn: y = Affine(x) alpha=2.0", 10, "n_Mul: y_Mul = Mul(x, y_alpha)\nn: y = Add(y_Mul, y_beta)"},
	{"ScaledTanh", "opset 7\ny = ScaledTanh(x) alpha=2.0 beta=3.0", 14, "y_Mul = Mul(x, y_beta)\ny_Tanh = Tanh(y_Mul)\ny = Mul(y_Tanh, y_alpha)"},
	{"ScaledTanh of no number", "opset 7\ny = ScaledTanh(x) alpha=2.0", 14, "!attribute \"beta\" is missing"},
	{"ImageScaler", "opset 7\ny = ImageScaler(x) bias=[1.0,2.0,3.0]", 10, "y_Mul = Mul(x, y_scale)\ny = Add(y_Mul, y_bias)"},
	{"Crop", "opset 7\ny = Crop(x) border=[0,1,0,1]", 13, "y = Slice(x, y_starts, y_ends, y_axes)"},
	{"Crop of three sides", "opset 7\ny = Crop(x) border=[0,1,0]", 13, "!must have 4 numbers"},
	{"unknown", "opset 7\ny = Frobnicate(x)", 10, "!is not one of the opset"},
	{"an operator that came later", "opset 11\ny = Einsum(x) equation='abcd'", 13, "y = Einsum(x) equation='abcd'"},
	{"an operator that comes after", "opset 11\ny = GridSample(x, x)", 13, "!is not one of the opset"},
	{"another domain", "opset 7\nopset local 1\ny = local::Softmax(x)", 21, "y = local::Softmax(x)"},
	{"GroupNormalization of what is not known", "opset 18\ny = GroupNormalization(k, v, v) num_groups=1", 21, "!the number of channels of \"k\" is not known"},
	{"Scan with lengths", "opset 8\ngraph body\ninput a f32[2]\nb = Neg(a)\noutput b f32[2]\nend\ny = Scan(i, x) body=@body num_scan_inputs=1", 9, "!sequence lengths"},
}

// adaptationValues are the inputs and the output of these models.
const adaptationValues = "\ninput x f32[2,3,4,2]\ninput v f32[3]\ninput k f32\ninput i i64[2]\ninput ones f32[2,3,1,1]\noutput y f32"

func TestAdaptations(t *testing.T) {
	for _, tt := range adaptations {
		m := graphtest.Model(t, tt.text+adaptationValues)
		raised, r, err := Raise(t.Context(), m, tt.to)
		want, refused := strings.CutPrefix(tt.want, "!")
		switch {
		case refused:
			var unable *unableError
			if !errors.As(err, &unable) || !strings.Contains(err.Error(), want) || raised != nil {
				t.Errorf("%s: error %v, expected %q", tt.name, err, want)
			}
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		default:
			if got := strings.Join(graphtest.Nodes(raised.Graph()), "\n"); got != want {
				t.Errorf("%s:\n%s\nexpected\n%s", tt.name, got, want)
			}
			if v, _ := raised.Opset(""); v != tt.to {
				t.Errorf("%s: opset %d", tt.name, v)
			}
			again, _, err := Raise(t.Context(), raised, tt.to)
			if err != nil || again != raised {
				t.Errorf("%s: a second time is not the same model, error %v", tt.name, err)
			}
			if r.From == r.To {
				t.Errorf("%s: from %d to %d", tt.name, r.From, r.To)
			}
		}
	}
}

// TestAllAtOnce names every node that cannot be carried over, in bodies and functions too.
func TestAllAtOnce(t *testing.T) {
	m := graphtest.Model(t, `
		opset 6
		opset local 1
		input x f32[2]
		output y f32[2]
		function local F(a) -> (b)
		b = Frobnicate(a)
		end
		graph then
		first: z = Dropout(x)
		output z f32[2]
		end
		init c bool[] 1
		h = If(c) then_branch=@then else_branch=@then
		second: g = Tile(h, h, h)
		third: f = local::F(g)
		y = Relu(f)`)
	_, _, err := Raise(t.Context(), m, 21)
	var unable *unableError
	if !errors.As(err, &unable) {
		t.Fatal(err)
	}
	for _, part := range []string{"opset 6", "to 21", `Dropout "first" in`, `Tile "second"`, "Frobnicate #0 in \"local:F\""} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v lacks %q", err, part)
		}
	}
}

// TestFunctions carries functions over from what they import themselves.
func TestFunctions(t *testing.T) {
	m := graphtest.Text(t, `<ir_version: 8, opset_import: ["": 17, "local": 1]>
agraph (float[2,3] x) => (float[2,3] y) {
  y = local.f <axes: ints = [1]> (x)
}
<domain: "local", opset_import: ["": 13]>
f <axes> (a) => (b) {
  m = ReduceMean <axes: ints = @axes> (a)
  n = ReduceMax <axes = [0]> (a)
  o = Sub (m, n)
  b = Add (o, a)
}`)
	raised, r, err := Raise(t.Context(), m, 18)
	if err != nil {
		t.Fatal(err)
	}
	f := raised.Functions()[0]
	if v, _ := f.Opset(""); v != 18 || r.Functions != 1 || r.Added {
		t.Errorf("opset %d, report %+v", v, r)
	}
	var ops []string
	for _, n := range f.Graph().Nodes() {
		ops = append(ops, n.OpType())
	}
	if !slices.Equal(ops, []string{"Constant", "ReduceMean", "Constant", "ReduceMax", "Sub", "Add"}) {
		t.Error(ops)
	}
	if a, _ := f.Graph().Nodes()[0].Attribute("value_ints"); a.RefName() != "axes" {
		t.Errorf("%v", graphtest.Nodes(f.Graph()))
	}
}

func TestRefuses(t *testing.T) {
	m := graphtest.Model(t, "opset 17\ninput x f32[2]\noutput y f32[2]\ny = Relu(x)")
	for to, want := range map[int64]string{16: "cannot be lowered", 99: "is not known"} {
		if _, _, err := Raise(context.Background(), m, to); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("to %d: %v, expected %q", to, err, want)
		}
	}
	if same, _, err := Raise(context.Background(), m, 17); err != nil || same != m {
		t.Errorf("to 17: %v", err)
	}
}

// TestMeaninglessAttributes carries over what no version of an operator knows, with a
// warning, and refuses what one of them had.
func TestMeaninglessAttributes(t *testing.T) {
	m := graphtest.Model(t, "opset 12\ninput x f32[2,4]\nn: y = LeakyRelu(x) alhpa=0.5 __mark=1\noutput y f32[2,4]")
	raised, r, err := Raise(context.Background(), m, 21)
	if err != nil {
		t.Fatal(err)
	}
	want := `node "n" (LeakyRelu): no version of the operator has the attribute "alhpa"; it has no effect and is kept`
	if len(r.Warnings) != 1 || r.Warnings[0] != want {
		t.Errorf("warnings %q, expected %q", r.Warnings, want)
	}
	if _, ok := raised.Graph().Nodes()[0].Attribute("alhpa"); !ok {
		t.Error("the attribute is gone")
	}
	m = graphtest.Model(t, "opset 12\ninput x f32[2,4]\nn: y = Relu(x) consumed_inputs=[0]\noutput y f32[2,4]")
	if _, _, err = Raise(context.Background(), m, 21); err == nil || !strings.Contains(err.Error(), `attribute "consumed_inputs" was removed in version 13`) {
		t.Errorf("error %v", err)
	}
}

// TestMaskWarning converts Dropouts whose mask is read.
func TestMaskWarning(t *testing.T) {
	const want = `mask "mask" of a Dropout that drops nothing is true from opset 12 on; before, it was undefined`
	for _, version := range []string{"7", "10", "11"} {
		m := graphtest.Model(t, "opset "+version+"\ny, mask = Dropout(x)\noutput mask"+adaptationValues)
		if _, r, err := Raise(t.Context(), m, 13); err != nil || !slices.Equal(r.Warnings, []string{want}) {
			t.Errorf("from opset %s: warnings %q, error %v", version, r.Warnings, err)
		}
	}
	m := graphtest.Model(t, "opset 7\ny, mask = Dropout(x)"+adaptationValues)
	if _, r, err := Raise(t.Context(), m, 13); err != nil || len(r.Warnings) > 0 {
		t.Errorf("nothing reads the mask: warnings %q, error %v", r.Warnings, err)
	}
}
