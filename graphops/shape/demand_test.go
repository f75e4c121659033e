package shape_test

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// demandsOf infers a model.
func demandsOf(t *testing.T, model string, o shape.Options) []shape.Demand {
	t.Helper()
	r, err := shape.Infer(t.Context(), graphtest.Model(t, model), o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Demands
}

// TestDemandNamesItsPlace finds demands in bodies and functions, each once.
func TestDemandNamesItsPlace(t *testing.T) {
	const conv = "input x f32[1,2,h]\ninit w f32[2,2,5] 1\n"
	for _, x := range []struct{ name, model, in string }{
		{"main graph", conv + "y = Conv(x, w)", "main"},
		{"branch", "graph yes\nc: a = Conv(x, w)\noutput a f32\nend\ngraph no\nb = Identity(x)\noutput b f32\nend\n" + conv + "input go bool[]\ny = If(go) then_branch=@yes else_branch=@no", "a"},
		{"loop", "graph body\ninput i i64[]\ninput on bool[]\non2 = Identity(on)\na = Conv(x, w)\noutput on2 bool[]\noutput a f32\nend\n" + conv + "init n i64[] 3\ninit go bool[] 1\ny = Loop(n, go) body=@body", "a"},
		{"function, twice", "opset local 1\nfunction local Half(x, w) -> (a)\na = Conv(x, w)\nend\n" + conv + "y = local::Half(x, w)\nz = local::Half(x, w)", "a"},
	} {
		t.Run(x.name, func(t *testing.T) {
			list := demandsOf(t, x.model, shape.Options{})
			if len(list) != 1 {
				t.Fatalf("%d demands: %v", len(list), list)
			}
			d := list[0]
			if d.Text() != "a window of 5 must fit into h" || d.Condition() != "h is at least 5" || !strings.HasSuffix(d.String(), "(Conv): "+d.Text()) {
				t.Errorf("%q, %q, %q", d, d.Text(), d.Condition())
			}
			if out := d.Place.Graph.Nodes()[d.Node].Outputs()[0]; x.in != "main" && out != x.in {
				t.Errorf("the node makes %q", out)
			}
		})
	}
}

// TestLimitsOnce has a thousand layers that ask for the same.
func TestLimitsOnce(t *testing.T) {
	list := demandsOf(t, "input x0 f32[1,2,h]\ninit w f32[2,2,5] 1\n"+lines(1000, "x# = Conv(x@, w) pads=[2,2]")+"\n"+lines(1000, "y# = MaxPool(x#) kernel_shape=[7]"), shape.Options{})
	if len(list) != 1 || list[0].Text() != "a window of 7 must fit into h" {
		t.Errorf("%v", list)
	}
}

// TestInsisted has a pool, which tolerates a window that does not fit, before a convolution
// that does not, and behind it.
func TestInsisted(t *testing.T) {
	const conv, pool = "y = Conv(x, w)\n", "z = MaxPool(x) kernel_shape=[5]\n"
	for nodes, want := range map[string][]bool{pool + conv: {true, false}, conv + pool: {false}} {
		var got []bool
		for _, d := range demandsOf(t, "input x f32[1,2,h]\ninit w f32[2,2,5] 1\n"+nodes, shape.Options{}) {
			got = append(got, d.Tolerated)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: tolerated %v, want %v", nodes, got, want)
		}
	}
}

// TestUnmet asks for what does not hold between numbers, too.
func TestUnmet(t *testing.T) {
	const model = "input x f32[1,2,4]\ninit w f32[2,2,5] 1\ninit v f32[2,2,3] 1\ny = Conv(x, w)\nz = Conv(x, v)"
	for unmet, want := range map[bool][]string{false: nil, true: {"a window of 5 must fit into 4"}} {
		var got []string
		for _, d := range demandsOf(t, model, shape.Options{Unmet: unmet}) {
			got = append(got, d.Text())
		}
		if !slices.Equal(got, want) {
			t.Errorf("unmet %v: %q, want %q", unmet, got, want)
		}
	}
}

// TestConditions writes each relation with and without a number.
func TestConditions(t *testing.T) {
	var got []string
	for _, d := range demandsOf(t, `
		input a f32[n,4]
		input b f32[m,k]
		input c f32[l]
		init t i64[2] -1 5
		s = Add(a, b)
		p = MatMul(b, a)
		r = Reshape(a, t)
		i = LayerNormalization(b, c)
		z = GatherElements(b, e) axis=1
		input e i64[n,k]
	`, shape.Options{}) {
		got = append(got, d.Condition())
	}
	want := []string{
		"n = m, or one of them is 1", "k = 4, or one of them is 1", "k = n", "4*n is a multiple of 5", "l = k, or l = 1", "n is at most m",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
