package main

import (
	"fmt"
	"math"
	"slices"
)

// samples are the seconds of runs.
type samples []float64

// median is the middle one, or the mean of the two in the middle. It is NaN without samples.
func (s samples) median() float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// spread is the least and the most.
func (s samples) spread() string {
	if len(s) < 2 {
		return ""
	}
	return seconds(slices.Min(s)) + " – " + seconds(slices.Max(s))
}

// seconds prints a time with three digits that count, and no more than milliseconds.
func seconds(s float64) string {
	switch {
	case math.IsNaN(s):
		return "–"
	case s < 0.1:
		return fmt.Sprintf("%.4f", s)
	case s < 10:
		return fmt.Sprintf("%.3f", s)
	}
	return fmt.Sprintf("%.1f", s)
}

// megabytes prints bytes in units of 10^6.
func megabytes(bytes int64) string {
	if mb := float64(bytes) / 1e6; mb < 10 {
		return fmt.Sprintf("%.1f", mb)
	} else {
		return fmt.Sprintf("%.0f", mb)
	}
}
