package counterpart_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/counterpart"
	"lathe/graphops/graphtest"
)

const network = `
input x f32[2,4]
init w f32[4,4] 1 2 3 4
init v f32[4,4] 5 6 7
a = MatMul(x, w)
b = Relu(a)
c = MatMul(b, v)
d = Sigmoid(c)
e = Mul(c, d)
f = Add(e, b)
y = Softmax(f)
output y f32[2,4]
`

func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		b     string
		pairs string // of computed values that have another name, or none
		only  string
	}{
		"the same": {network, "", ""},
		"renamed": {
			"t1 = MatMul(x, w)\nt2 = Relu(t1)\nc = MatMul(t2, v)\nd = Sigmoid(c)\ne = Mul(c, d)\nf = Add(e, t2)\ny = Softmax(f)",
			"a-t1:structure b-t2:structure", "",
		},
		"names of other things": {
			"c = MatMul(x, w)\nd = Relu(c)\na = MatMul(d, v)\nb = Sigmoid(a)\nf = Mul(a, b)\ne = Add(f, d)\ny = Softmax(e)",
			"a-c:structure b-d:structure c-a:structure d-b:structure e-f:structure f-e:structure", "",
		},
		"in another order": {"a = MatMul(x, w)\nb = Relu(a)\nc = MatMul(b, v)\ny = Softmax(f)\nf = Add(e, b)\ne = Mul(c, d)\nd = Sigmoid(c)", "", ""},
		"fused":            {"a = MatMul(x, w)\nb = Relu(a)\nc = MatMul(b, v)\ne = com.example::Swish(c)\nf = Add(e, b)\ny = Softmax(f)", "", "d"},
		"quantized": {`init q i8[4,4] 1
init z i8[] 0
init s f32[] 1
aq, as, az = DynamicQuantizeLinear(x)
ai = MatMulInteger(aq, q, az, z)
ac = Cast(ai) to=1
am = Mul(as, s)
a = Mul(ac, am)
b = Relu(a)
c = MatMul(b, v)
d = Sigmoid(c)
e = Mul(c, d)
f = Add(e, b)
y = Softmax(f)`, "", ""},
		"there and back": {`init s f32[] 0.1
init z u8[] 0
a = MatMul(x, w)
b = Relu(a)
bq = QuantizeLinear(b, s, z)
bd = DequantizeLinear(bq, s, z)
c = MatMul(bd, v)
d = Sigmoid(c)
e = Mul(c, d)
f = Add(e, bd)
y = Softmax(f)`, "b-bd:dequantized", ""},
		"another shape": {"a = MatMul(x, w)\nb0 = Relu(a)\nb = Concat(b0, b0) axis=0\nc = MatMul(b, v)\nd = Sigmoid(c)\ne = Mul(c, d)\nf = Add(e, b)\ny = Softmax(f)", "", ""},
		"another type":  {"a = MatMul(x, w)\nb = Relu(a)\nc0 = MatMul(b, v)\nc = Cast(c0) to=7\nd = Sigmoid(c0)\ne = Mul(c0, d)\nf = Add(e, b)\ny = Softmax(f)", "c-c0:structure", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := graphtest.Model(t, network)
			text := c.b
			if !strings.Contains(text, "input") {
				text = "opset com.example 1\ninput x f32[2,4]\ninit w f32[4,4] 1 2 3 4\ninit v f32[4,4] 5 6 7\n" + text + "\noutput y f32[2,4]"
			}
			b := graphtest.Model(t, text)
			m, err := counterpart.Find(t.Context(), a, b)
			if err != nil {
				t.Fatal(err)
			}
			var got, only []string
			for _, p := range m.Pairs {
				va, vb := a.Graph().Index().Name(p.A), b.Graph().Index().Name(p.B)
				if va != vb && a.Graph().Index().Producer(p.A) >= 0 {
					got = append(got, fmt.Sprintf("%s-%s:%s", va, vb, p.How))
				}
			}
			for _, v := range m.OnlyA {
				only = append(only, a.Graph().Index().Name(v))
			}
			if s := strings.Join(got, " "); s != c.pairs {
				t.Errorf("pairs %q, want %q", s, c.pairs)
			}
			if s := strings.Join(only, " "); s != c.only {
				t.Errorf("without counterpart %q, want %q", s, c.only)
			}
			again, err := counterpart.Find(t.Context(), a, b)
			if err != nil || !slices.EqualFunc(m.Pairs, again.Pairs, func(p, q counterpart.Pair) bool { return p.A == q.A && p.B == q.B && p.How == q.How }) {
				t.Error("a second time it is another map")
			}
		})
	}
}

func TestFindRefuses(t *testing.T) {
	twice := graphtest.Model(t, "input x f32[1]\ny = Relu(x)\ny = Neg(x)\noutput y f32[1]")
	if _, err := counterpart.Find(t.Context(), twice, twice); err == nil || !strings.Contains(err.Error(), `"y" is defined twice`) {
		t.Errorf("error %v", err)
	}
}

func TestAlternates(t *testing.T) {
	a := graphtest.Model(t, `
input x f32[1,2,4,4]
init w f32[2,2,1,1] 1 2 3 4
init s f32[2] 1 2
init o f32[2] 0 1
c = Conv(x, w)
n = BatchNormalization(c, s, o, o, s)
y = Relu(n)
output y f32[1,2,4,4]`)
	b := graphtest.Model(t, `
input x f32[1,2,4,4]
init w f32[2,2,1,1] 2 4 6 8
c = Conv(x, w)
y = Relu(c)
output y f32[1,2,4,4]`)
	m, err := counterpart.Find(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Pairs {
		var names []string
		for _, v := range m.Alternates(p) {
			names = append(names, a.Graph().Index().Name(v))
		}
		want := ""
		if a.Graph().Index().Name(p.A) == "c" {
			want = "n"
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s could be %q, want %q", a.Graph().Index().Name(p.A), got, want)
		}
	}
}
