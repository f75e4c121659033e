package main

import (
	"math"
	"testing"
)

func TestAimLine(t *testing.T) {
	least := aim{text: "a", unit: "×", bound: 12, atLeast: true}
	most := aim{text: "b", unit: "s", bound: 0.8}
	for _, c := range []struct {
		aim
		value float64
		want  string
	}{
		{least, 12, "| a | at least 12 × | 12 × | met |\n"},
		{least, 11.9, "| a | at least 12 × | 11.9 × | not met |\n"},
		{most, 0.8, "| b | at most 0.8 s | 0.8 s | met |\n"},
		{most, 0.81, "| b | at most 0.8 s | 0.81 s | not met |\n"},
		{most, math.NaN(), "| b | at most 0.8 s | – | not measured |\n"},
	} {
		if got := c.line(c.value); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestAimsAreMeasured holds that each aim reads a row that there is.
func TestAimsAreMeasured(t *testing.T) {
	var all results
	for i := range jobs {
		for _, r := range jobs[i].rows() {
			for k := range r.tools {
				all = append(all, result{row: r, tool: k, samples: samples{1}})
			}
		}
	}
	for _, a := range aims {
		if math.IsNaN(a.value(all)) {
			t.Errorf("%s: no row has it", a.text)
		}
	}
}
