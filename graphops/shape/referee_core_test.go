package shape_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
)

func TestEvaluate(t *testing.T) {
	s := newSymbols([]string{"batch", "h", "w", "past", "seq", "past + seq", "input-0_dim0", "_seq.len", "s0+1"})
	for _, tc := range []struct{ text, equal string }{
		{"7", "7"},
		{"2*h + 1", "h+h+1"},
		{"floor(h/2)", "h//2"},
		{"ceil(h/2)", "floor(h/2 + 1/2)"},
		{"ceiling(h/3)", "-floor(-h/3)"},
		{"-h + 100", "100 - h"},
		{"h - 1 - 2", "h - 3"},
		{"mod(h, 5)", "h - 5*(h//5)"},
		{"Mod(h, 5)", "h % 5"},
		{"h**2", "h*h"},
		{"2**3", "8"},
		{"-2**2", "0-4"},
		{"h**(-1)", "1/h"},
		{"max(h, w, 1)", "Max(w, h)"},
		{"min(h, w)", "h + w - max(h, w)"},
		{"broadcast(h, 1)", "h"},
		{"broadcast(1, h, h)", "h"},
		{"past + seq", "past+seq"},
		{"2*past + seq", "2*(past+seq)"}, // as SymPy writes twice a symbol of that name
		{"past+2*seq", "past + seq+seq"},
		{"input-0_dim0*2", "input-0_dim0 + input-0_dim0"},
		{"_seq.len", "_seq.len/1"},
		{"s0+1", "1 + s0"},
		{"((((h))))", "h"},
		{"9007199254740993", "9007199254740992+1"},
	} {
		for _, a := range assignments {
			x, err := s.evaluate(tc.text, a)
			if err != nil {
				t.Errorf("%s: %v", tc.text, err)
				break
			}
			y, err := s.evaluate(tc.equal, a)
			if err != nil {
				t.Errorf("%s: %v", tc.equal, err)
				break
			}
			if x.Cmp(y) != 0 {
				t.Errorf("%s is %s, %s is %s", tc.text, x.RatString(), tc.equal, y.RatString())
			}
		}
	}
}

func TestEvaluateErrors(t *testing.T) {
	s := newSymbols([]string{"batch", "?", "x-0_d1"})
	for _, text := range []string{
		"", " ", "?", "unk__3", "x-0_d10", "batch +", "* batch", "(batch", "batch)", "batch batch", "2batch", "floor()", "floor(1, 2)",
		"Piecewise((1, batch))", "batch**batch", "batch**100", "1/0", "mod(batch, 0)", "batch[0]", "\xff",
		"((((2**16)**16)**16)**16)**16",
		strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000),
		strings.Repeat("-", 100_000) + "1",
		strings.Repeat("floor(", 100_000),
	} {
		if v, err := s.evaluate(text, assignments[0]); err == nil {
			t.Errorf("%.40q is %s", text, v)
		}
	}
}

// Sizes are as the kinds of assignment promise, and no two symbols always have the
// same.
func TestAssignments(t *testing.T) {
	for _, a := range assignments {
		x, y := a.size("batch"), a.size("seq")
		if x.Cmp(a.size("batch")) != 0 {
			t.Errorf("%v: a symbol has two sizes", a)
		}
		if (x.Cmp(y) == 0) != (a.kind == allEqual) {
			t.Errorf("%v: sizes %s and %s", a, x, y)
		}
		if a.kind != anySize && new(big.Int).Mod(x.Num(), big.NewInt(12)).Sign() != 0 {
			t.Errorf("%v: %s is no multiple of 12", a, x)
		}
	}
}

// parseClaim reads "f32 batch 3 ?": "f32" alone has no rank, "f32 ." is a scalar.
func parseClaim(text string) claim {
	dtype, dims, ranked := strings.Cut(text, " ")
	c := claim{dtype: dtype}
	if !ranked {
		return c
	}
	c.shape = graphops.Shape{}
	if dims == "." {
		return c
	}
	for d := range strings.FieldsSeq(dims) {
		switch v, isNumber := new(big.Int).SetString(d, 10); {
		case isNumber:
			c.shape = append(c.shape, graphops.FixedDim(v.Int64()))
		case d == "?":
			c.shape = append(c.shape, graphops.SymbolDim(""))
		default:
			c.shape = append(c.shape, graphops.SymbolDim(d))
		}
	}
	return c
}

func TestContradiction(t *testing.T) {
	s := newSymbols([]string{"batch", "seq", "h"})
	for _, tc := range []struct{ ours, theirs, want string }{
		{"f32 batch 3", "f32 batch 3", ""},
		{"f32", "f32 1 2 3", ""},
		{"", "f32 1", ""},
		{"f32", "i64", "type"},
		{"seq(f32)", "seq(i64)", "type"},
		{"seq(?)", "seq(i64)", ""},
		{"f32 .", "f32 1", "rank"},
		{"f32 .", "f32 .", ""},
		{"f32 3", "f32 3 1", "rank"},
		{"f32 3 4", "f32 3 5", "axis 1"},
		{"f32 3 ?", "f32 ? 5", ""},
		{"f32 batch", "f32 1", "axis 0"},
		{"f32 batch", "f32 seq", "axis 0"},
		{"f32 batch", "f32 unk__0", ""},
		{"f32 batch", "f32 batch+unk__0", ""},
		{"f32 2*seq+1", "f32 seq+seq+1", ""},
		{"f32 2*seq+1", "f32 2*seq+2", "axis 0"},
		{"f32 floor(h/2)", "f32 h/2", ""}, // where h is even, as h/2 claims
		{"f32 floor(h/2)", "f32 floor(h/2+1/2)", "axis 0"},
		{"f32 broadcast(batch,1)", "f32 batch", ""},
		{"f32 broadcast(batch,seq)", "f32 batch", ""}, // nothing but equal ones go together
		{"f32 seq-12", "f32 max(0,seq-12)", ""},
		{"f32 min(512,seq)", "f32 seq", "axis 0"},
	} {
		if got := s.contradiction(parseClaim(tc.ours), parseClaim(tc.theirs)); got != tc.want {
			t.Errorf("%s and %s: %q, want %q", tc.ours, tc.theirs, got, tc.want)
		}
		if got := s.contradiction(parseClaim(tc.theirs), parseClaim(tc.ours)); got != tc.want {
			t.Errorf("%s and %s: %q, want %q", tc.theirs, tc.ours, got, tc.want)
		}
	}
}

