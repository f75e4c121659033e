package bounds

import (
	"fmt"
	"testing"

	"lathe/graphops/graphtest"
)

// interval writes a domain in the form "[0,+Inf]" or "(0,1)". It writes "-" for nil.
func interval(d *Domain) string {
	if d == nil {
		return "-"
	}
	open, end := "[", "]"
	if d.OpenLo {
		open = "("
	}
	if d.OpenHi {
		end = ")"
	}
	return fmt.Sprintf("%s%.4g,%.4g%s", open, d.Lo, d.Hi, end)
}

// TestDomains checks in which interval the functions that read x are finite.
func TestDomains(t *testing.T) {
	const constants = "init one f32[] 1\ninit two f32[] 2\ninit half f32[] 0.5\ninit minus f32[] -1\ninit eps f32[] 0.5\ninit low f32[] 0\ninput other f32[n,4]\n"
	for _, c := range []struct{ name, lines, want string }{
		{"a logarithm", "y = Log(x)", "(0,+Inf]"},
		{"a root", "y = Sqrt(x)", "[0,+Inf]"},
		{"what a graph adds", "a = Add(x, eps)\ny = Log(a)", "(-0.5,+Inf]"},
		{"the rest to one", "a = Sub(one, x)\ny = Log(a)", "[-Inf,1)"},
		{"both", "a = Sub(one, x)\ny = Log(a)\nz = Log(x)", "(0,1)"},
		{"a sign", "a = Neg(x)\ny = Sqrt(a)", "[-Inf,-0]"},
		{"a factor", "a = Mul(x, two)\ny = Asin(a)", "[-0.5,0.5]"},
		{"a divisor", "a = Div(x, two)\ny = Acosh(a)", "[2,+Inf]"},
		{"by a negative factor", "a = Mul(x, minus)\ny = Atanh(a)", "(-1,1)"},
		{"behind a mean", "a = ReduceMean(x)\ny = Log(a)", "(0,+Inf]"},
		{"behind a sum with something added", "a = ReduceSum(x)\nb = Add(a, eps)\ny = Log(b)", "[0,+Inf]"},
		{"behind a sum, from above", "a = ReduceSum(x)\nb = Sub(one, a)\ny = Log(b)", "-"},
		{"a broken power", "y = Pow(x, half)", "[0,+Inf]"},
		{"a whole power", "y = Pow(x, two)", "-"},
		{"any power", "y = Pow(x, other)", "(0,+Inf]"},
		{"an exponent", "y = Pow(two, x)", "-"},
		{"a variance", "input p f32[4]\ny = BatchNormalization(other, p, p, p, x)", "[0,+Inf]"},
		{"guarded by a magnitude", "a = Abs(x)\ny = Log(a)", "-"},
		{"guarded by a square", "a = Mul(x, x)\ny = Sqrt(a)", "-"},
		{"guarded by a clip", "a = Clip(x, low)\ny = Sqrt(a)", "-"},
		{"a real divisor", "y = Div(one, x)", "-"},
		{"where two contradict, the nearer", "a = Sub(minus, x)\nb = Identity(a)\ny = Log(x)\nz = Log(b)", "(0,+Inf]"},
		{"an index as well", "init w f32[7,3] 1\nc = Cast(x) to=7\ny = Gather(w, c)\nz = Sqrt(x)", "[0,+Inf]"},
	} {
		m := graphtest.Model(t, "opset 21\ninput x f32[n,4]\n"+constants+c.lines)
		got := For(m, fedAs(m)).Of("x")
		if interval(got.Domain) != c.want {
			t.Errorf("%s: %s, want %s", c.name, interval(got.Domain), c.want)
		}
		if d := got.Domain; d != nil && (d.Why == "" || d.Has(d.Lo) == d.OpenLo && d.Lo == 0) {
			t.Errorf("%s: %q, and has %g: %v", c.name, d.Why, d.Lo, d.Has(d.Lo))
		}
	}
}

