package bounds

import (
	"testing"

	"lathe/graphops/graphtest"
)

func TestLargest(t *testing.T) {
	const counts = `
	input ids i64[batch,seq]
	init words f32[99,4] 1
	init table f32[512,4] 1
	init zero i64[] 0
	init one i64[] 1
	init at i64[1] 1
	init two i64[1] 2
	output y f32
	w = Gather(words, ids)
	s = Shape(ids)
	n = Gather(s, one)
	`
	for _, c := range []struct {
		name, model, symbol string
		others              map[string]int64
		want                int64 // 0 for none
	}{
		{"positions that are counted", counts + "r = Range(zero, n, one)\np = Gather(table, r)\ny = Add(w, p)", "seq", nil, 512},
		{"another symbol", counts + "r = Range(zero, n, one)\np = Gather(table, r)\ny = Add(w, p)", "batch", nil, 0},
		{"positions that begin later", counts + "r = Range(zero, n, one)\nq = Add(r, two)\np = Gather(table, q)\ny = Add(w, p)", "seq", nil, 510},
		{"a past before them", `
			input ids i64[1,seq]
			input past f32[1,before,4]
			init table f32[100,4] 1
			init zero i64[] 0
			init one i64[] 1
			output y f32
			s = Shape(ids)
			n = Gather(s, one)
			t = Shape(past)
			b = Gather(t, one)
			all = Add(n, b)
			r = Range(b, all, one)
			p = Gather(table, r)
			y = Identity(p)
		`, "seq", map[string]int64{"before": 10}, 90},
		{"a table that is cut", `
			input x f32[batch,seq,4]
			init table f32[1,64,4] 1
			init zero i64[1] 0
			init one i64[1] 1
			output y f32
			s = Shape(x)
			n = Gather(s, one)
			p = Slice(table, zero, n, one)
			y = Add(x, p)
		`, "seq", nil, 64},
		{"a size that must be even", `
			input x f32[n,2]
			init half i64[3] 2 -1 2
			output y f32
			h = Reshape(x, half)
			y = Identity(h)
		`, "n", nil, 0},
		{"nothing", "input x f32[n]\noutput y f32\ny = Relu(x)", "n", nil, 0},
	} {
		n, why, ok := SizesOf(t.Context(), graphtest.Model(t, c.model)).Largest(c.symbol, c.others)
		if ok != (c.want > 0) || ok && n != c.want || ok && why == "" {
			t.Errorf("%s: %d %q %v, want %d", c.name, n, why, ok, c.want)
		}
	}
}
