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
		"2*a+3*a": "5*a", "a*2": "2*a", "(a+1)*(a-1)": "a*a-1", "--a": "a", "a-(b-c)": "a-b+c",
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

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "the expression ends too early",
		"a+":                           "the expression ends too early",
		"a b":                          `"b" is not expected there`,
		"(a":                           "the expression ends too early",
		"a)":                           `")" is not expected there`,
		"a/2":                          `"/2" is not expected there`,
		"max(":                         "the expression ends too early",
		"max()":                        `")" is not expected there`,
		"mod(a)":                       `")" is not expected there`,
		"floor(a/2/2)":                 `"/2)" is not expected there`,
		"sqrt(a)":                      "sqrt is no function, expected floor, ceil, max, min, mod or broadcast",
		"{a":                           "a name in braces has no end",
		"a//0":                         "a size is divided by zero",
		"9223372036854775808":          "a size does not fit into 64 bits",
		"broadcast(2,3)":               "sizes 2 and 3 do not go together",
		"?":                            `"?" is not expected there`,
		strings.Repeat("(", 100) + "a": "more than 64 levels of parentheses",
		strings.Repeat("-", 100) + "a": "more than 64 levels of parentheses",
		strings.Repeat("a", 2000):      "an expression of 2000 bytes, expected at most 1024",
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
		"seq-1": "seq-1", "a - b": "a - b", "a -b": "a - b", "b - a": "-a+b", "a - b - c": "a - b - c", "2*a-b": "2*a-b", "a-b+1": "a-b+1", "floor((a-b)/c)": "floor((a-b)/c)", "2*{batch-size}": "2*{batch-size}",
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
