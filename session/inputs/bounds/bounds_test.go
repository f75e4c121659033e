package bounds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// show writes a bound in a short form: "0..9", "{1 2}", "[1 -1]", "<a b>", "0~1" or "-".
func show(a Allowed) string {
	switch a.Kind {
	case Within:
		return fmt.Sprintf("%d~%d", a.Lo, a.Hi)
	case Between:
		return fmt.Sprintf("%d..%d", a.Lo, a.Hi)
	case OneOf:
		return "{" + strings.Trim(fmt.Sprint(a.Values), "[]") + "}"
	case Words:
		return "<" + strings.Join(a.Words, " ") + ">"
	case Exactly:
		return fmt.Sprint(a.Values)
	}
	return "-"
}

// fedAs returns the declared shapes of the inputs, with 2 for every size that is not fixed.
func fedAs(m *graphops.Model) Inputs {
	fed := Inputs{}
	for _, in := range graphops.NamedTypes(m.Graph().FeedInputs()) {
		sizes := make([]int64, len(in.Type.Shape))
		for i, d := range in.Type.Shape {
			if sizes[i] = 2; d.IsFixed() {
				sizes[i] = d.Value
			}
		}
		fed[in.Name] = sizes
	}
	return fed
}

// branches are two bodies of an If. One reads a cache and the other does not.
const branches = "input past f32[2]\ngraph then\ny = Identity(past)\noutput y f32\nend\ngraph other\ny = Neg(x)\noutput y f32\nend\n" +
	"input x f32[2]\nz = If(i) then_branch=@then else_branch=@other"

