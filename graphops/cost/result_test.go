package cost_test

import (
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/graphtest"
)

// TestTraffic covers the bytes of a node that stands first: read, then written.
func TestTraffic(t *testing.T) {
	for _, c := range []struct{ model, want string }{
		{"input x f32[b,4]\ninit w f32[4,2]\ny = MatMul(x, w)\noutput y f32[b,2]", "16*b+32 8*b"},
		{"input x f32[b,4]\ny = Mul(x, x)\noutput y f32[b,4]", "16*b 16*b"},
		{"input x f16[3]\ninput y f16[2]\nz = Concat(x, y) axis=0\noutput z f16[5]", "10 10"},
		{"input x f32[3]\ninit s f32[]\ninit z i4[]\ny = QuantizeLinear(x, s, z)\noutput y i4[3]", "17 2"},
		{"input x bool[7]\ny = Not(x)\noutput y bool[7]", "7 7"},
		// What moves nothing.
		{"input x f32[b,4]\ny = Identity(x)\noutput y f32[b,4]", "0 0"},
		{"input x f32[2,4]\ninit s i64[1] 8\ny = Reshape(x, s)\noutput y f32[8]", "0 0"},
		{"y = Constant() value={f32[4] 1}\noutput y f32[4]", "0 0"},
		{"input x f32[b,4]\ny = Shape(x)\noutput y i64[2]", "0 16"},
		// Rows of a table, not the table.
		{"init t f32[1000,8]\ninput i i64[5]\ny = Gather(t, i)\noutput y f32[5,8]", "200 160"},
		{"input x f32[1000,8]\ninit s i64[1] 0\ninit e i64[1] 5\ny = Slice(x, s, e)\noutput y f32[5,8]", "176 160"},
		{"input a i32[1,3]\ninput b i32[1,3]\ninit t f32[99,4]\ninit p f32[50,4]\ninit s f32[2,4]\ninit g f32[4]\n" +
			"y, m = com.microsoft::EmbedLayerNormalization(a, b, t, p, s, g, g)\noutput y f32[1,3,4]\noutput m i32[1]", "200 52"},
		{"init t u8[1000,16]\ninput i i64[2]\ninit s f16[1000,1]\ny = com.microsoft::GatherBlockQuantized(t, i, s) block_size=32\noutput y f16[2,32]", "52 128"},
		// What is not known.
		{"input x str[3]\ny = StringNormalizer(x)\noutput y str[3]", "? ?"},
		{"input x f32[3]\ny, _ = nobody::Split(x)\noutput y f32", "12 ?"},
	} {
		m := graphtest.Model(t, c.model)
		n := analyze(t, m).Node(m.Places()[0], 0)
		if got := n.Read.String() + " " + n.Written.String(); got != c.want {
			t.Errorf("%s\nmoves %s, want %s", c.model, got, c.want)
		}
	}
}

func TestIntensity(t *testing.T) {
	m := graphtest.Model(t, "input x f32[b,4]\ninit w f32[4,2]\ny = MatMul(x, w)\nz = Identity(y)\noutput z f32[b,2]")
	r, main := analyze(t, m), m.Places()[0]
	if _, ok := r.Node(main, 0).Intensity(); ok {
		t.Error("an intensity without a size of b")
	}
	r = r.At(map[string]int64{"b": 4})
	// 32 multiply-accumulates, 96 bytes read, 32 written.
	if got, ok := r.Node(main, 0).Intensity(); !ok || got != 0.5 {
		t.Errorf("intensity %v %v, want 0.5", got, ok)
	}
	if _, ok := r.Node(main, 1).Intensity(); ok {
		t.Error("an intensity where nothing moves")
	}
	if p := r.Node(main, 0).Parameters; p != 8 {
		t.Errorf("%d parameters, want 8", p)
	}
}

// product is a body or function of one product of 2×2 matrices: 8 MACs, 48 bytes.
const product = "t = MatMul(s, s)\n"

