//go:build cgo

package cut

import (
	"context"
	"math"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/opschema"
	"lathe/graphops/opset"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/sessiontest"
)

// earlier are models of earlier opsets that ONNX Runtime runs, one for each change of an operator
// that has an adapter. farther is how much results may differ; 0 means not at all.
var earlier = []struct {
	text    string
	farther float64
}{
	{"opset 11\ny = Softmax(x) axis=2", 0},
	{"opset 11\ny = LogSoftmax(x) axis=-2", 0},
	{"opset 11\ny = Hardmax(x)", 0},
	{"opset 11\ny = Softmax(x) axis=3", 0},
	{"opset 11\ny = Softmax(x) axis=0", 0},
	{"opset 7\ny = Upsample(x) scales=[1.0,1.0,2.0,3.0]", 0},
	{"opset 7\ny = Upsample(x) scales=[1.0,1.0,1.5,2.3] mode='linear'", 0},
	{"opset 10\ninit s f32[4] 1 1 0.6 0.7\ny = Resize(x, s)", 0},
	{"opset 10\ninit s f32[4] 1 1 0.5 2\ny = Resize(x, s)", 0},
	{"opset 10\ninit s f32[4] 1 1 0.5 2\ny = Resize(x, s) mode='linear'", 0},
	{"opset 11\ninit r f32[0]\ninit s f32[4] 1 1 0.6 1.7\ny = Resize(x, r, s) coordinate_transformation_mode='tf_half_pixel_for_nn' nearest_mode='floor'", 0},
	{"opset 11\ninit r f32[0]\ninit s f32[4] 1 1 0.6 1.7\ny = Resize(x, r, s) coordinate_transformation_mode='tf_half_pixel_for_nn'", 0},
	{"opset 7\ny = Slice(x) starts=[0,1] ends=[2,-1] axes=[0,3]", 0},
	{"opset 7\ny = Slice(x) starts=[0,1] ends=[1,9]", 0},
	{"opset 7\ny = Pad(x) pads=[0,0,1,1,0,0,0,2] value=1.5", 0},
	{"opset 7\ny = Clip(x) min=-0.5 max=0.7", 0},
	{"opset 7\ny, k = TopK(x) k=2 axis=-1", 0},
	{"opset 7\ny, z = Split(x) axis=1 split=[1,2]", 0},
	{"opset 7\ny, z = Split(x) axis=2", 0},
	{"opset 11\ny = ReduceSum(x) axes=[1,-1] keepdims=0", 0},
	{"opset 11\ny = ReduceLogSumExp(x) axes=[1]", 0},
	{"opset 11\ny = ReduceMax(x)", 0},
	{"opset 11\nh = Unsqueeze(x) axes=[0]\ny = Squeeze(h) axes=[0]", 0},
	{"opset 7\ny = BatchNormalization(x, v, v, v, one)", 0},
	{"opset 7\ninit a f32[3,4,5] 2 3\ny = BatchNormalization(x, a, a, a, a) spatial=0", 1e-5},
	{"opset 18\ny = GroupNormalization(x, v, v) num_groups=3", 0},
	{"opset 16\ninput g f32[2,2,2,2]\ny = GridSample(x, g)", 0},
	{"opset 17\ninput w f32[1,8,4,1]\ny = DFT(w)", 0},
	{"opset 10\ninit r f32[2,4] 0 0 2 2 1 1 3 3\ninit b i64[2] 0\ny = RoiAlign(x, r, b) output_height=2 output_width=2 sampling_ratio=2", 0},
	{"opset 10\ny = AveragePool(x) kernel_shape=[2,2] strides=[2,2] ceil_mode=1 count_include_pad=1", 1e-6},
	{"opset 7\nh = Dropout(x) ratio=0.25\ny = Neg(h)", 0},
	{"opset 7\ny = Affine(x) alpha=2.0 beta=0.5", 0},
	{"opset 7\ny = ImageScaler(x) scale=2.0 bias=[1.0,2.0,3.0]", 0},
	{"opset 7\ny = Crop(x) border=[1,0,2,1]", 0},
	{"opset 7\ny = ScaledTanh(x) alpha=2.0 beta=0.5", 1e-6},
	{"opset 7\ny = ParametricSoftplus(x) alpha=2.0 beta=0.5", 1e-6},
	{"opset 8\ngraph b\ninput a f32[4,5]\ninput c f32[4,5]\nd = Add(a, c)\ne = Mul(d, c)\noutput d f32[4,5]\noutput e f32[4,5]\nend\ninput s f32[2,4,5]\ny, z = Scan(, s, x) body=@b num_scan_inputs=1", 0},
	{"opset 11\ninput c bool[]\ngraph t\na = Softmax(x)\noutput a f32[2,3,4,5]\nend\ngraph e\nb = ReduceMean(x) axes=[1]\nd = Sub(x, b)\noutput d f32[2,3,4,5]\nend\ny = If(c) then_branch=@t else_branch=@e", 0},
}

// TestRaisedRuns compares models of earlier opsets with their conversions to later ones.
func TestRaisedRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	const values = "\ninput x f32[2,3,4,5]\ninit v f32[3] 0.5 -1 2\ninit one f32[3] 1\noutput y f32"
	for _, tt := range earlier {
		m := graphtest.Model(t, tt.text+values)
		if strings.Contains(tt.text, "count_include_pad") && opschema.CompareReleases(env.RuntimeVersion(t.Context()), "1.30") < 0 {
			continue // the AveragePool of opset 10 in 1.24 counts padding that ceil_mode adds
		}
		raised, _, err := opset.Raise(t.Context(), m, 21)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		apart, err := apartOf(t.Context(), env, m, raised)
		if err != nil || apart > tt.farther {
			t.Errorf("%s: apart by %g, error %v; %v", tt.text, apart, err, graphtest.Nodes(raised.Graph()))
		}
	}
}

// notRun is the error if the original model does not run.
type notRun struct{ error }

// apartOf returns the largest difference between the results of two models on the same inputs. If
// values that are not numbers differ, it is infinite.
func apartOf(ctx context.Context, env session.Env, a, b *graphops.Model) (float64, error) {
	made, err := inputs.Generate(graphops.NamedTypes(a.Graph().FeedInputs()), inputs.Options{Seed: 1, Model: a})
	if err != nil {
		return 0, notRun{err}
	}
	of := func(m *graphops.Model) (map[string]graphops.Value, error) {
		got := map[string]graphops.Value{}
		var names []string
		for _, o := range m.Graph().Outputs() {
			names = append(names, o.Name())
		}
		err := env.Runtime.Run(ctx, m, made.Feeds, graphops.Whole(names...), func(g graphops.Got) error {
			got[g.Name] = g.Value
			return nil
		})
		return got, err
	}
	was, err := of(a)
	if err != nil {
		return 0, notRun{err}
	}
	is, err := of(b)
	if err != nil {
		return 0, err
	}
	most := 0.0
	for name, v := range was {
		if !v.IsTensor() || !is[name].IsTensor() {
			continue
		}
		x, y := v.Tensor, is[name].Tensor
		if x.DType != y.DType || tensor.FormatShape(x.Shape) != tensor.FormatShape(y.Shape) {
			return math.Inf(1), nil
		}
		if string(x.Data) == string(y.Data) {
			continue
		}
		m, err := tensor.Compare(x, y, tensor.Tolerance{})
		if err != nil {
			return 0, err
		}
		if m.NaNMismatched+m.InfMismatched > 0 {
			return math.Inf(1), nil
		}
		most = max(most, m.MaxAbs)
	}
	return most, nil
}