// TestReaders checks what a single node that reads the input i allows.
func TestReaders(t *testing.T) {
	tests := []struct{ name, input, lines, want string }{
		{"rows", "i64[b]", "init w f32[7,3] 1\ng: y = Gather(w, i)", "0..6"},
		{"negative axis", "i64[b]", "init w f32[7,3] 1\ng: y = Gather(w, i) axis=-1", "0..2"},
		{"rows of an input", "i64[b]", "input w f32[n,3]\ng: y = Gather(w, i)", "0..1"},
		{"rows of something unknown", "i64[b]", "input w f32[n,3]\nz = Foo(w)\ng: y = Gather(z, i)", "{0}"},
		{"as the data of a Gather", "i64[b]", "init k i64[1] 0\ng: y = Gather(i, k)", "-"},
		{"elements", "i64[1,3]", "init w f32[7,3] 1\ng: y = GatherElements(w, i)", "0..6"},
		{"scatter", "i64[1,3]", "init w f32[7,3] 1\ng: y = ScatterElements(w, i, w) axis=1", "0..2"},
		{"tuples", "i64[4,2]", "init w f32[7,3,2] 1\ng: y = GatherND(w, i)", "0..2"},
		{"tuples of one", "i64[4,1]", "init w f32[7,3,2] 1\ng: y = GatherND(w, i)", "0..6"},
		{"batched tuples", "i64[7,1]", "init w f32[7,3,2] 1\ng: y = GatherND(w, i) batch_dims=1", "0..2"},
		{"classes", "i64[4]", "init d i64[] 5\ninit v f32[2] 0 1\ny = OneHot(i, d, v)", "0..4"},
		{"embedding", "i32[1,4]", "init w f32[9,4] 1\ninit p f32[5,4] 1\ninit s f32[2,4] 1\ny = com.microsoft::EmbedLayerNormalization(i, , w, p, s)", "0..8"},
		{"segments", "i32[1,4]", "init w f32[9,4] 1\ninit p f32[5,4] 1\ninit s f32[2,4] 1\ny = com.microsoft::EmbedLayerNormalization(x, i, w, p, s)", "0..1"},
		{"dequantized", "i64[b]", "init w i8[7,3] 1\ninit s f32[] 1\nd = DequantizeLinear(w, s)\ny = Gather(d, i)", "0..6"},
		{"transposed", "i64[b]", "init w i8[7,3] 1\nd = Transpose(w)\ny = Gather(d, i)", "0..2"},
		{"transposed so", "i64[b]", "init w i8[7,3,5] 1\nd = Transpose(w) perm=[2,0,1]\ny = Gather(d, i)", "0..4"},
		{"trips", "i64[]", "init c bool[] 1\ngraph b\ninput n i64[]\ninput c1 bool[]\nc2 = Identity(c1)\noutput c2 bool[]\noutput c2 bool[]\nend\nz = Loop(i, c) body=@b", "1..5"},
		{"sequence lengths", "i32[2]", "input x f32[6,2,3]\ninit w f32[1,4,3] 1\ninit r f32[1,4,1] 1\ny = RNN(x, w, r, , i) hidden_size=1", "1..6"},
		{"k", "i64[1]", "input x f32[2,8]\ny, _ = TopK(x, i)", "1..8"},
		{"limit", "i64[]", "init z i64[] 0\ninit o i64[] 1\ny = Range(z, i, o)", "1..5"},
		{"reshape as declared", "i64[2]", "input x f32[6,4]\ny = Reshape(x, i)\nvalue y f32[3,8]", "[3 8]"},
		{"reshape to what it is", "i64[2]", "input x f32[6,4]\ny = Reshape(x, i)", "[6 4]"},
		{"reshape to another rank", "i64[3]", "input x f32[6,4]\ny = Reshape(x, i)", "[1 1 -1]"},
		{"a part of a shape", "i64[1]", "input x f32[6,4]\ninit k i64[1] -1\ns = Concat(i, k) axis=0\ny = Reshape(x, s)", "{1}"},
		{"sizes", "i64[4]", "input x f32[1,3,6,4]\ny = Resize(x, , , i)", "[1 3 6 4]"},
		{"scales", "f32[4]", "input x f32[1,3,6,4]\ny = Resize(x, , i)", "{1}"},
		{"ends", "i64[2]", "input x f32[6,4]\ninit s i64[2] 0\ninit a i64[2] 1 0\ny = Slice(x, s, i, a)", "[4 6]"},
		{"starts", "i64[2]", "input x f32[6,4]\ninit s i64[2] 1\ny = Slice(x, i, s)", "{0}"},
		{"pads", "i64[8]", "input x f32[1,3,6,4]\ny = Pad(x, i)", "[0 0 1 1 0 0 1 1]"},
		{"pads as declared", "i64[4]", "input x f32[6,4]\ny = Pad(x, i)\nvalue y f32[8,4]", "[0 0 2 0]"},
		{"axes", "i64[2]", "input x f32[6,4]\ny = ReduceSum(x, i)", "[0 1]"},
		{"axes to squeeze", "i64[1]", "input x f32[6,1,4]\ny = Squeeze(x, i)", "[1]"},
		{"parts", "i64[3]", "input x f32[8,4]\na, b, c = Split(x, i)", "[2 2 4]"},
		{"repeats", "i64[2]", "input x f32[8,4]\na = Tile(x, i)", "1..2"},
		{"whole divisor", "i64[]", "input x i64[2]\na = Div(x, i)", "1..9"},
		{"real divisor", "f32[]", "input x f32[2]\na = Div(x, i)", "-"},
		{"dividend", "i64[]", "init x i64[2] 1\na = Div(i, x)", "-"},
		{"threshold", "f32[1]", "input x f32[1,2,4]\ninput s f32[1,1,2]\ninit k i64[1] 1\na = NonMaxSuppression(x, s, k, i)", "0~1"},
		{"bands", "i64[]", "input l i64[]\ninput r i64[]\ninput a f32[]\ninput b f32[]\nz = MelWeightMatrix(i, l, r, a, b)", "{8}"},
		{"the one number known", "i64[]", "init r i64[] 16000\na = Equal(i, r)", "{16000}"},
		{"compared as many", "i64[5]", "init r i64[] 16000\na = Equal(i, r)", "-"},
		{"words", "str[b,1]", "a = ai.onnx.ml::LabelEncoder(i) keys_strings=['x','y'] values_int64s=[1,2]", "<x y>"},
		{"known numbers", "i64[b,1]", "a = ai.onnx.ml::OneHotEncoder(i) cats_int64s=[3,9]", "{3 9}"},
		{"labels", "i64[b]", "input x f32[b,11]\na = SoftmaxCrossEntropyLoss(x, i)", "0..10"},
		{"keys of a tensor", "str[b]", "a = ai.onnx.ml::LabelEncoder(i) keys_strings=['x','y'] values_int64s=[1,2]", "<x y>"},
		{"texts of whole numbers", "str[b]", "a = Cast(i) to=7", "<0 1 2 7 42>"},
		{"texts of real numbers", "str[b]", "a = Cast(i) to=1", "<0 1 2 7 42 0.5 -1.25>"},
		{"texts like real numbers", "str[b]", "input x f32[2]\na = CastLike(i, x)", "<0 1 2 7 42 0.5 -1.25>"},
		{"a cast of numbers", "i64[b]", "a = Cast(i) to=1", "-"},
		{"items of a batch", "i64[5]", "input x f32[3,1,8,8]\ninput r f32[5,4]\na = RoiAlign(x, r, i)", "0..2"},
		{"unpooled", "i64[1,1,2,2]", "input x f32[1,1,2,2]\na = MaxUnpool(x, i) kernel_shape=[2,2]", "0..3"},
		{"the shape of what is unpooled", "i64[4]", "input x f32[1,1,2,2]\ninput k i64[1,1,2,2]\na = MaxUnpool(x, k, i) kernel_shape=[2,2] strides=[2,2]", "[1 1 4 4]"},
		{"parts of a sequence", "i64[2]", "input x f32[8,2]\na = SplitToSequence(x, i)", "[4 4]"},
		{"a grid", "i64[4]", "input x f32[3,2,3]\na = AffineGrid(x, i)", "[3 2 4 5]"},
		{"keys that count", "i64[2]", "input q f32[2,2,3,8]\ninput k f32[2,2,7,8]\na = Attention(q, k, k, , , , i)", "{7}"},
		{"lengths of texts", "i32[2]", "input q f32[2,3,8]\ninput k f32[2,7,8]\na = com.microsoft::MultiHeadAttention(q, k, k, , i) num_heads=2", "{7}"},
		{"lengths and starts", "i32[8]", "input q f32[2,3,8]\ninput k f32[2,7,8]\na = com.microsoft::MultiHeadAttention(q, k, k, , i) num_heads=2", "[7 7 0 3 6 0 7 14]"},
		{"a mask of keys", "i32[2,7]", "input q f32[2,3,8]\ninput k f32[2,7,8]\na = com.microsoft::MultiHeadAttention(q, k, k, , i) num_heads=2", "{1}"},
		{"ends and starts", "i32[4]", "input x f32[2,3,8]\ninput w f32[8,24]\na = com.microsoft::Attention(x, w, , i) num_heads=2", "[3 3 0 0]"},
		{"filled of a cache", "i32[1]", "input x f32[2,1,8]\ninput w f32[8,24]\ninput c f32[2,2,2,9,4]\na = com.microsoft::Attention(x, w, , , c, , i) num_heads=2", "{8}"},
		{"the last key", "i32[1]", "input q f32[1,3,64]\ninput k f32[1,3,32]\ninput c f32[1,2,4,16]\na = com.microsoft::GroupQueryAttention(q, k, k, c, c, i)", "{6}"},
		{"the last key of a first batch", "i32[2]", "input q f32[2,3,64]\ninput k f32[2,3,32]\ninput c f32[2,2,4,16]\na = com.microsoft::GroupQueryAttention(q, k, k, c, c, i)", "{2}"},
		{"all keys", "i32[]", "input q f32[1,3,64]\ninput k f32[1,3,32]\ninput c f32[1,2,4,16]\ninput l i32[1]\na = com.microsoft::GroupQueryAttention(q, k, k, c, c, l, i)", "{7}"},
		{"a branch with a cache", "bool[]", branches, "{1}"},
		{"a branch without one", "bool[]", strings.Replace(branches, "past f32[2]", "past f32[0]", 1), "{0}"},
		{"branches of no cache", "bool[]", strings.ReplaceAll(branches, "past", "first"), "-"},
		{"no reader", "i64[b]", "input x f32[2]\na = Relu(x)", "-"},
		{"a reader of no rule", "i64[b]", "a = Neg(i)", "-"},
	}
	for _, c := range tests {
		m := graphtest.Model(t, "opset ai.onnx.ml 3\nopset com.microsoft 1\ninput i "+c.input+"\n"+c.lines)
		got := For(m, fedAs(m)).Of("i")
		if show(got) != c.want {
			t.Errorf("%s: got %s (%s), want %s", c.name, show(got), got.Why, c.want)
		}
		if (got.Kind == Anything) != (got.Why == "") {
			t.Errorf("%s: kind %d with reason %q", c.name, got.Kind, got.Why)
		}
	}
}

