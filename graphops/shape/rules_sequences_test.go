package shape_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

func TestSequences(t *testing.T) {
	const inputs = `
		input x f32[batch,4]
		input y f32[3,4]
		input i i64[]
		init zero i64[] 0
		init one i64[] 1
		init last i64[] -1
	`
	check(t, []example{
		{name: "elements by position", model: inputs + `
			s = SequenceConstruct(x, y)
			a = SequenceAt(s, zero)
			b = SequenceAt(s, last)
			c = SequenceAt(s, i)
			n = SequenceLength(s)
		`, want: map[string]string{"s": "seq(f32)", "a": "f32 batch×4", "b": "f32 3×4", "c": "f32 ?×4", "n": "i64 scalar = [2]"}},
		{name: "what an element holds", model: inputs + `
			d = Shape(x)
			s = SequenceConstruct(d)
			a = SequenceAt(s, zero)
		`, want: map[string]string{"a": "i64 2 = [batch 4]"}},
		{name: "changes", model: inputs + `
			e = SequenceEmpty()
			s = SequenceInsert(e, x)
			u = SequenceInsert(s, y, zero)
			v = Identity(u)
			w = SequenceErase(v, last)
			n = SequenceLength(w)
			a = SequenceAt(u, one)
			b = SequenceAt(w, zero)
			c = SequenceAt(u, i)
		`, want: map[string]string{"n": "i64 scalar = [1]", "a": "f32 batch×4", "b": "f32 3×4", "c": "f32 ?×4"}},
		{name: "elements of unknown sizes are not one size", model: `
			input c bool[8]
			input x f32[8,4]
			input i i64[]
			p = Compress(x, c) axis=0
			s = SequenceConstruct(p)
			u = SequenceInsert(s, p, i)
			a = SequenceAt(u, i)
			b = SequenceAt(u, i)
			sa = Shape(a)
			sb = Shape(b)
			q = Equal(sa, sb)
		`, want: map[string]string{"a": "f32 ?×4", "q": "bool 2 = [? 1]"}},
		{name: "what cannot be", model: inputs + `
			s = SequenceConstruct(x, y)
			a = SequenceAt(s, two)
			init two i64[] 2
			m = SequenceConstruct(x, i)
			u = SequenceInsert(s, i)
			e = SequenceEmpty() dtype=7
			f = SequenceErase(e)
		`, want: map[string]string{"e": "seq(i64)", "a": "f32 ?×4"}, problems: []string{"no element 2 in a sequence of length 2", "different types", "cannot be inserted into", "no elements that could be removed"}},
		{name: "nothing known", model: `
			input s
			input x f32[4]
			a = SequenceAt(s, x)
			b = SequenceInsert(s, x)
			c = SequenceErase(s)
			n = SequenceLength(s)
			d = ConcatFromSequence(s) axis=0
		`, want: map[string]string{"a": "?", "b": "seq(f32)", "c": "?", "n": "i64 scalar = [?]"}},
	})
}

func TestSplitToSequence(t *testing.T) {
	const inputs = `
		input x f32[10,n]
		init zero i64[] 0
		init two i64[] 2
		init parts i64[3] 2 3 5
		init three i64[] 3
	`
	check(t, []example{
		{name: "parts", model: inputs + `
			s = SplitToSequence(x, parts)
			a = SequenceAt(s, two)
			t = SplitToSequence(x, three)
			b = SequenceAt(t, zero)
			c = SequenceAt(t, last)
			init last i64[] -1
			k = SequenceLength(t)
			u = SplitToSequence(x) keepdims=0
			d = SequenceAt(u, zero)
			m = SequenceLength(u)
			v = SplitToSequence(x) axis=1
			e = SequenceAt(v, zero)
			w = SplitToSequence(x, three) axis=1
			f = SequenceAt(w, zero)
		`, want: map[string]string{
			"a": "f32 5×n", "b": "f32 3×n", "c": "f32 1×n", "k": "i64 scalar = [4]", "d": "f32 n", "m": "i64 scalar = [10]", "e": "f32 10×1", "f": "f32 10×?",
		}},
		{name: "parts that all have one size", model: inputs + `
			input y f32[6*n]
			input i i64[]
			s = SplitToSequence(y, three)
			a = SequenceAt(s, i)
		`, want: map[string]string{"a": "f32 3"}},
		{name: "what cannot be", model: inputs + `
			a = SplitToSequence(x, zero)
			b = SplitToSequence(x) axis=2
			c = SplitToSequence(y, parts)
			input y f32[11]
		`, problems: []string{"is 0, expected at least 1", "no axis 2", "11 and 10 should be equal"}},
	})
}

