package sizing_test

import (
	"maps"
	"math"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/sizing"
)

// TestPrefer: sizes at which the inputs would be too large become smaller, unless they are given or
// demanded.
func TestPrefer(t *testing.T) {
	const free = "input x f32[a,b,1000]\ny = Relu(x)\noutput y f32"
	for _, c := range []struct {
		text  string
		given map[string]int64
		most  int64
		want  map[string]int64
	}{
		{free, nil, 1 << 20, map[string]int64{"a": 2, "b": 3}},
		{free, nil, 4 * 2 * 1000, map[string]int64{"a": 1, "b": 1}},
		{free, map[string]int64{"a": 7}, 4 * 7 * 1000, map[string]int64{"a": 7, "b": 1}},
		{free, map[string]int64{"a": 7}, 4, map[string]int64{"a": 7, "b": 1}},
		{"input x f32[a,1000]\ninit w f32[64,4] 1\nn = Transpose(x)\ny = MatMul(n, w)\noutput y f32", nil, 4, map[string]int64{"a": 64}},
	} {
		m := graphtest.Model(t, c.text)
		types := graphops.NamedTypes(m.Graph().FeedInputs())
		q := searchOf(t, m, c.given, sizing.Check)
		q.Prefer(c.most, func(sizes map[string]int64) int64 { return sizing.Bytes(types, sizes) })
		got, ok := q.Next(t.Context())
		if !ok || !maps.Equal(got, c.want) {
			t.Errorf("%q at most %d bytes, %v given: %v, want %v", c.text, c.most, c.given, got, c.want)
		}
	}
}

// TestBytes: the sum does not wrap around.
func TestBytes(t *testing.T) {
	m := graphtest.Model(t, "input x f32[a,3]\ninput s string[a]\ninput h f16[2]\ny = Relu(x)\noutput y f32")
	types := graphops.NamedTypes(m.Graph().FeedInputs())
	for a, want := range map[int64]int64{0: 4, 1: 12 + 16 + 4, 5: 60 + 80 + 4, math.MaxInt64 / 2: math.MaxInt64, math.MaxInt64 / 13: math.MaxInt64} {
		if got := sizing.Bytes(types, map[string]int64{"a": a}); got != want {
			t.Errorf("a=%d: %d bytes, want %d", a, got, want)
		}
	}
}