// TestWays checks the bound that a Gather on 7 rows sets if the input passes through other nodes
// first.
func TestWays(t *testing.T) {
	const table = "init w f32[7,3] 1\ninit one i64[] 1\ninit two i64[] 2\ninit axes i64[1] 0\n"
	tests := []struct{ name, lines, want string }{
		{"moved about", "a = Unsqueeze(i, axes)\nb = Transpose(a)\nc = Expand(b, axes)\nd = Cast(c) to=7\ny = Gather(w, d)", "0..6"},
		{"beside others", "init k i64[1] 3\na = Concat(k, i) axis=0\ny = Gather(w, a)", "0..6"},
		{"one of the parts", "_, b = Split(i)\ny = Gather(w, b)", "0..6"},
		{"added to", "a = Add(i, two)\ny = Gather(w, a)", "0..4"},
		{"taken from", "a = Sub(i, two)\ny = Gather(w, a)", "2..8"},
		{"multiplied", "a = Mul(two, i)\nb = Add(a, one)\ny = Gather(w, b)", "0..2"},
		{"changed beyond following", "a = Neg(i)\ny = Gather(w, a)", "-"},
		{"as truth", "a = Cast(i) to=9\nb = Cast(a) to=7\ny = Gather(w, b)", "-"},
		{"the narrower of two", "init v f32[4,3] 1\ny = Gather(w, i)\nz = Gather(v, i)", "0..3"},
		{"contradicting, the nearest", "a = Sub(i, two)\ny = Gather(w, a)\ninit v f32[2,3] 1\nz = Gather(v, i)", "0..1"},
		{"by a constant made of another", "a = Squeeze(axes)\nb = Add(i, a)\ny = Gather(w, b)", "0..6"},
		{
			"captured by a body", "graph then\ny = Gather(w, i)\noutput y f32\nend\ngraph other\ny = Identity(w)\noutput y f32\nend\n" +
				"input c bool[]\nz = If(c) then_branch=@then else_branch=@other", "0..6",
		},
		{
			"out of a branch", "graph then\ny = Identity(i)\noutput y i64\nend\ngraph other\ny = Identity(one)\noutput y i64\nend\n" +
				"input c bool[]\nz = If(c) then_branch=@then else_branch=@other\ng = Gather(w, z)", "0..6",
		},
		{
			"carried by a loop", "graph b\ninput n i64[]\ninput c1 bool[]\ninput v i64[b]\nc2 = Identity(c1)\nv2 = Identity(v)\ng = Gather(w, v)\n" +
				"output c2 bool[]\noutput v2 i64[b]\noutput g f32\nend\ninit c bool[] 1\ninit n i64[] 3\no, _ = Loop(n, c, i) body=@b", "0..6",
		},
		{"into a function", "y = local::Look(w, i)", "0..6"},
		{"through a function", "a = local::Pass(i)\ny = Gather(w, a)", "0..6"},
		{"through nested functions", "a = local::Twice(i)\ny = Gather(w, a)", "0..6"},
	}
	const functions = "opset local 1\nfunction local Look(t, k) -> (o)\ni2 = Identity(k)\no = Gather(t, i2)\nend\n" +
		"function local Pass(k) -> (o)\no = Identity(k)\nend\nfunction local Twice(k) -> (o)\nj = local::Pass(k)\no = local::Pass(j)\nend\n"
	for _, c := range tests {
		m := graphtest.Model(t, functions+"input i i64[b]\n"+table+c.lines)
		if got := For(m, fedAs(m)).Of("i"); show(got) != c.want {
			t.Errorf("%s: got %s (%s), want %s", c.name, show(got), got.Why, c.want)
		}
	}
}

