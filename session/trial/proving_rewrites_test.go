//go:build cgo

package trial

import (
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/sessiontest"
)

// rewritten is a model with changes. Each replaces a part of its text.
type rewritten struct {
	model        string
	right, wrong []replaced
}

type replaced struct{ name, from, to string }

// weights are numbers for initializers of any shape. They are repeated. No axis in these tests has
// a size that divides their count, so that rows differ.
const weights = "0.31 -0.72 0.18 0.94 -0.55 0.67 -0.23 0.41 0.87 -0.36 0.12 -0.81 0.59"

// rewrites are what simplifying, fusing and folding passes may do to a model, and what they do if
// they are wrong.
var rewrites = map[string]rewritten{
	"conv": {
		`
		input x f32[n,4,9,9]
		init w f32[6,2,3,3] WEIGHTS
		init b f32[6] WEIGHTS
		h = Conv(x, w, b) group=2 pads=[1,1,1,1] strides=[2,2]
		y = Relu(h)
		output y f32[n,6,5,5]`,
		[]replaced{
			{"explicit defaults", "strides=[2,2]", "strides=[2,2] dilations=[1,1] kernel_shape=[3,3]"},
			{"fused activation", "h = Conv(x, w, b) group=2 pads=[1,1,1,1] strides=[2,2]\n\t\ty = Relu(h)", "y = com.microsoft::FusedConv(x, w, b) group=2 pads=[1,1,1,1] strides=[2,2] activation='Relu'"},
			{"relu as clip", "y = Relu(h)", "init zero f32[] 0\n\t\ty = Clip(h, zero)"},
		},
		[]replaced{
			{"pads at one end", "pads=[1,1,1,1]", "pads=[0,0,2,2]"},
			{"dilated", "pads=[1,1,1,1]", "pads=[2,2,2,2] dilations=[2,2]"},
			{"bias left out", "Conv(x, w, b)", "Conv(x, w)"},
			{"activation left out", "y = Relu(h)", "y = Identity(h)"},
			{"activation of another kind", "y = Relu(h)", "y = LeakyRelu(h) alpha=0.01"},
			{"clipped at six", "y = Relu(h)", "init lo f32[] 0\n\t\tinit hi f32[] 1\n\t\ty = Clip(h, lo, hi)"},
			{"groups in another order", "h = Conv(x, w, b)", "u, v = Split(x) axis=1\n\t\tz = Concat(v, u) axis=1\n\t\th = Conv(z, w, b)"},
		},
	},
	"batch normalization": {
		`
		input x f32[n,3,4,4]
		init w f32[5,3,3,3] WEIGHTS
		init s f32[5] 1.2 0.7 1.5 0.9 1.1
		init c f32[5] 0.1 -0.3 0.2 0.5 -0.1
		init m f32[5] 0.4 -0.2 0.1 0.3 -0.5
		init v f32[5] 0.01 0.02 0.015 0.03 0.012
		h = Conv(x, w)
		y = BatchNormalization(h, s, c, m, v) epsilon=0.001
		output y f32[n,5,2,2]`,
		[]replaced{
			{"by hand", "y = BatchNormalization(h, s, c, m, v) epsilon=0.001", `
				init ax i64[2] 1 2
				init e f32[] 0.001
				ve = Add(v, e)
				sd = Sqrt(ve)
				k = Div(s, sd)
				k3 = Unsqueeze(k, ax)
				m3 = Unsqueeze(m, ax)
				c3 = Unsqueeze(c, ax)
				d = Sub(h, m3)
				dk = Mul(d, k3)
				y = Add(dk, c3)`},
		},
		[]replaced{
			{"default epsilon", " epsilon=0.001", ""},
			{"mean left out", "init m f32[5] 0.4 -0.2 0.1 0.3 -0.5", "init m f32[5] 0"},
			{"shift left out", "init c f32[5] 0.1 -0.3 0.2 0.5 -0.1", "init c f32[5] 0"},
			{"scale and shift exchanged", "(h, s, c, m, v)", "(h, c, s, m, v)"},
			{"mean and variance exchanged", "(h, s, c, m, v)", "(h, s, c, v, m)"},
			{"folded behind a pad", "h = Conv(x, w)", "p0 = Sub(x, x)\n\t\tq = Conv(p0, w)\n\t\th0 = Conv(x, w)\n\t\tinit one f32[] 0.001\n\t\th = Sub(h0, one)"},
		},
	},
	"pools": {
		`
		input x f32[n,2,7,7]
		g = Neg(x)
		a = Abs(g)
		z = Neg(a)
		h = Pad(z, p) mode='constant'
		init p i64[8] 0 0 1 1 0 0 1 1
		y = MaxPool(h) kernel_shape=[3,3] strides=[2,2]
		k = AveragePool(h) kernel_shape=[3,3] strides=[2,2]
		output y f32[n,2,4,4]
		output k f32[n,2,4,4]`,
		[]replaced{
			{"average with the pads counted", "k = AveragePool(h) kernel_shape=[3,3] strides=[2,2]", "k = AveragePool(z) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] count_include_pad=1"},
			{"maximum behind a pad of infinity", "y = MaxPool(h)", "init low f32[] -inf\n\t\tl = Max(h, low)\n\t\ty = MaxPool(l)"},
		},
		[]replaced{
			{"pad of 0 into a maximum", "y = MaxPool(h) kernel_shape=[3,3] strides=[2,2]", "y = MaxPool(z) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]"},
			{"pad into an average", "k = AveragePool(h) kernel_shape=[3,3] strides=[2,2]", "k = AveragePool(z) kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]"},
			{"pad with another value", "h = Pad(z, p)", "init u f32[] 1\n\t\th = Pad(z, p, u)"},
			{"edges repeated", "mode='constant'", "mode='edge'"},
			{"average for a maximum", "y = MaxPool(h)", "y = AveragePool(h)"},
			{"window of another size", "y = MaxPool(h) kernel_shape=[3,3]", "y = MaxPool(h) kernel_shape=[2,2]"},
		},
	},
	"gemm": {
		`
		input x f32[3,n]
		init w f32[7,3] WEIGHTS
		init c f32[7] WEIGHTS
		y = Gemm(x, w, c) transA=1 transB=1 alpha=0.5 beta=2.0
		output y f32[n,7]`,
		[]replaced{
			{"product and sum", "y = Gemm(x, w, c) transA=1 transB=1 alpha=0.5 beta=2.0", `
				t = Transpose(x) perm=[1,0]
				v = Transpose(w) perm=[1,0]
				init half f32[] 0.5
				init two f32[] 2
				u = MatMul(t, v)
				a = Mul(u, half)
				b = Mul(c, two)
				y = Add(a, b)`},
		},
		[]replaced{
			{"alpha left out", " alpha=0.5", ""},
			{"beta left out", " beta=2.0", ""},
			{"alpha for beta", "alpha=0.5 beta=2.0", "alpha=2.0 beta=0.5"},
			{"bias left out", "Gemm(x, w, c)", "Gemm(x, w)"},
			{"alpha of the bias as well", "alpha=0.5 beta=2.0", "alpha=0.5 beta=1.0"},
			{"a weight rounded", "init c f32[7] WEIGHTS", "init c f32[7] 0.31 -0.72 0.18 0.94 -0.55 0.6705 -0.23"},
		},
	},
	"attention": {
		`
		input q f32[n,4,6,8]
		input k f32[n,4,6,8]
		input v f32[n,4,6,8]
		init s f32[] 0.353553
		t = Transpose(k) perm=[0,1,3,2]
		a = MatMul(q, t)
		b = Mul(a, s)
		p = Softmax(b) axis=-1
		y = MatMul(p, v)
		output y f32[n,4,6,8]`,
		[]replaced{
			{"scaled before the product", "a = MatMul(q, t)\n\t\tb = Mul(a, s)", "r = Mul(q, s)\n\t\tb = MatMul(r, t)"},
			{"scaled in the product", "a = MatMul(q, t)\n\t\tb = Mul(a, s)", "b = com.microsoft::FusedMatMul(q, k) transB=1 alpha=0.353553"},
			{"softmax by hand", "p = Softmax(b) axis=-1", "e = Exp(b)\n\t\tinit last i64[1] -1\n\t\tz = ReduceSum(e, last)\n\t\tp = Div(e, z)"},
		},
		[]replaced{
			{"scale left out", "b = Mul(a, s)", "b = Identity(a)"},
			{"scale of another width", "init s f32[] 0.353553", "init s f32[] 0.354"},
			{"softmax along another axis", "axis=-1", "axis=-2"},
			{"not transposed alike", "t = Transpose(k) perm=[0,1,3,2]", "t0 = Transpose(k) perm=[1,0,3,2]\n\t\tinit ks i64[4] -1 4 8 6\n\t\tt = Reshape(t0, ks)"},
			{"keys for values", "y = MatMul(p, v)", "y = MatMul(p, k)"},
			{"causal", "p = Softmax(b) axis=-1", "low = Trilu(b) upper=0\n\t\tp = Softmax(low) axis=-1"},
			{"weights of both sides", "t = Transpose(k)", "t = Transpose(v)"},
		},
	},
	"layer normalization": {
		`
		input x f32[n,5,16]
		init last i64[1] -1
		init e f32[] 0.01
		init two f32[] 2
		init g f32[16] WEIGHTS
		init c f32[16] 0.4 0.1 -0.2
		m = ReduceMean(x) axes=[-1]
		d = Sub(x, m)
		q = Pow(d, two)
		v = ReduceMean(q) axes=[-1]
		ve = Add(v, e)
		sd = Sqrt(ve)
		z = Div(d, sd)
		s = Mul(z, g)
		y = Add(s, c)
		output y f32[n,5,16]`,
		[]replaced{
			{"fused", "y = Add(s, c)", "y = LayerNormalization(x, g, c) epsilon=0.01"},
			{"squared by a product", "q = Pow(d, two)", "q = Mul(d, d)"},
			{"reciprocal", "z = Div(d, sd)", "r = Reciprocal(sd)\n\t\tz = Mul(d, r)"},
		},
		[]replaced{
			{"default epsilon", "y = Add(s, c)", "y = LayerNormalization(x, g, c)"},
			{"epsilon outside of the root", "ve = Add(v, e)\n\t\tsd = Sqrt(ve)", "ve = Sqrt(v)\n\t\tsd = Add(ve, e)"},
			{"mean not taken off", "z = Div(d, sd)", "z = Div(x, sd)"},
			{"along another axis", "v = ReduceMean(q) axes=[-1]", "v = ReduceMean(q) axes=[1]"},
			{"along two axes", "y = Add(s, c)", "y = LayerNormalization(x, g2, c2) axis=1 epsilon=0.01\n\t\tinit g2 f32[5,16] WEIGHTS\n\t\tinit c2 f32[5,16] 0.4 0.1 -0.2"},
			{"shift left out", "y = Add(s, c)", "y = Identity(s)"},
			{"root mean square", "y = Add(s, c)", "y = SimplifiedLayerNormalization(x, g) epsilon=0.01"},
		},
	},
	"gelu": {
		`
		input x f32[n,32]
		init r f32[] 1.4142135
		init one f32[] 1
		init half f32[] 0.5
		a = Div(x, r)
		b = Erf(a)
		c = Add(b, one)
		d = Mul(x, c)
		y = Mul(d, half)
		output y f32[n,32]`,
		[]replaced{{"fused", "y = Mul(d, half)", "y = com.microsoft::Gelu(x)"}},
		[]replaced{
			{"by tanh", "y = Mul(d, half)", "y = com.microsoft::FastGelu(x)"},
			{"by sigmoid", "y = Mul(d, half)", "y = com.microsoft::QuickGelu(x) alpha=1.702"},
			{"half left out", "y = Mul(d, half)", "y = Identity(d)"},
			{"of another number", "init r f32[] 1.4142135", "init r f32[] 1.414"},
		},
	},
	"movements": {
		`
		input x f32[n,3,4,5]
		t = Transpose(x) perm=[0,2,3,1]
		s = Slice(t, lo, hi, ax, st)
		init lo i64[1] 0
		init hi i64[1] 4
		init ax i64[1] 1
		init st i64[1] 2
		c = Concat(s, s) axis=3
		sh = Shape(c)
		r = Reshape(c, rs)
		init rs i64[3] 0 -1 6
		u = Neg(r)
		y = Neg(u)
		output y f32[n,10,6]`,
		[]replaced{
			{"negated twice", "u = Neg(r)\n\t\ty = Neg(u)", "y = Identity(r)"},
			{"sliced in front", "t = Transpose(x) perm=[0,2,3,1]\n\t\ts = Slice(t, lo, hi, ax, st)", "t = Slice(x, lo, hi, ax2, st)\n\t\tinit ax2 i64[1] 2\n\t\ts = Transpose(t) perm=[0,2,3,1]"},
		},
		[]replaced{
			{"perm of the inverse", "perm=[0,2,3,1]", "perm=[0,3,1,2]\n\t\tinit q i64[4] 0 4 5 3\n\t\tt0 = Reshape(x, q)"},
			{"axes exchanged", "t = Transpose(x) perm=[0,2,3,1]", "t1 = Transpose(x) perm=[0,3,2,1]\n\t\tt = Reshape(t1, q)\n\t\tinit q i64[4] 0 4 5 3"},
			{"slice off by one", "init lo i64[1] 0\n\t\tinit hi i64[1] 4", "init lo i64[1] 1\n\t\tinit hi i64[1] 5"},
			{"step left out", "init hi i64[1] 4", "init hi i64[1] 2\n\t\tinit one i64[1] 1\n\t\ts0 = Slice(t, lo, hi, ax, one)"},
			{"joined in another order", "c = Concat(s, s) axis=3", "w = Neg(s)\n\t\tc = Concat(s, w) axis=3"},
			{"one negation left", "y = Neg(u)", "y = Identity(u)"},
			{"a size that was free is a number", "init rs i64[3] 0 -1 6", "init rs i64[3] 2 -1 6"},
		},
	},
	"numbers": {
		`
		input x f32[n,6]
		init w f32[6] WEIGHTS
		init k f32[] 3
		a = Mul(x, w)
		b = Div(a, k)
		f = Floor(b)
		i = Cast(b) to=6
		j = Cast(i) to=1
		o = Round(a)
		y = Sub(j, f)
		z = Add(o, b)
		output y f32[n,6]
		output z f32[n,6]`,
		[]replaced{
			{"factor of one", "a = Mul(x, w)", "init u f32[] 1\n\t\ta0 = Mul(x, u)\n\t\ta = Mul(a0, w)"},
			{"reciprocal", "z = Add(o, b)", "init t f32[] 0.33333334\n\t\tb2 = Mul(a, t)\n\t\tz = Add(o, b2)"},
		},
		[]replaced{
			{"cast left out", "y = Sub(j, f)", "y = Sub(b, f)"},
			{"rounded for truncated", "i = Cast(b) to=6", "bo = Round(b)\n\t\ti = Cast(bo) to=6"},
			{"ceiling for floor", "f = Floor(b)", "f = Ceil(b)"},
			{"operands exchanged", "y = Sub(j, f)", "y = Sub(f, j)"},
			{"divided the other way", "b = Div(a, k)", "b = Div(k, a)"},
			{"truncated for rounded to nearest", "o = Round(a)", "ai = Cast(a) to=6\n\t\to = Cast(ai) to=1"},
			{"in half precision", "a = Mul(x, w)", "x16 = Cast(x) to=10\n\t\tx32 = Cast(x16) to=1\n\t\ta = Mul(x32, w)"},
			{"not equal, merged", "z = Add(o, b)", "z = Add(o, a)"},
		},
	},
	"integers": {
		`
		input x i64[n,8]
		init k i64[] 4
		init m i64[] 3
		d = Div(x, k)
		e = Mul(d, k)
		r = Mod(x, m) fmod=0
		g = Greater(x, m)
		s = Shape(x)
		a = ArgMax(x) axis=1 keepdims=0 select_last_index=0
		output d i64[n,8]
		output e i64[n,8]
		output r i64[n,8]
		output g bool[n,8]
		output s i64[2]
		output a i64[n]`,
		[]replaced{{"written otherwise", "g = Greater(x, m)", "ng = LessOrEqual(x, m)\n\t\tg = Not(ng)"}},
		[]replaced{
			{"divided and multiplied again", "e = Mul(d, k)", "e = Identity(x)"},
			{"shifted for divided", "d = Div(x, k)", "init f f32[] 4\n\t\txf = Cast(x) to=1\n\t\tdf = Div(xf, f)\n\t\tfl = Floor(df)\n\t\td = Cast(fl) to=7"},
			{"remainder of the other sign", "fmod=0", "fmod=1"},
			{"equal counted as greater", "g = Greater(x, m)", "g = GreaterOrEqual(x, m)"},
			{"a shape as it was tried", "s = Shape(x)", "init s0 i64[2] 2 8\n\t\ts = Identity(s0)"},
			{"the last of equal ones", "select_last_index=0", "select_last_index=1"},
		},
	},
	"clip": {
		`
		input x f32[n,9]
		init lo f32[] -0.5
		init hi f32[] 0.75
		h = Clip(x, lo, hi)
		y = HardSigmoid(h) alpha=0.3 beta=0.4
		output y f32[n,9]`,
		[]replaced{{"minimum and maximum", "h = Clip(x, lo, hi)", "g = Max(x, lo)\n\t\th = Min(g, hi)"}},
		[]replaced{
			{"lower bound left out", "Clip(x, lo, hi)", "Clip(x, , hi)"},
			{"upper bound left out", "Clip(x, lo, hi)", "Clip(x, lo)"},
			{"bounds of a relu", "init lo f32[] -0.5", "init lo f32[] 0"},
			{"defaults", " alpha=0.3 beta=0.4", ""},
		},
	},
	"resize": {
		`
		input x f32[1,2,4,5]
		init s f32[4] 1 1 2 2
		y = Resize(x, , s) mode='linear' coordinate_transformation_mode='half_pixel'
		output y f32[1,2,8,10]`,
		nil,
		[]replaced{
			{"other coordinates", "half_pixel", "asymmetric"},
			{"corners aligned", "half_pixel", "align_corners"},
			{"nearest", "mode='linear'", "mode='nearest'"},
		},
	},
	"quantized": {
		`
		input x f32[n,4]
		init s f32[] 0.05
		init z u8[] 128
		init w f32[4,3] WEIGHTS
		q = QuantizeLinear(x, s, z)
		d = DequantizeLinear(q, s, z)
		y = MatMul(d, w)
		output y f32[n,3]`,
		[]replaced{{"quantized again", "y = MatMul(d, w)", "q2 = QuantizeLinear(d, s, z)\n\t\td2 = DequantizeLinear(q2, s, z)\n\t\ty = MatMul(d2, w)"}},
		[]replaced{
			{"pair taken out", "y = MatMul(d, w)", "y = MatMul(x, w)"},
			{"zero point left out", "d = DequantizeLinear(q, s, z)", "d0 = Cast(q) to=1\n\t\td = Mul(d0, s)"},
			{"weights quantized", "y = MatMul(d, w)", "init ws f32[] 0.0075\n\t\tinit wz u8[] 128\n\t\twq = QuantizeLinear(w, ws, wz)\n\t\twd = DequantizeLinear(wq, ws, wz)\n\t\ty = MatMul(d, wd)"},
			{"activations quantized", "q = QuantizeLinear(x, s, z)\n\t\td = DequantizeLinear(q, s, z)", "q, ds, dz = DynamicQuantizeLinear(x)\n\t\td = DequantizeLinear(q, ds, dz)"},
		},
	},
	"texts": {
		`
		input x i64[n]
		y = ai.onnx.ml::LabelEncoder(x) keys_int64s=[0,1,2] values_strings=['a','b','c'] default_string='other'
		output y str[n]`,
		nil,
		[]replaced{
			{"labels exchanged", "['a','b','c']", "['a','c','b']"},
			{"one label for two keys", "['a','b','c']", "['a','b','b']"},
		},
	},
	"recurrent": {
		`
		input x f32[5,n,3]
		init w f32[1,16,3] WEIGHTS
		init r f32[1,16,4] WEIGHTS
		init b f32[1,32] 0.1 -0.2 0.3
		_, h = LSTM(x, w, r, b) hidden_size=4
		y = Identity(h)
		output y f32[1,n,4]`,
		nil,
		[]replaced{
			{"bias left out", "LSTM(x, w, r, b)", "LSTM(x, w, r)"},
			{"weights exchanged", "init b f32[1,32] 0.1 -0.2 0.3", "init b f32[1,32] -0.2 0.1 0.3"},
			{"backwards", "hidden_size=4", "hidden_size=4 direction='reverse'"},
			{"the state of another gate", "_, h = LSTM", "_, _, h = LSTM"},
		},
	},
	"branches": {
		`
		graph small
		a = Mul(x, k)
		output a f32
		end
		graph large
		b = Add(x, k)
		output b f32
		end
		input x f32[n,4]
		init k f32[] 2
		init zero f32[] 0
		m = ReduceMax(x) keepdims=0
		c = Greater(m, zero)
		y = If(c) then_branch=@large else_branch=@small
		output y f32`,
		nil,
		[]replaced{
			{"exchanged", "then_branch=@large else_branch=@small", "then_branch=@small else_branch=@large"},
			{"another constant", "init k f32[] 2", "init k f32[] 2.001"},
		},
	},
}