// TestSuggested checks that a bound takes precedence over a suggestion from a comparison.
func TestSuggested(t *testing.T) {
	const table = "init w f32[9,3] 1\ninit a i64[] 49407\ninit b i64[] 3\n"
	for _, c := range []struct{ name, input, lines, want string }{
		{"beyond the table", "i64[]", "e = Equal(i, a)\ng = Gather(w, i)", "0..8"},
		{"beyond the table, compared later", "i64[]", "g = Gather(w, i)\nd = Identity(i)\ne = Equal(d, a)", "0..8"},
		{"within the table", "i64[]", "e = Equal(i, b)\ng = Gather(w, i)", "0..8"},
		{"a divisor as well", "i64[]", "e = Equal(i, a)\ninput x i64[4]\nd = Div(x, i)", "suggested {49407}"},
		{"a divisor that it cannot be", "i64[]", "init zero i64[] 0\ne = Equal(i, zero)\ninput x i64[4]\nd = Div(x, i)", "1..9"},
		{"a single token of a text", "i64[n,s]", "e = Equal(i, a)", "-"},
		{"a single token of a batch", "i64[n]", "e = Equal(i, a)", "-"},
		{"a length", "i64[n]", "input x f32[n,6]\ninit z i64[] 0\ninit o i64[] 1\ns = Shape(x) start=1 end=2\nq = Squeeze(s)\nr = Range(z, q, o)\nc = Unsqueeze(i, o)\nm = Less(r, c)", "suggested {6}"},
		{"positions compared with positions", "i64[n,6]", "init z i64[] 0\ninit o i64[] 1\ninit s i64[] 6\nr = Range(z, s, o)\nm = Less(r, i)", "-"},
		{"the end of a range", "i64[]", "init z i64[] 0\ninit o i64[] 1\nr = Range(z, i, o)", "suggested 1..5"},
	} {
		m := graphtest.Model(t, "opset 21\ninput i "+c.input+"\n"+table+c.lines)
		fed := fedAs(m)
		for axis := range fed["i"] {
			if c.name[:8] == "a single" {
				fed["i"][axis] = 1
			}
		}
		got := For(m, fed).Of("i")
		text := show(got)
		if got.Suggested {
			text = "suggested " + text
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// TestEnds checks that a number that a node looks for in each row is found.
func TestEnds(t *testing.T) {
	for _, c := range []struct{ name, lines, want string }{
		{"its first place", "e = Equal(i, b)\nn = Cast(e) to=6\na = ArgMax(n)", "3"},
		{"its places", "e = Equal(b, i)\na = NonZero(e)", "3"},
		{"whether it is there", "e = Equal(i, b)\nn = Cast(e) to=6\na = ReduceMax(n)", "-"},
		{"in other numbers", "p = Add(i, b)\ne = Equal(p, b)\na = NonZero(e)", "-"},
	} {
		m := graphtest.Model(t, "opset 21\ninput i i64[n,s]\ninit b i64[] 3\n"+c.lines)
		text := "-"
		if end := For(m, fedAs(m)).Of("i").End; end != nil {
			text = fmt.Sprint(end.Value)
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// TestColumns checks the bounds of each column of boxes.
func TestColumns(t *testing.T) {
	for _, c := range []struct{ name, lines, want string }{
		{"regions", "input x f32[2,3,10,20]\ny = RoiAlign(x, i, k) spatial_scale=0.5", "[0,16] [0,8] [24,40] [12,20]"},
		{"regions of an image of unknown size", "input x f32[?,?,?,?]\nz = Foo(x)\ny = RoiAlign(z, i, k)", "[0,3.2] [0,3.2] [4.8,8] [4.8,8]"},
		{"crops", "input x f32[2,3,10,20]\ninput s i32[2]\ny = com.microsoft::CropAndResize(x, i, k, s)", "[0,0.4] [0,0.4] [0.6,1] [0.6,1]"},
		{"centers", "input s f32[1,1,5]\nu = Unsqueeze(i, k)\ny = NonMaxSuppression(u, s) center_point_box=1", "[0.2,0.8] [0.2,0.8] [0.1,0.4] [0.1,0.4]"},
		{"corners in any order", "input s f32[1,1,5]\nu = Unsqueeze(i, k)\ny = NonMaxSuppression(u, s)", ""},
		{"moved", "input x f32[2,3,10,20]\nj = Transpose(i)\ny = RoiAlign(x, j, k)", ""},
	} {
		m := graphtest.Model(t, "opset 16\nopset com.microsoft 1\ninput i f32[5,4]\ninit k i64[1] 0\n"+c.lines)
		text := ""
		for at, d := range For(m, fedAs(m)).Of("i").Columns {
			if at > 0 {
				text += " "
			}
			text += interval(d.Domain)
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}