func TestWhy(t *testing.T) {
	m := graphtest.Model(t, "input i i64[b]\ninput k i64[1]\ninput x f32[2,8]\ninit table f32[7,3] 1\nlook: y = Gather(table, i)\nz, _ = TopK(x, k)")
	want := map[string]string{
		"i": `index into 7 rows of "table" at Gather "look"`,
		"k": `length of at most 8, a size of "x" at the TopK that makes "z"`,
		"x": "",
	}
	for name, why := range want {
		if diff := cmp.Diff(why, For(m, fedAs(m)).Of(name).Why); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestEndless checks that the search ends for functions that call themselves and for values that
// are read a million times.
func TestEndless(t *testing.T) {
	m := graphtest.Model(t, "opset local 1\nfunction local A(k) -> (o)\nj = Identity(k)\no = local::A(j)\nend\ninput i i64[2]\ny = local::A(i)\n")
	if got := For(m, fedAs(m)).Of("i"); got.Kind != Anything {
		t.Errorf("got %s", show(got))
	}
	var b strings.Builder
	b.WriteString("input i i64[2]\ninit w i64[7] 1\n")
	for n := range 400 {
		fmt.Fprintf(&b, "a%d = Add(i, i)\n", n)
	}
	for n := range 400 {
		fmt.Fprintf(&b, "y%d = Gather(w, i)\n", n)
	}
	m = graphtest.Model(t, b.String())
	if got := For(m, fedAs(m)).Of("i"); show(got) != "0..6" {
		t.Errorf("got %s", show(got))
	}
}

// TestOnlyKnownElements checks that constants that are too large, or of texts, are not read.
func TestOnlyKnownElements(t *testing.T) {
	for _, c := range []struct {
		t  tensor.Tensor
		ok bool
	}{
		{tensor.FromSlice([]int64{1, 2}, 2), true},
		{tensor.FromSlice([]float32{1, 2}, 2), true},
		{tensor.FromSlice([]float32{1.5}, 1), true},
		{tensor.FromStrings([]string{"1"}, 1), false},
		{tensor.FromSlice(make([]int8, maxConstant+1), maxConstant+1), false},
	} {
		if _, ok := elements(graphops.NewTensorOf("c", c.t)); ok != c.ok {
			t.Errorf("%s %s: %v", c.t.DType, tensor.FormatShape(c.t.Shape), ok)
		}
	}
}
