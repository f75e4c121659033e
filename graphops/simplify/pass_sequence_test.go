package simplify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops/graphtest"
)

// Tensors are followed through what builds, changes and reads a sequence.
func TestSequences(t *testing.T) {
	const head = "input x f32[2]\ninput z f32[2]\ninit first i64[] 0\ninit last i64[] -1\ninit two i64[] 2\ns = SequenceConstruct(x, z)\n"
	after{
		"inserted in front, the last one read": {head + "p = Neg(x)\nt = SequenceInsert(s, p, first)\na = SequenceAt(t, last)\ny = Relu(a)\noutput y f32", []string{"y = Relu(z)"}},
		"the inserted one read":                {head + "p = Neg(x)\nt = SequenceInsert(s, p, first)\na = SequenceAt(t, first)\ny = Relu(a)\noutput y f32", []string{"p = Neg(x)", "y = Relu(p)"}},
		"inserted behind the last":             {head + "t = SequenceInsert(s, x)\na = SequenceAt(t, two)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		"the last one erased":                  {head + "t = SequenceErase(s)\na = SequenceAt(t, last)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		"erased, inserted, put together":       {head + "t = SequenceErase(s, first)\nu = SequenceInsert(t, x)\ny = ConcatFromSequence(u) axis=0\noutput y f32", []string{"y = Concat(z, x) axis=0"}},
		"an optional":                          {"input x f32[2]\no = Optional(x)\na = OptionalGetElement(o)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
	}.run(t, sequences)
}

// Sequences that no runtime could make, or whose parts are not known, stay as they are.
func TestHostileSequences(t *testing.T) {
	const head = "input x f32[6]\ninput u i64[]\ninit far i64[] 9223372036854775807\ninit low i64[] -9223372036854775808\ninit one i64[] 1\ninit two i64[2] 1 1\ninit list i64[2] -5 11\ninit none i64[] 0\n"
	long := "s0 = SequenceEmpty() dtype=1\n"
	for i := range maxSequence + 1 {
		long += fmt.Sprintf("s%d = SequenceInsert(s%d, x)\n", i+1, i)
	}
	for name, text := range map[string]string{
		"behind the end":            "s = SequenceConstruct(x)\na = SequenceAt(s, one)",
		"far behind":                "s = SequenceConstruct(x)\na = SequenceAt(s, far)",
		"far in front":              "s = SequenceConstruct(x)\na = SequenceAt(s, low)",
		"a list for a position":     "s = SequenceConstruct(x, x)\na = SequenceAt(s, two)",
		"no position":               "s = SequenceConstruct(x)\na = SequenceAt(s)",
		"erased until it is empty":  "s = SequenceConstruct(x)\nt = SequenceErase(s)\nv = SequenceErase(t)\na = SequenceAt(v, none)",
		"inserted behind the end":   "s = SequenceConstruct(x)\nt = SequenceInsert(s, x, far)\na = SequenceAt(t, none)",
		"nothing inserted":          "s = SequenceConstruct(x)\nt = SequenceInsert(s)\na = SequenceAt(t, none)",
		"position of the run":       "s = SequenceConstruct(x)\nt = SequenceErase(s, u)\na = SequenceAt(t, none)",
		"no tensor in it":           "s = SequenceConstruct()\na = SequenceAt(s, none)",
		"one left out":              "s = SequenceConstruct(x, , x)\na = SequenceAt(s, none)",
		"long":                      long + fmt.Sprintf("a = SequenceAt(s%d, none)", maxSequence+1),
		"parts of negative size":    "s = SplitToSequence(x, list) axis=-9\na = SequenceAt(s, one)",
		"parts of no size":          "s = SplitToSequence(x, none)\na = SequenceAt(s, one)",
		"parts of nothing":          "s = SplitToSequence()\na = SequenceAt(s, one)",
		"an axis that is not there": "s = SplitToSequence(x) axis=9223372036854775807 keepdims=0\na = SequenceAt(s, one)",
		"put together from nothing": "s = SequenceEmpty()\na = ConcatFromSequence(s) axis=0",
		"an optional of nothing":    "o = Optional()\na = OptionalGetElement(o)",
	} {
		t.Run(name, func(t *testing.T) {
			m := graphtest.Model(t, head+text+"\noutput a f32")
			out, _ := simplified(t, m, onlyPasses(sequences))
			if got, want := graphtest.Nodes(out.Graph()), graphtest.Nodes(m.Graph()); !slices.Equal(got, want) {
				t.Errorf("got\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// Very many nodes that read a sequence, one of them at a place that is not known, do not
// take the square of their number.
func TestSequenceReadByMany(t *testing.T) {
	const count = 30_000
	var b strings.Builder
	b.WriteString("input x f32[200]\ninput u i64[]\ninit p i64[] 1\ns = SplitToSequence(x)\nq0 = SequenceAt(s, u)\n")
	for i := range count {
		fmt.Fprintf(&b, "a%d = SequenceAt(s, p)\nq%d = Add(q%d, a%d)\n", i, i+1, i, i)
	}
	fmt.Fprintf(&b, "output q%d f32", count)
	start := time.Now()
	if _, _, err := Simplify(t.Context(), graphtest.Model(t, b.String()), onlyPasses(sequences)); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
}
