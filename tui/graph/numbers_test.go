package graph

import "testing"

func TestPrecise(t *testing.T) {
	for x, want := range map[float64]string{
		1: "1", 0.5: "0.5", 0.99: "0.99", 1 - 1e-6: "1-1e-06", 1 - 1.0/(1<<53): "1", -1: "-1",
	} {
		if got := Precise(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
}
