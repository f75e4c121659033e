package dim_test

import (
	"strings"
	"testing"

	"lathe/graphops/dim"
)

// TestParse writes each expression as its normal form.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"7": "7", "-7": "-7", "- 7": "-7", "a": "a", " a + b ": "a+b", "b+a": "a+b", "a-a": "0",
		"2*a+3*a": "5*a", "a*2": "2*a", "(a+1)*(a-1)": "a*a-1", "--a": "a", "a-(b-c)": "a+c-b",
		"a//2": "floor(a/2)", "floor(a/2)": "floor(a/2)", "floor(a)": "a", "7//2": "3", "-7//2": "-4", "-7%4": "1",
		"floor((4*h+3)/2)": "2*h+1", "floor((2*h+1)/4)": "floor(h/2)", "(a*b)//a": "b", "(a*b+b)//b": "a+1", "(2*a)//(2*b)": "floor(a/b)",
		"ceil(a/2)": "floor((a+1)/2)", "ceiling(a/2)": "floor((a+1)/2)", "ceil(7/2)": "4",
		"a%3": "a-3*floor(a/3)", "Mod(a,3)": "a-3*floor(a/3)", "mod(4*a,2)": "0",
		"floor(floor(a/2)/3)": "floor(a/6)", "floor((floor(a/2)+b)/3)": "floor((a+2*b)/6)",
		"Max(1, a)": "a", "max(a,0)": "a", "min(a,1)": "1", "Min(a, a+1)": "a", "max(a,b,max(b,c))": "max(a,b,c)", "max(3,5)": "5", "min(a)": "a",
		"broadcast(a,b)": "broadcast(a,b)", "broadcast(a,1)": "a", "broadcast(a,4)": "4", "broadcast(a,a)": "a", "broadcast(a+1,b)": "a+1",
		"{a b}": "a b", "{a b}*2": "2*{a b}", `{a\}\\}+1`: `{a\}\\}+1`, "größe+1": "größe+1", "a.b:0+1": "a.b:0+1", "{}": "",
	} {
		if d, err := dim.Parse(text); err != nil || d.String() != want {
			t.Errorf("%q reads as %q, %v, want %q", text, d, err, want)
		}
	}
}