// TestRewrites proves right changes and rejects wrong ones. No wrong one is obvious: inputs,
// outputs and shapes are the same, and many differ only at a border or in one digit.
func TestRewrites(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	right, wrong := 0, 0
	for name, c := range rewrites {
		expand := func(text string) string { return strings.ReplaceAll(text, "WEIGHTS", weights) }
		original := graphtest.Model(t, expand(c.model))
		p := NewProver(env, Inputs{})
		judge := func(r replaced, near bool) {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				if !strings.Contains(c.model, r.from) {
					t.Fatalf("the model has no %q", r.from)
				}
				n, err := p.NearAt(t.Context(), original, graphtest.Model(t, expand(strings.Replace(c.model, r.from, r.to, 1))), nil)
				switch {
				case err != nil:
					t.Fatal(err)
				case near && (n.Difference != nil || len(n.Compared()) < len(n.Outputs)):
					t.Errorf("got %v of %+v, want it proved", n.Difference, n.Outputs)
				case !near && n.Difference == nil:
					t.Errorf("got %+v, want a difference", n.Outputs)
				case !near && n.Difference.Err != nil:
					t.Errorf("does not run: %v", n.Difference.Err)
				}
			})
		}
		for _, r := range c.right {
			judge(r, true)
		}
		for _, r := range c.wrong {
			judge(r, false)
		}
		p.Close()
		right, wrong = right+len(c.right), wrong+len(c.wrong)
	}
	if wrong < 40 {
		t.Errorf("there are %d wrong rewrites", wrong)
	}
	t.Logf("%d right and %d wrong rewrites", right, wrong)
}
