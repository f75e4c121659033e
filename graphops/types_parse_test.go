package graphops_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

func floats(dims ...graphops.Dim) graphops.Type {
	return graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: append(graphops.Shape{}, dims...)}
}

var unknownDim = graphops.Dim{Value: -1}

func TestParseType(t *testing.T) {
	rankless := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}
	scalar := floats()
	n := floats(graphops.SymbolDim("n"))
	for _, tt := range []struct {
		text string
		want graphops.Type
		says string // Declaration, where it is not the text
	}{
		{text: "f32", want: rankless},
		{text: "f32[]", want: scalar},
		{text: "f32[ ]", want: scalar, says: "f32[]"},
		{text: "f32[batch,3,?]", want: floats(graphops.SymbolDim("batch"), graphops.FixedDim(3), unknownDim)},
		{text: "f32[ n , 0 ]", want: floats(graphops.SymbolDim("n"), graphops.FixedDim(0)), says: "f32[n,0]"},
		{text: "f32[2*seq + 1]", want: floats(graphops.SymbolDim("2*seq + 1"))},
		{text: "f32[max(a, b),3]", want: floats(graphops.SymbolDim("max(a, b)"), graphops.FixedDim(3))},
		{text: "f32[-a]", want: floats(graphops.SymbolDim("-a"))},
		{text: `f32["3","a,b","?"," x","a]"]`, want: floats(graphops.SymbolDim("3"), graphops.SymbolDim("a,b"), graphops.SymbolDim("?"), graphops.SymbolDim(" x"), graphops.SymbolDim("a]"))},
		{text: `f32["\xff","a(b",n]`, want: floats(graphops.SymbolDim("\xff"), graphops.SymbolDim("a(b"), graphops.SymbolDim("n"))},
		{text: `f32["n"]`, want: n, says: "f32[n]"},
		{text: "seq(f32[n])", want: graphops.Type{Kind: graphops.TypeSequence, Of: &n}},
		{text: "opt(seq(f32))", want: graphops.Type{Kind: graphops.TypeOptional, Of: &graphops.Type{Kind: graphops.TypeSequence, Of: &rankless}}},
		{text: "map(i64,f32)", want: graphops.Type{Kind: graphops.TypeMap, Elem: tensor.I64, Of: &rankless}},
		{text: "map(str,f32[n])", want: graphops.Type{Kind: graphops.TypeMap, Elem: tensor.String, Of: &n}},
		{text: "sparse(f32)", want: graphops.Type{Kind: graphops.TypeSparse, Elem: tensor.F32}},
		{text: "sparse(f32)[4]", want: graphops.Type{Kind: graphops.TypeSparse, Elem: tensor.F32, Shape: graphops.Shape{graphops.FixedDim(4)}}},
		{text: "seq(?)", want: graphops.Type{Kind: graphops.TypeSequence}},
		{text: "?", want: graphops.Type{}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, err := graphops.ParseType(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.says == "" {
				tt.says = tt.text
			}
			if says := got.Declaration(); says != tt.says {
				t.Errorf("declared as %q, want %q", says, tt.says)
			}
		})
	}
}

func TestParseTypeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "is not an element type",
		"float33":                           `"float33" is not an element type`,
		"f32[":                              `"[" is not closed`,
		"f32[3":                             `"[" is not closed`,
		"f32[3,]":                           "a dimension is empty",
		"f32[,3]":                           "a dimension is empty",
		"f32[-1]":                           "dimension -1 is not a size; write ? for an unknown one",
		"f32[+3]":                           "dimension +3 is not a size",
		"f32[1.5]":                          "dimension 1.5 is not a size",
		"f32[1e999]":                        "dimension 1e999 is not a size",
		"f32[9223372036854775808]":          "is not a size",
		`f32["]`:                            "a quoted symbol is not closed",
		`f32[""]`:                           "is not a symbol",
		`f32["a"b]`:                         `expected "," before "b]"`,
		"f32[3]x":                           `unexpected "x" after the end of the type`,
		"f32[3][4]":                         `unexpected "[4]"`,
		"list(f32)":                         `"list" is not one of seq, opt, map, sparse`,
		"seq(f32":                           `it ends where ")" is expected`,
		"seq()":                             "is not an element type",
		"map(f32)":                          "a map's key is an integer or a string, not f32",
		"map(i64)":                          `expected "," before ")"`,
		"opaque":                            `"opaque" is not an element type`,
		"sparse(seq(f32))":                  `"seq" is not an element type`,
		strings.Repeat("seq(", 20) + "f32":  "it nests deeper than 16",
		strings.Repeat("opt(", 1000) + "(":  "it nests deeper than 16",
		"f32[" + strings.Repeat("(", 1<<16): `"[" is not closed`,
	} {
		t.Run(text[:min(len(text), 20)], func(t *testing.T) {
			_, err := graphops.ParseType(text)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v lacks %q", err, want)
			}
		})
	}
}

// FuzzParseType wants every type that is read to be written so that it is read
// as the same, and to survive a file.
func FuzzParseType(f *testing.F) {
	for _, s := range []string{"f32[batch,3,?]", `f32["a,b"]`, "seq(map(i64,f32[n]))", "opt(sparse(f16)[2])", "?", "seq(?)", "f32[max(a,b),(]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := graphops.ParseType(s)
		if err != nil {
			return
		}
		again, err := graphops.ParseType(want.Declaration())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, again); diff != "" {
			t.Errorf("%q (-want +got):\n%s", want.Declaration(), diff)
		}
		if diff := cmp.Diff(want, graphops.NewValueInfo("x", want).Type()); diff != "" {
			t.Errorf("through a file (-want +got):\n%s", diff)
		}
	})
}

// FuzzDeclaration puts any symbol into a type.
func FuzzDeclaration(f *testing.F) {
	for _, s := range []string{"n", "a,b", "max(a,b)", "a(b", ")(", "-1", "3", "?", " n", "\"", "a\\", "\xff", "]", "é", "\u200b"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == "" || b == "" {
			return
		}
		want := floats(graphops.SymbolDim(a), graphops.FixedDim(2), graphops.SymbolDim(b))
		got, err := graphops.ParseType(want.Declaration())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", want.Declaration(), diff)
		}
	})
}