// stated is a Known of claims written by hand.
func stated(claims map[string]string) Known {
	return func(value string) (string, []graphops.Dim, bool) {
		c := parseClaim(claims[value])
		return c.dtype, c.shape, c.shape != nil
	}
}

// hearing is a model of three values and two referees.
const hearing = `{"error": null, "symbols": ["batch"], "referees": {
	"onnx": {"error": null, "seconds": 0.5, "graphs": {
		"": {"a": ["f32", ["batch", 4]], "b": ["f32", null], "c": ["i64", ["unk__0", null]]},
		"/2:body:0": {"a": ["f32", [7]]}}},
	"runtime": {"error": null, "seconds": 0.25, "graphs": {
		"": {"a": ["f32", ["batch", 4]], "b": ["f32", [2, -1]]}}},
	"symbolic": {"error": "it crashed", "seconds": 0, "graphs": {}}}}`

func hear(t *testing.T, j *judge, main, body map[string]string) *tally {
	t.Helper()
	var a answers
	if err := json.Unmarshal([]byte(hearing), &a); err != nil {
		t.Fatal(err)
	}
	return j.hear("some/m.onnx", a, []graphValues{
		{path: "", known: stated(main), ops: map[string]string{"a": "Add", "b": "Mul", "c": "NonZero"}},
		{path: "/2:body:0", known: stated(body), ops: map[string]string{"a": "Sub"}},
	})
}

func TestHear(t *testing.T) {
	got := hear(t, &judge{},
		map[string]string{"a": "f32 batch 5", "b": "f32", "c": "i64 2 ?"},
		map[string]string{"a": "f64 7"})
	var findings []string
	for _, f := range got.findings {
		findings = append(findings, f.String())
	}
	if diff := cmp.Diff([]string{
		`some/m.onnx: "a" (Add): axis 1: f32 batch×5 here, f32 batch×4 to onnx`,
		`some/m.onnx: "a" (Add): axis 1: f32 batch×5 here, f32 batch×4 to runtime`,
		`some/m.onnx: /2:body:0"a" (Sub): type: f64 7 here, f32 7 to onnx`,
	}, findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	got.findings = nil
	sum := newTally()
	sum.add(got)
	sum.add(hear(t, &judge{}, nil, nil))
	if diff := cmp.Diff(`2 models, 8 values; known of what any referee knows: 3 of 8 dimensions (37.50 %), 3 of 8 ranks, 4 of 8 types; 1 dimensions known here alone; 0 contradictions, 0 more are excused
  onnx     knows      6 dimensions, in   1.00 s, and says nothing of 0 models
  runtime  knows      6 dimensions, in   0.50 s, and says nothing of 0 models
  symbolic knows      0 dimensions, in   0.00 s, and says nothing of 2 models`, sum.String()); diff != "" {
		t.Errorf("tally (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`
       2 of Add: some/m.onnx: "a": ? here, where others say [batch×4 batch×4]
       2 of Mul: some/m.onnx: "b": ? here, where others say [? 2×?]`, sum.misses(2)); diff != "" {
		t.Errorf("misses (-want +got):\n%s", diff)
	}
}

// An exception excuses what it names and nothing else, and takes what it excuses
// out of the count.
func TestExceptions(t *testing.T) {
	main := map[string]string{"a": "f32 batch 5", "b": "f32 2 3", "c": "i64 ? ?"}
	body := map[string]string{"a": "f32 7"}
	for _, tc := range []struct {
		e        exception
		findings int
	}{
		{exception{value: "a", referee: "onnx"}, 1},
		{exception{value: "*", referee: "onnx"}, 1},
		{exception{model: "/m.onnx", op: "Add", value: "?", referee: "runtime"}, 1},
		{exception{model: "other.onnx", value: "a", referee: "onnx"}, 2},
		{exception{op: "Sub", value: "a", referee: "onnx"}, 2},
		{exception{value: "b", referee: "onnx"}, 2},
		{exception{value: "a", referee: "symbolic"}, 2},
	} {
		j := &judge{exceptions: []*exception{&tc.e}}
		got := hear(t, j, main, body)
		if len(got.findings) != tc.findings || got.excused != 2-tc.findings {
			t.Errorf("%+v: %d findings, %d excused, want %d findings", tc.e, len(got.findings), got.excused, tc.findings)
		}
		if stale := len(j.stale(map[string]bool{"": true})) > 0; stale != (tc.findings == 2) {
			t.Errorf("%+v: stale is %v", tc.e, stale)
		}
	}
}
