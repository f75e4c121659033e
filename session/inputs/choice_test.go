package inputs

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// feedsOf generates inputs for a model and checks every value.
func feedsOf(t *testing.T, m *graphops.Model, o Options) Generated {
	t.Helper()
	o.Model = m
	made, err := Generate(graphops.NamedTypes(m.Graph().FeedInputs()), o)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range made.Feeds {
		if err := v.Check(); err != nil {
			t.Errorf("input %q: %v", name, err)
		}
	}
	return made
}

// TestWhatAndWhy checks that what nodes allow takes precedence over names, and names over types.
func TestWhatAndWhy(t *testing.T) {
	m := graphtest.Model(t, `
		opset ai.onnx.ml 3
		init table f32[30,4] 1
		init places f32[5,4] 1
		init parts f32[1,4] 1
		input input_ids i64[batch,6]
		a: ea = Gather(table, input_ids)
		input position_ids i64[batch,6]
		b: eb = Gather(places, position_ids)
		input token_type_ids i64[batch,6]
		c: ec = Gather(parts, token_type_ids)
		input attention_mask i64[batch,6]
		input x f32[batch,4]
		input narrow i8[9]
		init wide f32[500,4] 1
		d: ed = Gather(wide, narrow)
		input k i64[1]
		e: top, _ = TopK(x, k)
		input s i64[2]
		f: r = Reshape(x, s)
		input word str[3]
		g: l = ai.onnx.ml::LabelEncoder(word) keys_strings=['one','two'] values_int64s=[1,2]
		input flag bool[]
		input num_beams i32[1]
		input other i32[4]
		input text str[1]
		input batch_mask f32[2]
		input threshold f32[1]
		input boxes f32[1,2,4]
		input scores f32[1,1,2]
		h: kept = NonMaxSuppression(boxes, scores, k, threshold)
	`)
	made := feedsOf(t, m, Options{Dims: map[string]int64{"batch": 2}})
	want := []string{
		`input_ids i64 2×6: integers 0 to 29, index into 30 rows of "table" at Gather "a"`,
		`position_ids i64 2×6: counting from 0 to 4, its name suggests positions; index into 5 rows of "places" at Gather "b"`,
		`token_type_ids i64 2×6: all 0, its name suggests the two texts of a pair; index into 1 rows of "parts" at Gather "c"`,
		`attention_mask i64 2×6: all 1, its name suggests a mask`,
		`x f32 2×4: normal, `,
		`narrow i8 9: integers 0 to 127, index into 500 rows of "wide" at Gather "d"`,
		`k i64 1: integers 1 to 4, length of at most 4, a size of "x" at TopK "e"`,
		`s i64 2: 2, 4, shape for "x" at Reshape "f"`,
		`word str 3: words that the node knows, one of the 2 known words at LabelEncoder "g"`,
		`flag bool scalar: true or false at random, `,
		`num_beams i32 1: integers 1 to 5, its name suggests a length`,
		`other i32 4: integers 0 to 9, no node limits it`,
		`text str 1: words, no node limits it`,
		`batch_mask f32 2: all 1, its name suggests a mask`,
		`threshold f32 1: uniform(0,1), threshold at NonMaxSuppression "h"`,
		`boxes f32 1×2×4: normal, `,
		`scores f32 1×1×2: normal, `,
	}
	var got []string
	for _, f := range made.Fed {
		if f.Source != "generated" {
			t.Errorf("%s comes from %s", f.Name, f.Source)
		}
		got = append(got, fmt.Sprintf("%s %s %s: %s, %s", f.Name, f.Type, f.Shape, f.What, f.Why))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	ids, err := made.Feeds["input_ids"].Tensor.Int64s()
	if err != nil || slices.Min(ids) < 0 || slices.Max(ids) > 29 || slices.Max(ids) < 10 {
		t.Errorf("input_ids %v, %v", ids, err)
	}
	places, _ := made.Feeds["position_ids"].Tensor.Int64s()
	if diff := cmp.Diff([]int64{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1}, places); diff != "" {
		t.Errorf("positions:\n%s", diff)
	}
	if s, _ := made.Feeds["s"].Tensor.Int64s(); !slices.Equal(s, []int64{2, 4}) {
		t.Errorf("shape %v", s)
	}
}

// TestAsked checks that rules of the user take precedence over everything else.
func TestAsked(t *testing.T) {
	m := graphtest.Model(t, "input i i64[50]\ninput x f32[50]\ninput y f32[50]\ninput s str[1]\ninit w f32[9,2] 1\nz = Gather(w, i)")
	rule := func(s string) Fill {
		f, err := ParseFill(s)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	made := feedsOf(t, m, Options{Fill: rule("uniform(2,3)"), Each: map[string]Fill{"i": rule("ints(40,41)"), "y": rule("count")}})
	var what []string
	for _, f := range made.Fed {
		what = append(what, f.What+": "+f.Why)
	}
	if diff := cmp.Diff([]string{"ints(40,41): as asked", "uniform(2,3): as asked", "count: as asked", "words: no node limits it"}, what); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, limits := range map[string][2]float64{"i": {40, 41}, "x": {2, 3}, "y": {0, 49}} {
		values, err := made.Feeds[name].Tensor.Float64s()
		if err != nil || slices.Min(values) < limits[0] || slices.Max(values) > limits[1] {
			t.Errorf("%s: %v, %v", name, values, err)
		}
	}
	if _, err := Generate(graphops.NamedTypes(m.Graph().Inputs()), Options{Each: map[string]Fill{"s": rule("zeros")}}); err == nil {
		t.Error("zeros as texts: no error")
	}
}

// TestGiven checks that given inputs are not generated, and that their sizes apply to the others.
func TestGiven(t *testing.T) {
	m := graphtest.Model(t, "input x f32[batch,seq]\ninput y f32[batch,seq,2]")
	x := graphops.TensorValue(tensor.FromSlice(make([]float32, 12), 3, 4))
	made := feedsOf(t, m, Options{Given: graphops.Feeds{"x": x}})
	if len(made.Feeds) != 1 || tensor.FormatShape(made.Feeds["y"].Tensor.Shape) != "3×4×2" {
		t.Errorf("%v", made.Fed)
	}
	asked := feedsOf(t, m, Options{Given: graphops.Feeds{"x": x}, Dims: map[string]int64{"seq": 7}})
	if got := tensor.FormatShape(asked.Feeds["y"].Tensor.Shape); got != "3×7×2" {
		t.Errorf("got %s", got)
	}
}

// TestCompound generates sequences, maps and optionals.
func TestCompound(t *testing.T) {
	typ := func(s string) graphops.Type {
		x, err := graphops.ParseType(s)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	types := []graphops.NamedType{
		{Name: "s", Type: typ("seq(f32[n,2])")},
		{Name: "any", Type: typ("seq(i64)")},
		{Name: "o", Type: typ("opt(f32[2])")},
		{Name: "m", Type: typ("map(i64,f32)")},
		{Name: "w", Type: typ("map(str,str)")},
		{Name: "os", Type: typ("opt(seq(bool[1]))")},
		{Name: "sm", Type: typ("seq(map(i64,f32))")},
	}
	made, err := Generate(types, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range made.Fed {
		v := made.Feeds[f.Name]
		if err := v.Check(); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if v.Type.String() != f.Type {
			t.Errorf("%s is %s", f.Name, v.Type)
		}
		got = append(got, f.Name+" "+f.What)
	}
	want := []string{
		"s 3 elements of 2×2: normal", "any 3 elements of 2×3: integers 0 to 9", "o a value: normal", "m 3 keys to normal", "w 3 keys to words",
		"os a value: 3 elements of 1: true or false at random", "sm 3 elements: 3 keys to normal",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"sparse(f32)[2]", "map(i64,seq(f32))", "?"} {
		if _, err := Generate([]graphops.NamedType{{Name: "x", Type: typ(bad)}}, Options{}); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// TestKnownKeys checks that a map has the keys that the node reading it knows.
func TestKnownKeys(t *testing.T) {
	m := graphtest.Model(t, "opset ai.onnx.ml 3\ninput d str\ny = ai.onnx.ml::DictVectorizer(d) string_vocabulary=['red','blue','red']")
	typ, err := graphops.ParseType("map(str,f32)")
	if err != nil {
		t.Fatal(err)
	}
	made, err := Generate([]graphops.NamedType{{Name: "d", Type: typ}}, Options{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	if keys := made.Feeds["d"].Items[0].Tensor.Strings; !slices.Equal(keys, []string{"red", "blue"}) {
		t.Errorf("keys %q", keys)
	}
}

func TestParseFill(t *testing.T) {
	for s, want := range map[string]string{
		"normal": "normal", "normal(2,0.5)": "normal(2,0.5)", "uniform": "uniform(0,1)", "uniform(-1, 1)": "uniform(-1,1)", "zeros": "full(0)",
		"ones": "full(1)", "full(3.5)": "full(3.5)", "full(NaN)": "full(NaN)", "ints(0,9)": "ints(0,9)", "count": "count",
	} {
		f, err := ParseFill(s)
		if err != nil || f.String() != want {
			t.Errorf("%s: %s, %v", s, f, err)
		}
		if again, err := ParseFill(f.String()); err != nil || again.String() != want {
			t.Errorf("%s read again: %s, %v", s, again, err)
		}
	}
	for _, s := range []string{
		"", "noise", "normal(", "normal(1)", "normal(1,2", "normal(1,-1)", "uniform(2,1)", "uniform(a,b)", "uniform(0,Inf)", "ints", "ints(0.5,1)",
		"ints(0,1e300)", "full", "zeros(1)", "count()",
	} {
		if f, err := ParseFill(s); err == nil {
			t.Errorf("%q: read as %s", s, f)
		}
	}
}