func TestConcatFromSequence(t *testing.T) {
	const inputs = `
		input x f32[batch,4]
		input y f32[3,4]
		input i i64[]
		s = SequenceConstruct(x, y)
		same = SequenceConstruct(x, x)
		open = SequenceInsert(same, x, i)
	`
	check(t, []example{
		{name: "side by side, and stacked", model: inputs + `
			a = ConcatFromSequence(s) axis=0
			b = ConcatFromSequence(same) axis=-1
			c = ConcatFromSequence(same) axis=-1 new_axis=1
			d = ConcatFromSequence(open) axis=0 new_axis=1
			e = ConcatFromSequence(open) axis=0
		`, want: map[string]string{"a": "f32 (batch+3)×4", "b": "f32 batch×8", "c": "f32 batch×4×2", "d": "f32 ?×batch×4", "e": "f32 ?×4"}},
		{name: "what cannot be", model: inputs + `
			input z f32[2,5]
			input v f32[4]
			t = SequenceConstruct(y, z)
			u = SequenceConstruct(y, v)
			a = ConcatFromSequence(t) axis=0
			b = ConcatFromSequence(u) axis=0
			c = ConcatFromSequence(s) axis=2
		`, problems: []string{"elements 0 and 1", "elements 0 and 1", "no axis 2"}},
	})
}

func TestSequenceMap(t *testing.T) {
	check(t, []example{
		{name: "a body for each element", model: `
			graph each
			input e f32
			input w f32
			r = MatMul(e, w)
			m = Shape(w)
			output r f32
			output m i64
			end
			input x f32[batch,4]
			input y f32[3,4]
			input w f32[4,k]
			input i i64[]
			s = SequenceConstruct(x, y)
			t, u = SequenceMap(s, w) body=@each
			a = SequenceAt(t, i)
			b = SequenceAt(u, i)
		`, want: map[string]string{"r": "f32 ?×k", "t": "seq(f32)", "a": "f32 ?×k", "b": "i64 2"}},
		{name: "a body that fails", model: `
			graph each
			input e f32
			input w f32
			bad: r = MatMul(e, w)
			output r f32
			end
			input x f32[batch,4]
			input w f32[5,k]
			s = SequenceConstruct(x, x)
			t = SequenceMap(s, w) body=@each
			none = SequenceMap(s, w)
		`, problems: []string{`node "bad"`}},
	})
}

func TestOptionals(t *testing.T) {
	check(t, []example{
		{name: "a tensor that is there", model: `
			opset 18
			input x f32[batch,4]
			o = Optional(x)
			a = OptionalGetElement(o)
			b = OptionalGetElement(x)
			yes = OptionalHasElement(x)
			no = OptionalHasElement()
			open = OptionalHasElement(o)
			none = Optional()
			c = OptionalGetElement(none)
		`, want: map[string]string{
			"o": "opt(f32)", "a": "f32 batch×4", "b": "f32 batch×4", "yes": "bool scalar = [1]", "no": "bool scalar = [0]", "open": "bool scalar = [?]",
			"none": "opt(?)", "c": "?",
		}},
	})
}

// TestLongSequences looks for elements of a list that has been changed more often
// than is looked at, many times over.
func TestLongSequences(t *testing.T) {
	const changes, lookups = 2_000, 5_000
	text := strings.Builder{}
	text.WriteString("input x f32[4]\ninput i i64[]\ninit zero i64[] 0\ns0 = SequenceEmpty()\n")
	for k := range changes {
		fmt.Fprintf(&text, "s%d = SequenceInsert(s%d, x, zero)\n", k+1, k)
	}
	for k := range lookups {
		fmt.Fprintf(&text, "a%d = SequenceAt(s%d, zero)\n", k, changes)
	}
	m := graphtest.Model(t, text.String())
	start := time.Now()
	r, err := shape.Infer(t.Context(), m, shape.Options{})
	if took := time.Since(start); err != nil || took > time.Minute {
		t.Errorf("took %v: %v", took, err)
	}
	if got := typeOf(m, r, "a0"); got != "f32 4" {
		t.Errorf("a0 is %s, want f32 4", got)
	}
}
