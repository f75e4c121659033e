package graph

import (
	"testing"

	"lathe/graphops/graphtest"
)

func TestLinksOf(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\nh = Relu(x)\nname: y = Neg(h)\noutput y f32[2]")
	main := m.Places()[0]
	links := LinksOf(m, []string{"name  Neg  12 µs", `value "h": is wrong`, "nothing here 1 2 3", "x, y and h"})
	for line, rows := range map[string][]int{
		"name  Neg  12 µs":     {2},
		`value "h": is wrong`:  {1},
		"nothing here 1 2 3":   nil,
		"x, y and h":           {0, 2, 1},
		"a line that is other": nil,
	} {
		got := links[line]
		if len(got) != len(rows) {
			t.Errorf("%q leads to %v, want rows %v", line, got, rows)
			continue
		}
		for i, row := range rows {
			if got[i] != (Spot{main, row}) {
				t.Errorf("%q leads to %v, want row %d", line, got[i], row)
			}
		}
	}
}

// TestLinksOfShortenedNames finds nodes by what is left of their names, unless several have it.
func TestLinksOfShortenedNames(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[2]
		/model/layer.0/attention/query/MatMul: a = Relu(x)
		/model/layer.0/attention/key/MatMul: b = Relu(a)
		/model/layer.1/attention/key/MatMul: y = Relu(b)
		output y f32[2]
	`)
	for word, row := range map[string]int{
		"…attention/query/MatMul": 1, "/model/layer.0…key/MatMul": 2, "…attention/key/MatMul": -1, "…MatMul": -1, "…/layer.1/attention/key/MatMul": 3,
	} {
		line := "12 µs " + word
		got := LinksOf(m, []string{line})[line]
		if row < 0 && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].Row != row {
			t.Errorf("%q leads to %v, want row %d", word, got, row)
		}
	}
}