// TestExporters has sizes as sympy, PyTorch, ONNX Runtime's symbolic shape inference and
// onnx-ir write them.
func TestExporters(t *testing.T) {
	for text, want := range map[string]string{
		"floor(2.0*h)": "2*h", "floor(1.0*batch)": "batch", "floor(0.5*h)": "floor(h/2)", "floor(1.5*h)": "floor(3*h/2)", "floor(0.0625*h)": "floor(h/16)",
		"2.00000000000000*h": "2*h", "2.0*h + 1.0": "2*h+1", "floor(h/2 + 0.5)": "floor((h+1)/2)", "floor(-0.5*h)": "floor(-h/2)", "floor(h/0.5)": "2*h",
		"floor(2.0*floor(2.0*floor(h/32)))": "4*floor(h/32)", "floor(2.0*floor(2.0*floor(floor(floor(h/2)/2)/2)))": "4*floor(h/8)", "2*floor(h/2)": "2*floor(h/2)",
		"floor(floor(h/2)/2)": "floor(h/4)", "floor((floor((h-1)/2)+1)/2)": "floor((h+1)/4)", "ceiling(ceiling(h/2)/2)": "floor((h+3)/4)", "floor(a/2/2)": "floor(a/4)",
		"floor(width/4 - 1/4) + 1": "floor((width+3)/4)", "floor(floor(floor(w/4 - 1/4)/2)/4 - 3/4) + 1": "floor((w+7)/32)", "floor(h/w - 1/4)": "floor((4*h-w)/(4*w))",
		"(floor(h/4 - 1/4) + 1)*(floor(w/4 - 1/4) + 1)": "floor((h+3)/4)*floor((w+3)/4)", "floor(h*w/4)": "floor(h*w/4)", "floor((h*w)/(2*w))": "floor(h/2)",
		"( ( ( n - 10 ) // 5 + 1 - 3 ) // 2 + 1 - 3 ) // 2 + 1": "floor(n/20)-1",
		"(s0 // 2)": "floor(s0/2)", "((s1 - 1)//2) + 1": "floor((s1+1)/2)", "((s0*s1)//s1)": "s0", "s77**2*s3": "s3*s77*s77", "(h + 1)**2": "h*h+2*h+1", "-a**2": "-a*a", "a**0": "1",
		"a**3*a**(-1)": "a*a", "sqrt(4*a**2)": "2*a", "(a**2)**0.5": "a", "4**(1/2)": "2", "sqrt(0)": "0",
		"Mod(a, b)": "a-b*floor(a/b)", "PythonMod(s0, 4)": "s0-4*floor(s0/4)", "FloorDiv(s0, 2)": "floor(s0/2)", "CeilDiv(s0, 2)": "floor((s0+1)/2)", "CleanDiv(2*s0, 2)": "s0",
		"TruncToInt(IntTrueDiv(s0, 2))": "floor(s0/2)", "trunc(-a/2)": "floor((1-a)/2)", "CeilToInt(IntTrueDiv(s0 + 1, 2))": "floor(s0/2)+1", "FloorToInt(0.5*ToFloat(s0))": "floor(s0/2)",
		"math.floor(h/2)": "floor(h/2)", "int(h/2)": "floor(h/2)", "PowByNatural(s0, 2)": "s0*s0", "ModularIndexing(s0, 2, 3)": "floor(s0/2)-3*floor(s0/6)", "Abs(s0)": "s0", "abs(a-b)": "max(b-a,a-b)", "round(a)": "a",
		"Max(1, h)": "h", "Min(h, 2*h)": "h", "floor(Max(1, h/2))": "floor(max(2,h)/2)", "ceil((a-b)/(b-a))": "-1", "ceil(h/(a-b))": "-floor(-h/(a-b))",
		"Piecewise((1, s0 < 1), (s0, True))": "s0", "Piecewise((a, a < b), (b, True))": "min(a,b)", "Piecewise((a, a >= b), (b, True))": "max(a,b)", "Piecewise((b, a > b), (a, True))": "min(a,b)", "Piecewise((b, a <= b), (a, True))": "max(a,b)",
		"Piecewise((a, Eq(a, b)), (b, True))": "b", "Piecewise((3, Eq(a + 1, 1)), (b, True))": "b", "Piecewise((3, a > 0), (4, a > 1), (b, True))": "3",
	} {
		if d, err := dim.Parse(text); err != nil || d.String() != want {
			t.Errorf("%q reads as %q, %v, want %q", text, d, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "the expression ends too early",
		"a+":                               "the expression ends too early",
		"a b":                              `"b" is not expected there`,
		"(a":                               "the expression ends too early",
		"a)":                               `")" is not expected there`,
		"a/2":                              "a/2 is not a whole number; put it into floor or ceil",
		"max(":                             "the expression ends too early",
		"max()":                            `")" is not expected there`,
		"mod(a)":                           "mod has 1 operands, expected 2",
		"sin(a)":                           "sin is not a function of sizes, expected one such as floor, ceil, max, min, mod",
		"sqrt(a)":                          "a square root is taken of an expression that is not a square",
		"2**a":                             "a power is not a whole number up to 8",
		"a**9":                             "a power is not a whole number up to 8",
		"1/a":                              "1/a is not a whole number; put it into floor or ceil",
		"(a+1)/(2*b)":                      "(a+1)/(2*b) is not a whole number; put it into floor or ceil",
		"floor(0.1*a)":                     "0.1 is not exact: expected a whole number divided by a power of two",
		"floor(1.60000002384186*a)":        "1.60000002384186 is not exact: expected a whole number divided by a power of two",
		"floor(0.0000000000000000001)":     "a size does not fit into 64 bits",
		"floor(a/0.0)":                     "a size is divided by zero",
		"trunc((a-3)/2)":                   "an expression is truncated that may be negative or positive",
		"RoundToInt(a/2)":                  "a/2 is not a whole number; put it into floor or ceil",
		"Max(a, b/c)":                      "b/c is not a whole number; put it into floor or ceil",
		"Piecewise((a, a < 3), (1, True))": "which case of Piecewise is taken depends on the sizes",
		"Piecewise((a, a < 3))":            "the last case of Piecewise has a condition, expected True",
		"Piecewise((a, True)":              "the expression ends too early",
		"{a":                               "a name in braces lacks the closing brace",
		"a//0":                             "a size is divided by zero",
		"9223372036854775808":              "a size does not fit into 64 bits",
		"broadcast(2,3)":                   "sizes 2 and 3 cannot be broadcast",
		"?":                                `"?" is not expected there`,
		strings.Repeat("(", 100) + "a":     "more than 64 levels of parentheses",
		strings.Repeat("-", 100) + "a":     "more than 64 levels of parentheses",
		strings.Repeat("a", 2000):          "an expression of 2000 bytes, expected at most 1024",
	} {
		if d, err := dim.Parse(text); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q reads as %s, %v, want %s", text, d, err, want)
		}
	}
}

// TestOfText has names of axes as files hold them.
func TestOfText(t *testing.T) {
	for name, want := range map[string]string{
		"2*seq+1": "2*seq+1", "floor(h/2)": "floor(h/2)", "past_sequence_length + 1": "past_sequence_length+1", "(h//2)": "floor(h/2)", "seq-seq+batch": "batch",
		"seq-1": "seq-1", "a - b": "a - b", "a -b": "a - b", "b - a": "b - a", "a - b - c": "a - b - c", "2*a-b": "2*a-b", "a-b+1": "a+1-b", "floor((a-b)/c)": "floor((a-b)/c)", "2*{batch-size}": "2*{batch-size}",
	} {
		if d := dim.OfText(name); d.String() != want {
			t.Errorf("%q is %s, want %s", name, d, want)
		}
	}
	large := strings.Repeat("(a+b)*", 50) + "a"
	for _, name := range []string{"batch", "batch-size", "max-seq-len_2", "größe-länge", "a-", "unk__12", "größe", "?", "", "3", "-1", "2*3", "a b", "floor(x", "a//0", "a/2", large} {
		if got, ok := dim.OfText(name).IsSymbol(); !ok || got != name {
			t.Errorf("%q is %s, want a symbol of that name", name, dim.OfText(name))
		}
	}
}

// FuzzParse reads any text: what reads as an expression is written so that it reads
// as the same one.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"2*seq+1", "floor((a+b)/(2*c))-max(1,a,b)", "broadcast(a,{b c})%3", "-9223372036854775808*a", "ceil(-a/-3)//b", "min(a-b,b-a)*min(a,3)",
		"floor(2.0*floor(h/4 - 1/4))+1", "floor(Max(1, h/2))", "Piecewise((a, a < b), (b, True))", "(a+1)**3*a**-1", "sqrt(4*a**2)", "TruncToInt(IntTrueDiv(s0, 2))",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := dim.Parse(text)
		if err != nil {
			return
		}
		d.Bounds()
		if _, err := d.Eval(func(string) (int64, bool) { return 3, true }); err == nil && d.Err() != nil {
			t.Errorf("%q is a fault, and has a value", text)
		}
		if _, symbol := d.IsSymbol(); symbol || !d.Known() {
			return
		}
		if back, err := dim.Parse(d.String()); err != nil || !back.Equal(d) {
			t.Errorf("%q is %s, which reads as %s, %v", text, d, back, err)
		}
	})
}

func BenchmarkArithmetic(b *testing.B) {
	batch, seq, one := dim.Symbol("batch"), dim.Symbol("seq"), dim.Number(1)
	b.ReportAllocs()
	for b.Loop() {
		n := batch.Mul(seq).Mul(dim.Number(64)).Add(one)
		if !n.FloorDiv(dim.Number(64)).Equal(batch.Mul(seq)) {
			b.Fatal(n)
		}
	}
}
