package bench

import (
	"strings"
	"testing"

	"lathe/graphops/dim"
)

// TestHeadlineSizes has the first line say at which sizes runs were made.
func TestHeadlineSizes(t *testing.T) {
	run := func(name string, sizes ...dim.Size) Run {
		return Run{Name: name, Facts: Facts{Model: name, Sizes: sizes}, P50: 1}
	}
	one := &Report{Runs: []Run{run("a", dim.Size{Name: "n", N: 1}, dim.Size{Name: "s", N: 8})}}
	if got := one.Headlines()[0]; !strings.HasPrefix(got, "a takes 1.000 ms at n=1, s=8, ") {
		t.Error(got)
	}
	two := &Report{
		Runs:        []Run{run("a", dim.Size{Name: "n", N: 1}, dim.Size{Name: "s", N: 8}), run("b", dim.Size{Name: "n", N: 4}, dim.Size{Name: "s", N: 8})},
		Comparisons: []Comparison{{A: "a", B: "b", Ratio: 2}},
	}
	if got := two.Headlines()[0]; !strings.Contains(got, " at s=8") || strings.Contains(got, "n=") {
		t.Errorf("%s: expected the size that both have", got)
	}
}
