package static

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// tableFor gives every wanted value of a model the same range.
func tableFor(t *testing.T, m *graphops.Model, o Options, r calibration.Range) *calibration.Table {
	t.Helper()
	_, wanted, err := Wanted(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	table := &calibration.Table{Method: calibration.MethodMinMax, Tensors: map[string]calibration.Calibrated{}}
	c := calibration.Calibrated{Elem: tensor.F32, Range: r}
	if o.isFloat8() { // of numbers spread evenly over the range
		table.Method, c.Mean, c.Deviation = calibration.MethodDistribution, (r.Low+r.High)/2, (r.High-r.Low)/math.Sqrt(12)
	}
	for _, name := range wanted {
		table.Tensors[name] = c
	}
	return table
}

func staticOf(t *testing.T, text string, o Options, r calibration.Range) (*graphops.Model, *Report) {
	t.Helper()
	m := graphtest.Model(t, text)
	q, report, err := Quantize(context.Background(), m, tableFor(t, m, o, r), o)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := check.Model(context.Background(), q, check.Options{})
	if err != nil || !check.OK(problems) {
		t.Errorf("the result is wrong: %v, %v", problems, err)
	}
	return q, report
}

// operatorsOf quantizes a model and checks the result.
func operatorsOf(t *testing.T, text string, o Options, r calibration.Range) (*Report, error) {
	t.Helper()
	m := graphtest.Model(t, text)
	q, report, err := Quantize(context.Background(), m, tableFor(t, m, o, r), o)
	if err != nil {
		return nil, err
	}
	problems, err := check.Model(context.Background(), q, check.Options{})
	if err != nil || !check.OK(problems) {
		t.Errorf("the result is wrong: %v, %v", problems, err)
	}
	return report, nil
}

var unit = calibration.Range{Low: -1, High: 2}

func TestQuantizeEveryModel(t *testing.T) {
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			for _, perChannel := range []bool{false, true} {
				o := DefaultOptions()
				o.PerChannel = perChannel
				_, report := staticOf(t, m.text, o, unit)
				if len(report.Quantized) == 0 {
					t.Error("nothing is reported as quantized")
				}
				o.Format = FormatOperators
				r, err := operatorsOf(t, m.text, o, unit)
				if err != nil && !errors.Is(err, quant.ErrNothing) || err == nil && len(r.Quantized) == 0 {
					t.Errorf("operators of integers: %v", err)
				}
			}
		})
	}
}

