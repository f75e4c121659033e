package tui

import (
	"testing"

	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
	"lathe/tui/sheet"
)

// TestDiffCount compares the lines that n visits with the count that `lathe diff` reports.
func TestDiffCount(t *testing.T) {
	for _, pair := range [][2]string{
		{former, latter},
		{latter, former},
		{former, former},
		{former, "input x f32[batch,4]\ninit v f32[4,4] 3\na = Gemm(x, v)\nb = Exp(a)\noutput a f32[batch,4]"},
		{former, "opset 18\nir 9\ninput z f32[1,4]\ninit w f32[4,4] 1\nw1 = Identity(w)\ny = MatMul(z, w1)\noutput y f32[1,4]"},
	} {
		m, other := graphtest.Model(t, pair[0]), graphtest.Model(t, pair[1])
		d, err := diff.Compare(t.Context(), m, other, diff.Options{Weights: true})
		if err != nil {
			t.Fatal(err)
		}
		s := sheet.New(d, [2]string{"a", "b"}, m, "", true)
		if n := d.Tally().Total(); n != len(s.Differ) || d.Equal != (n == 0) && d.Tally().Follows == 0 {
			t.Errorf("%d lines differ, %d differences are told, equal is %v", len(s.Differ), n, d.Equal)
		}
	}
}
