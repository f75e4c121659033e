package simplify

import (
	"fmt"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// TestHostileProducts looks at attributes and sizes that make no sense: nothing may
// happen, whatever they claim.
func TestHostileProducts(t *testing.T) {
	conv := func(weights, attributes string) string {
		return fmt.Sprintf("input x f32\n init w f32[%s]\n init s f32[2,1,1] 10 20\n m = Mul(x, s)\n h = Conv(m, w) %s\n y = Mul(h, s)\n output y f32", weights, attributes)
	}
	for name, text := range map[string]string{
		"no groups":              strings.Replace(conv("2,2,1,1", "group=0"), "= Conv", "= ConvTranspose", 1),
		"groups below zero":      conv("2,2,1,1", "group=-9223372036854775808"),
		"groups beyond counting": strings.Replace(conv("2,2,1,1", "group=9223372036854775807"), "= Conv", "= ConvTranspose", 1),
		"groups that do not fit": strings.Replace(conv("3,2,1,1", "group=2"), "= Conv", "= ConvTranspose", 1),
		"rank 1":                 conv("2", ""),
		"rank 0":                 conv("", ""),
		"nothing in it":          conv("0,2,1,1", ""),
		"no inputs":              "y = Conv()\n z = Mul(y, y)\n output z f32",
		"no outputs":             "input x f32[2]\n _ = Mul(x, x)\n y = Gemm(x)\n z = Add(y)\n u = BatchNormalization(y)\n v = Pad(x)\n w = MaxPool(v)\n output z f32\n output u f32\n output w f32",
		"a list for a number":    conv("2,2,1,1", "group=[1,2]"),
		"padding of other ranks": "input x f32\n p = Pad(x) pads=[1]\n y = Conv(p, x) pads=[1,2,3]\n output y f32\n opset 10",
		"axes of other ranks":    "opset 18\n input x f32[1,2,5,5]\n init p i64[4] 1 1 1 1\n init z f32[] 0\n init a i64[2] 9 -9\n h = Pad(x, p, z, a)\n y = AveragePool(h) kernel_shape=[3]\n output y f32",
		"axes twice":             "opset 18\n input x f32[1,2,5,5]\n init p i64[4] 1 1 1 1\n init z f32[] 0\n init a i64[2] 2 -2\n h = Pad(x, p, z, a)\n y = AveragePool(h) kernel_shape=[3,3]\n output y f32",
		"kernel of another rank": "input x f32\n init p i64[8] 0 0 1 1 0 0 1 1\n init z f32[] 0\n h = Pad(x, p, z)\n y = AveragePool(h) kernel_shape=[3]\n output y f32",
	} {
		t.Run(name, func(t *testing.T) {
			m := graphtest.Model(t, text)
			for _, p := range productPasses {
				simplified(t, m, onlyPasses(p))
			}
		})
	}
}

// TestManyProducts looks at the time that long chains take: it may not grow with the
// square of their length, and what is left alone is told.
func TestManyProducts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var b strings.Builder
	b.WriteString("input x f32[1,2,5,5]\n init w f32[2,2,1,1] 1\n init s f32[2,1,1] 1 2\n v0 = Conv(x, w)\n")
	const n = 6000
	for i := range n {
		op := []string{"Mul(v%d, s)", "Div(v%d, s)"}[i%2]
		fmt.Fprintf(&b, "v%d = "+op+"\n", i+1, i)
	}
	fmt.Fprintf(&b, "y = Relu(v%d)\n output y f32[1,2,5,5]", n)
	for name, most := range map[string]int{"merge-constants": n/100 + 2, "fold-scale": n - maxStands + 3} {
		o := onlyPasses(find(name))
		o.MaxGrowth = DefaultMaxGrowth
		_, r, err := Simplify(t.Context(), graphtest.Model(t, b.String()), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.After.Nodes > most || !strings.Contains(reasons(r), tooMany) {
			t.Errorf("%s: %d nodes stay, want at most %d", name, r.After.Nodes, most)
		}
	}
}