// TestDepartures has a model for each departure, and one nearly like it.
func TestDepartures(t *testing.T) {
	type change = func(*Options)
	head := "input x f32[2,4]\noutput y f32[2,3]\ninit w f32[4,3] 0.5 -1\n"
	conv := "input x f32[1,2,4,4]\noutput y f32[?,?,?,?]\ninit w f32[2,3,2,2] 0.5 -1\n"
	embedHead := "opset com.microsoft 1\nopset 17\ninput i i32[2,3]\noutput y f32[2,3,4]\ninit w f32[8,4] 0.5 -1 0.25\ninit p f32[3,4] 0.3 0.1\ninit g f32[4] 1 0.5\ninit b f32[4] 0.1 -0.1\n"
	perChannel := func(o *Options) { o.PerChannel = true }
	operators := func(f change) change {
		return func(o *Options) {
			o.Format, o.ActivationType = FormatOperators, tensor.U8
			if f != nil {
				f(o)
			}
		}
	}
	inFloat8 := func(o *Options) { o.ActivationType, o.WeightType = tensor.F8E4M3FN, tensor.F8E4M3FN }
	tests := []struct {
		departure  Departure
		text, near string
		change     change
		most       float64 // the upper end of all ranges; 0 is 2
	}{
		{gemmBeta, head + "init b f32[3] 1\ny = Gemm(x, w, b) beta=0.5", head + "init b f32[3] 1\ny = Gemm(x, w, b) beta=1.0", nil, 0},
		{biasShape, head + "init b f32[1,3] 1\ny = Gemm(x, w, b)", head + "init b f32[3] 1\ny = Gemm(x, w, b)", perChannel, 0},
		{removedActivation, head + "init lo f32[] 0.5\nh = MatMul(x, w)\ny = Clip(h, lo)", head + "init lo f32[] -2\nh = MatMul(x, w)\ny = Clip(h, lo)", nil, 0},
		{sharedWithoutProvider, head + "input ids i64[1]\ny = MatMul(x, w)\ng = Gather(w, ids)", head + "y = MatMul(x, w)", perChannel, 0},
		{carriedAttribute, "opset 17\n" + head + "h = ReduceMean(x) axes=[1]\ny = MatMul(x, w)", "opset 17\n" + head + "h = Split(x) axis=0\ny = MatMul(x, w)", func(o *Options) { o.ActivationType = tensor.I16 }, 0},
		{opsetKept, "opset 12\n" + head + "y = MatMul(x, w)\np = Frobnicate(x)", "opset 21\n" + head + "y = MatMul(x, w)", func(o *Options) { o.ActivationType = tensor.I16 }, 0},
		{laterOverrides, "opset 17\n" + head + "y = MatMul(x, w)", "opset 21\n" + head + "y = MatMul(x, w)", func(o *Options) {
			o.Overrides = Overrides{"w": {{Type: TypeName(tensor.I8)}}, "x": {{Type: TypeName(tensor.I16)}}}
		}, 0},
		{perChannelOpset, "opset 11\n" + head + "y = MatMul(x, w)", "opset 13\n" + head + "y = MatMul(x, w)", perChannel, 0},
		{nameCollision, head + "init w_scale f32[] 1\nh = MatMul(x, w)\ny = Div(h, w_scale)", head + "init s f32[] 1\nh = MatMul(x, w)\ny = Div(h, s)", nil, 0},
		{foreignDomain, "opset 17\nopset local 1\n" + head + "h = MatMul(x, w)\ny = local::Add(h, h)", "opset 17\nopset local 1\n" + head + "h = MatMul(x, w)\ny = local::Foo(h, h)", nil, 0},
		{raisedIRVersion, "ir 3\nopset 11\n" + head + "input w f32[4,3]\ny = MatMul(x, w)", head + "y = MatMul(x, w)", nil, 0},
		{capturedValue, head + "input c bool[]\ngraph a\ns = Neg(h)\noutput s f32[2,3]\nend\nh = MatMul(x, w)\ny = Relu(h)\nz = If(c) then_branch=@a else_branch=@a", head + "h = MatMul(x, w)\ny = Relu(h)", nil, 0},
		{unscaledBias, "opset 17\nopset local 1\n" + conv + "init b f32[3] 1\nu = local::Foo(x)\ny = ConvTranspose(u, w, b)", conv + "init b f32[3] 1\ny = ConvTranspose(x, w, b)", nil, 0},
		{rangeOverflow, head + "init v f32[3,3] 3e38 -3e38\nh = MatMul(x, w)\ny = MatMul(h, v)", head + "init v f32[3,3] 1e38 -1e38\nh = MatMul(x, w)\ny = MatMul(h, v)", nil, 0},
		{gemmAlpha, head + "init b f32[3] 1\ny = Gemm(x, w, b) alpha=0.5", head + "init b f32[3] 1\ny = Gemm(x, w, b) alpha=1.0", operators(nil), 0},
		{excludedWhere, head + "input c bool[2,3]\nh = MatMul(x, w)\nn: y = Where(c, h, h)", head + "h = MatMul(x, w)\nn: y = Sigmoid(h)", operators(func(o *Options) { o.Force, o.Exclude = true, []string{"n"} }), 0},
		{missingOperand, head + "input c bool[2,3]\nh = MatMul(x, w)\ny = Where(c, h, h)", head + "h = MatMul(x, w)\ny = Neg(h)", operators(nil), 0},
		{sharedConstant, head + "input z f32[4,3]\ny = MatMul(x, w)\ng = Add(z, w)", head + "input z f32[4,3]\ny = MatMul(x, w)\ng = Add(z, z)", operators(nil), 0},
		{sharedBias, head + "init v f32[4,3] 3\ninit b f32[3] 1\ny = Gemm(x, w, b)\nz = Gemm(x, v, b)", head + "init v f32[4,3] 3\ninit b f32[3] 1\ninit c f32[3] 1\ny = Gemm(x, w, b)\nz = Gemm(x, v, c)", operators(nil), 0},
		{sharedWeightScale, head + "init v f32[4,3] 0.0000005\ninit b f32[3] 0.1\ninit c f32[3] 1000\ny = Gemm(x, v, b)\nz = Gemm(x, v, c)", head + "init v f32[4,3] 0.0000005\ninit b f32[3] 0.1\ninit c f32[3] 1000\ny = Gemm(x, v, c)\nz = Gemm(x, v, b)", operators(nil), 0},
		{asymmetricChannels, head + "y = MatMul(x, w)", head + "input v f32[4,3]\ny = MatMul(x, v)", operators(func(o *Options) { o.PerChannel, o.WeightType = true, tensor.U8 }), 0},
		{batchedChannels, head + "init v f32[1,4,3] 1\nz = MatMul(x, v)", head + "y = MatMul(x, w)", operators(perChannel), 0},
		{firstFactorChannels, "input x f32[3,2]\noutput y f32[4,2]\ninit w f32[4,3] 0.5 -1\ny = MatMul(w, x)", head + "y = MatMul(x, w)", perChannel, 0},
		{emptyValue, head + "input e f32[0]\nh = MatMul(x, w)\ny = Add(e, e)", head + "input e f32[1]\nh = MatMul(x, w)\ny = Add(e, e)", nil, 0},
		{lostOperand, embedHead + "em: h, mask = com.microsoft::EmbedLayerNormalization(i, , w, p, , g, b, , i)\ny = Sigmoid(h)", embedHead + "em: h, mask = com.microsoft::EmbedLayerNormalization(i, , w, p, , g, b) epsilon=0.1\ny = Sigmoid(h)", operators(nil), 0},
		{missingMaskOutput, embedHead + "em: h, _ = com.microsoft::EmbedLayerNormalization(i, , w, p, , g, b)\ny = Sigmoid(h)", embedHead + "em: h, mask = com.microsoft::EmbedLayerNormalization(i, , w, p, , g, b)\ny = Sigmoid(h)", operators(nil), 0},
		{computedBias, head + "input b f32[3]\nh = Gemm(x, w, b)\ny = Sigmoid(h)", head + "init b f32[3] 1\nh = Gemm(x, w, b)\ny = Sigmoid(h)", operators(nil), 0},
		{unknownOperator, "opset 19\n" + conv + "h = Sigmoid(x)\ny = AveragePool(h) kernel_shape=[2,2] dilations=[1,1]", "opset 19\n" + conv + "h = Sigmoid(x)\ny = AveragePool(h) kernel_shape=[2,2]", operators(nil), 0},
		{forcedMoves, head + "h = Transpose(x)\ny = Transpose(h)", head + "y = MatMul(x, w)", operators(func(o *Options) { o.Force = true }), 0},
		{offsetNumbers, head + "init v f32[3,3] 3 3.1\nh = MatMul(x, w)\ny = MatMul(h, v)", head + "init v f32[3,3] 3 -3\nh = MatMul(x, w)\ny = MatMul(h, v)", inFloat8, 0},
		{missingSoftmaxSpread, head + "h = MatMul(x, w)\ny = Softmax(h)", head + "h = MatMul(x, w)\ny = Sigmoid(h)", inFloat8, 0},
		{maskedScores, head + "h = MatMul(x, w)\ny = Softmax(h)", head + "h = MatMul(x, w)\ny = Sigmoid(h)", nil, 300},
	}
	for _, tt := range tests {
		t.Run(string(tt.departure), func(t *testing.T) {
			o := DefaultOptions()
			if tt.change != nil {
				tt.change(&o)
			}
			for i, text := range []string{tt.text, tt.near} {
				m := graphtest.Model(t, text)
				_, report, err := Quantize(context.Background(), m, tableFor(t, m, o, calibration.Range{Low: 0, High: max(tt.most, 2)}), o)
				if err != nil {
					t.Fatal(err)
				}
				if slices.Contains(report.Departures, tt.departure) != (i == 0) {
					t.Errorf("model %d has departures %v", i, report.Departures)
				}
			}
		})
	}
	if len(tests) != len(departures) {
		t.Errorf("%d departures are tested of %d", len(tests), len(departures))
	}
}