// TestTotals covers what nodes enter.
func TestTotals(t *testing.T) {
	body := func(n int) string {
		return "graph body\ninput i i64[]\ninput c bool[]\ninput s f32[2,2]\n" + strings.Repeat(product, n) + "output c bool[]\noutput t f32[2,2]\nend\n"
	}
	branches := func(then, otherwise string) string {
		return "graph yes\n" + then + "output t f32[2,2]\nend\ngraph no\n" + otherwise + "output t f32[2,2]\nend\n" +
			"input c bool[]\ninput s f32[2,2]\n"
	}
	const neg = "t = Neg(s)\n"
	for _, c := range []struct{ name, model, want string }{
		{
			"a loop", body(1) + "init n i64[] 5\ninput x f32[2,2]\ny = Loop(n, , x) body=@body\noutput y f32[2,2]",
			"MACs 40 read 80 written 80",
		},
		{"rows of a scan", "graph body\ninput r f32[4]\nt = MatMul(r, r)\noutput t f32[]\nend\ninput x f32[n,4]\n" +
			"y = Scan(x) body=@body num_scan_inputs=1\noutput y f32[n]", "MACs 4*n read 16*n written 4*n"},
		{
			"the larger branch", branches(product, neg) + "y = If(c) then_branch=@yes else_branch=@no\noutput y f32[2,2]",
			"MACs 8 read 16 written 16",
		},
		{
			"the larger branch, the other way", branches(neg, product) + "y = If(c) then_branch=@yes else_branch=@no\noutput y f32[2,2]",
			"MACs 8 read 16 written 16",
		},
		{
			"the branch that moves more", branches("t = Identity(s)\n", neg) + "y = If(c) then_branch=@yes else_branch=@no\noutput y f32[2,2]",
			"MACs 0 read 16 written 16",
		},
		{
			"the branch that is taken", branches(product, neg) + "k = Constant() value={bool[] 0}\ny = If(k) then_branch=@yes else_branch=@no\noutput y f32[2,2]",
			"MACs 0 read 16 written 16",
		},
		{
			"a branch that may be larger", "graph yes\nt = MatMul(a, a)\noutput t f32[p,p]\nend\ngraph no\nt = MatMul(b, b)\noutput t f32[q,q]\nend\n" +
				"input c bool[]\ninput a f32[p,p]\ninput b f32[q,q]\ny = If(c) then_branch=@yes else_branch=@no\noutput y f32[?,?]",
			"MACs 0 and 2 read 0 and 2 written 0 and 2",
		},
		{
			"what is left out of the smaller branch", branches(product, "t = nobody::Op(s)\n") + "y = If(c) then_branch=@yes else_branch=@no\noutput y f32[2,2]",
			"MACs 8 and 1 read 16 written 16",
		},
		{
			"a function at each call", "function f Twice(x) -> (z)\ny = MatMul(x, x)\nz = MatMul(y, y)\nend\n" +
				"input a f32[2,2]\ninput b f32[n,n]\nc = f::Twice(a)\nd = f::Twice(b)\noutput c f32[2,2]\noutput d f32[n,n]",
			"MACs 2*n*n*n+16 read 8*n*n+32 written 8*n*n+32",
		},
		{
			"an unknown operator", "input x f32[2,2]\na = nobody::Op(x)\nb = Relu(x)\noutput a f32[2,2]\noutput b f32[2,2]",
			"MACs 0 and 1 read 32 written 32",
		},
		{"no nodes", "input x f32[2]\noutput x f32[2]", "MACs 0 read 0 written 0"},
	} {
		r := analyze(t, graphtest.Model(t, c.model))
		if got := describe(r); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

func describe(r *cost.Result) string {
	total := r.Total()
	return fmt.Sprintf("MACs %s read %s written %s", sum(total.MACs), sum(total.Read), sum(total.Written))
}

func sum(s cost.Sum) string {
	if s.Left == 0 {
		return s.Known.String()
	}
	return fmt.Sprintf("%s and %d", s.Known, s.Left)
}

// TestSums holds the sum over the nodes of a graph against the total, at all nodes
// of every model that there is.
func TestSums(t *testing.T) {
	m := graphtest.Model(t, "function f Twice(x) -> (z)\ny = MatMul(x, x)\nz = MatMul(y, y)\nend\n"+
		"graph body\ninput i i64[]\ninput c bool[]\ninput s f32[n,n]\nt = f::Twice(s)\noutput c bool[]\noutput t f32[n,n]\nend\n"+
		"init k i64[] 3\ninput x f32[n,n]\na = Relu(x)\nb = Loop(k, , a) body=@body\nc = f::Twice(b)\noutput c f32[n,n]")
	r, main := analyze(t, m), m.Places()[0]
	if got, want := sum(r.Sum(main, []int32{0, 1, 2}).MACs), sum(r.Total().MACs); got != want || want != "8*n*n*n" {
		t.Errorf("the nodes sum up to %s, the model to %s, want 8*n*n*n", got, want)
	}
	for i, want := range []string{"0", "6*n*n*n", "2*n*n*n"} {
		if got := sum(r.Within(main, i).MACs); got != want {
			t.Errorf("node %d with what it enters: %s, want %s", i, got, want)
		}
		if own := r.Node(main, i).MACs; !own.Is(0) {
			t.Errorf("node %d itself: %s, want 0", i, own)
		}
	}
	inFunction := m.Places()[2]
	if inFunction.Kind != graphops.FunctionBody {
		t.Fatal("expected the function's place")
	}
	if got := r.Node(inFunction, 0).MACs.String(); got != "4*n*n*n" {
		t.Errorf("a node of the function, four times: %s, want 4*n*n*n", got)
	}
	if got := sum(r.At(map[string]int64{"n": 2}).Total().MACs); got != "64" {
		t.Errorf("at n = 2: %s, want 64", got)
	}
}

// TestLongSum adds up more different expressions than a sum may have terms: the total
// does not pass for known, and is a number where the sizes are.
func TestLongSum(t *testing.T) {
	var b strings.Builder
	sizes := map[string]int64{}
	for i := range 100 {
		fmt.Fprintf(&b, "input x%d f32[s%d,2]\ny%d = MatMul(x%d, w)\noutput y%d f32[s%d,2]\n", i, i, i, i, i, i)
		sizes[fmt.Sprintf("s%d", i)] = 3
	}
	r := analyze(t, graphtest.Model(t, "init w f32[2,2]\n"+b.String()))
	if d, whole := r.Total().MACs.Whole(); whole || r.Total().MACs.Left != 0 {
		t.Errorf("a sum of 100 symbols is %s, %d left out; want nothing left out, and no sum", d, r.Total().MACs.Left)
	}
	if d, whole := r.At(sizes).Total().MACs.Whole(); !whole || !d.Is(1200) {
		t.Errorf("with sizes it is %s, want 1200", d)
	}
}
