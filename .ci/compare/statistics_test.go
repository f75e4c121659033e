package main

import (
	"testing"
)

func TestSamples(t *testing.T) {
	for _, c := range []struct {
		in             samples
		median, spread string
	}{
		{nil, "–", ""},
		{samples{0.5}, "0.500", ""},
		{samples{3, 1, 2}, "2.000", "1.000 – 3.000"},
		{samples{0.04, 0.01, 0.02, 0.03}, "0.0250", "0.0100 – 0.0400"},
		{samples{12.34, 56.78}, "34.6", "12.3 – 56.8"},
	} {
		before := append(samples(nil), c.in...)
		if got := seconds(c.in.median()); got != c.median {
			t.Errorf("median of %v: %s, want %s", c.in, got, c.median)
		}
		if got := c.in.spread(); got != c.spread {
			t.Errorf("spread of %v: %s, want %s", c.in, got, c.spread)
		}
		for i := range before {
			if before[i] != c.in[i] {
				t.Fatalf("the order of %v changed", before)
			}
		}
	}
}