func TestGroupedTransposedConvolution(t *testing.T) {
	o := DefaultOptions()
	o.PerChannel = true
	q, _ := staticOf(t, `
		input x f32[1,2,4,4]
		output y f32[1,6,5,5]
		init w f32[2,3,2,2] 0.5 -0.25 0.125 1 -1
		init b f32[6] 0.1 0.2 -0.3
		y = ConvTranspose(x, w, b) group=2`, o, unit)
	if !slices.Contains(graphtest.Initializers(q.Graph()), "b_quantized_scale f32[6]") {
		t.Errorf("the groups have no scales each: %v", graphtest.Initializers(q.Graph()))
	}
}

func TestRefuses(t *testing.T) {
	text := "input x f32[2,4]\noutput y f32[2,3]\ninit w f32[4,3] 0.5 -1\nmm: y = MatMul(x, w)"
	with := func(f func(*Options)) Options {
		o := DefaultOptions()
		f(&o)
		return o
	}
	full := func(r calibration.Range) *calibration.Table {
		c := calibration.Calibrated{Elem: tensor.F32, Range: r}
		return &calibration.Table{Tensors: map[string]calibration.Calibrated{"x": c, "y": c}}
	}
	spread := func(deviation float64, values ...string) *calibration.Table {
		table := &calibration.Table{Method: calibration.MethodDistribution, Tensors: map[string]calibration.Calibrated{}}
		for _, name := range values {
			table.Tensors[name] = calibration.Calibrated{Elem: tensor.F32, Range: unit, Deviation: deviation}
		}
		return table
	}
	float8 := func(f func(*Options)) Options {
		return with(func(o *Options) {
			if o.ActivationType, o.WeightType = tensor.F8E4M3FN, tensor.F8E4M3FN; f != nil {
				f(o)
			}
		})
	}
	tests := []struct {
		name, text string
		table      *calibration.Table
		o          Options
		want       []string
	}{
		{"no table", text, nil, DefaultOptions(), []string{`value "x"`, "no calibrated range"}},
		{"NaN", text, full(calibration.Range{Low: math.NaN(), High: 1}), DefaultOptions(), []string{`value "x"`, "NaN"}},
		{"infinity", text, full(calibration.Range{Low: 0, High: math.Inf(1)}), DefaultOptions(), []string{`value "x"`, "+Inf"}},
		{"turned", text, full(calibration.Range{Low: 2, High: 1}), DefaultOptions(), []string{`value "x"`, "from 2 to 1"}},
		{"types", text, full(unit), with(func(o *Options) { o.WeightType = tensor.U8 }), []string{"signed weights"}},
		{"activations", text, full(unit), with(func(o *Options) { o.ActivationType = tensor.I4 }), []string{"i4", "expected i8"}},
		{"operator", text, full(unit), with(func(o *Options) { o.OpTypes = []string{"Foo"} }), []string{`"Foo"`, "MatMul"}},
		{"node", text, full(unit), with(func(o *Options) { o.Exclude = []string{"mn"} }), []string{`node "mn"`, `"mm"`}},
		{"nothing", text, full(unit), with(func(o *Options) { o.Exclude = []string{"mm"} }), []string{"nothing to quantize", "the only candidate"}},
		{"opset", "opset 5\n" + text + "\nd = Dropout(x)", full(unit), DefaultOptions(), []string{"opset 5", "is_test", "export the model again"}},
		{"quantized", text + "\ninit s f32[] 1\nq = QuantizeLinear(y, s)", full(unit), DefaultOptions(), []string{"already quantized", "QuantizeLinear", `which produces "q"; start from`}},
		{"operators of 16 bits", text, full(unit), with(func(o *Options) { o.Format, o.ActivationType = FormatOperators, tensor.I16 }), []string{"not i16"}},
		{"operators with float biases", text, full(unit), with(func(o *Options) { o.Format, o.QuantizeBias = FormatOperators, false }), []string{"biases in float32"}},
		{"operators without a range", text, nil, with(func(o *Options) { o.Format = FormatOperators }), []string{`value "x"`, "no calibrated range"}},
		{"constant factors", text, full(unit), with(func(o *Options) { o.ConstantFactors = true }), []string{"to the QOperator format only"}},
		{"float8 of weights alone", text, full(unit), with(func(o *Options) { o.WeightType = tensor.F8E4M3FN }), []string{"activations have type i8", "for both or for neither"}},
		{"float8 of activations alone", text, full(unit), with(func(o *Options) { o.ActivationType = tensor.F8E4M3FN }), []string{"weights have type i8", "for both or for neither"}},
		{"float8 by ranges", text, &calibration.Table{Method: calibration.MethodMinMax, Tensors: full(unit).Tensors}, float8(nil), []string{"calibration by method distribution", "minmax"}},
		{"float8 without calibration", text, spread(math.NaN(), "z"), float8(nil), []string{`value "x"`, "no calibrated range"}},
		{"float8 of NaN", text, spread(math.NaN(), "x"), float8(nil), []string{`value "x"`, "deviation is NaN"}},
		{"float8 of infinity", text, spread(math.Inf(1), "x"), float8(nil), []string{`value "x"`, "deviation is +Inf"}},
		{"float8 in an early opset", "opset 12\n" + text + "\np = Frobnicate(x)", spread(1, "x", "y"), float8(nil), []string{"f8e4m3fn needs opset 19"}},
		{"float8 reduced", text, spread(1, "x", "y"), float8(func(o *Options) { o.ReduceRange = true }), []string{"an unused bit in each weight has no effect with type f8e4m3fn"}},
		{"float8 of com.microsoft", text, spread(1, "x", "y"), float8(func(o *Options) { o.ContribOps = true }), []string{"com.microsoft has no effect"}},
		{"float8 by operators", text, spread(1, "x", "y"), float8(func(o *Options) { o.Format = FormatOperators }), []string{"supports i8 and u8, not f8e4m3fn"}},
		{"float8 overridden", text, spread(1, "x", "y"), float8(func(o *Options) { o.Overrides = Overrides{"x": {{Symmetric: new(bool)}}} }), []string{`override of "x"`, "have no effect with type f8e4m3fn"}},
		{"float8 with a zero point", text, spread(1, "x", "y"), float8(func(o *Options) { o.Overrides = Overrides{"x": {{Scale: new(float32(1)), Zero: new(int64(1))}}} }), []string{`override of "x"`, "zero_point is 1"}},
		{"cycle", text + "\na = Relu(b)\nb = Relu(a)", full(unit), DefaultOptions(), []string{"cycle"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, _, err := Quantize(context.Background(), graphtest.Model(t, tt.text), tt.table, tt.o)
			if err == nil || q != nil {
				t.Fatal("taken")
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
			if errors.Is(err, quant.ErrNothing) != (tt.name == "nothing") {
				t.Errorf("%v is, or is not, that there is nothing", err)
			}
		})
	}
}

// TestRanges are degenerate ranges, of which the parameters are known.
func TestRanges(t *testing.T) {
	u8 := func(f func(*Options)) Options {
		o := DefaultOptions()
		o.ActivationType = tensor.U8
		if f != nil {
			f(&o)
		}
		return o
	}
	restricted := func(o *Options) { o.RestrictedAsymmetric = true }
	tests := []struct {
		r    calibration.Range
		o    Options
		want tensor.Affine
	}{
		{calibration.Range{}, u8(nil), tensor.Affine{Scale: 1}},
		{calibration.Range{Low: -1, High: 1}, u8(nil), tensor.Affine{Scale: 0.0078431377, Zero: 128}},
		{calibration.Range{Low: -2, High: 4}, u8(nil), tensor.Affine{Scale: 0.023529412, Zero: 85}},
		{calibration.Range{Low: -2, High: 4}, DefaultOptions(), tensor.Affine{Scale: 0.023529412, Zero: -43}},
		{calibration.Range{Low: 1, High: 1}, DefaultOptions(), tensor.Affine{Scale: 0.003921569, Zero: -128}},
		{calibration.Range{Low: -2, High: 2}, u8(func(o *Options) { o.ActivationType = tensor.U16 }), tensor.Affine{Scale: 6.1036088e-5, Zero: 32768}},
		{calibration.Range{}, u8(restricted), tensor.Affine{Scale: float32(1.0 / 255)}},
		{calibration.Range{Low: -1, High: 0.5}, u8(restricted), tensor.Affine{Scale: 1.0 / 128, Zero: 128}},
		{calibration.Range{}, u8(func(o *Options) { o.MinimumRealRange = 0.51 }), tensor.Affine{Scale: 0.002}},
	}
	for _, tt := range tests {
		k := &marker{o: tt.o, report: &Report{}}
		a, err := k.affine(tt.r, Override{})
		if err != nil || a.Zero != tt.want.Zero || math.Abs(float64(a.Scale-tt.want.Scale)) > 1e-9 {
			t.Errorf("%v: %+v, want %+v, error %v", tt.r, a, tt.want, err)
		}
	}
}

// TestEarlyOpset raises a model to the first opset that ONNX Runtime has operators of
// integers in, and asks for ranges of values that the model has.
func TestEarlyOpset(t *testing.T) {
	q, r := staticOf(t, "opset 9\ninput x f32[2,4]\noutput y f32[2,3]\ninit w f32[4,3] 0.5 -1\nh = MatMul(x, w)\ny = Clip(h) min=-2.0 max=0.5", DefaultOptions(), unit)
	if opset, _ := q.Opset(""); opset != 11 || !slices.Contains(r.Departures, carriedAttribute) {
		t.Errorf("opset %d, departures %v", opset, r.Departures)
	}
	_, r = staticOf(t, "opset 9\ninput x f32[2,4]\noutput y f32[2,3]\ninit w f32[4,3] 0.5 -1\ny = MatMul(x, w)", DefaultOptions(), unit)
	if len(r.Departures) > 0 {
		t.Errorf("departures %v", r.Departures)
	}
}

// TestShuffled makes sure that the order of nodes in the file does not matter.
func TestShuffled(t *testing.T) {
	lines := "input x f32[2,4]\noutput y f32[2,3]\ninit w f32[4,3] 0.5 -1\ninit v f32[3,3] 1 2\n"
	a, _ := staticOf(t, lines+"one: h = MatMul(x, w)\nrelu: r = Relu(h)\ntwo: y = MatMul(r, v)", DefaultOptions(), unit)
	m := graphtest.Model(t, lines+"two: y = MatMul(r, v)\nrelu: r = Relu(h)\none: h = MatMul(x, w)")
	b, _, err := Quantize(context.Background(), m, tableFor(t, m, DefaultOptions(), unit), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	x, y := graphtest.Nodes(a.Graph()), graphtest.Nodes(b.Graph())
	slices.Sort(x)
	slices.Sort(y)
	if diff := cmp.Diff(x, y); diff != "" {
		t.Error(diff)
	}
}

// TestDeparturesAreExplained has docs/quantize-static.md list all departures, in order.
func TestDeparturesAreExplained(t *testing.T) {
	document, err := os.ReadFile("../../../docs/quantize-static.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []Departure
	for line := range strings.Lines(string(document)) {
		if cells := strings.Split(line, " | "); len(cells) == 3 && strings.HasPrefix(line, "| `") {
			d := Departure(strings.Trim(cells[0], "| `"))
			listed = append(listed, d)
			if here := strings.TrimSuffix(strings.TrimSpace(cells[2]), " |"); here != departures[d] || cells[1] == "" {
				t.Errorf("docs/quantize-static.md explains %q as %q, expected %q", d, here, departures[d])
			}
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(departures)), listed); diff != "" {
		t.Errorf("departures (-those that there are +those of docs/quantize-static.md):\n%s", diff)
	}
}

// TestDocumentListsOptions has docs/quantize-static.md list operators and extra options.
func TestDocumentListsOptions(t *testing.T) {
	document, err := os.ReadFile("../../../docs/quantize-static.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(opTypes(), Extras()...) {
		if !strings.Contains(string(document), name) {
			t.Errorf("docs/quantize-static.md lacks %s", name)
		}
	}
}
