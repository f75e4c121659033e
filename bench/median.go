package bench

import (
	"fmt"
	"math"
	"slices"

	"lathe/session/text"
)

// MedianText formats a median in milliseconds with its interval of 95 % confidence, for example
// "14.15 ms (12.97 … 22.32)". All three numbers have the same unit. If ci is nil, the result is
// only the median. Wherever people see a measured time, it has this form.
func MedianText(median Number, ci *[2]Number) string {
	if ci == nil {
		return Latency(median)
	}
	return Latency(median) + " (" + IntervalText(median, ci) + ")"
}

// IntervalText formats an interval in the unit that MedianText uses for the median, or returns "-"
// if ci is nil.
func IntervalText(median Number, ci *[2]Number) string {
	if ci == nil {
		return "-"
	}
	scale, _ := unitOf(median)
	return figures(float64(ci[0])*scale) + " … " + figures(float64(ci[1])*scale)
}

// MedianText formats the run's median and its interval: see the function MedianText.
func (r Run) MedianText() string { return MedianText(r.P50, r.CI95) }

// Recentre sets every P50 to the median of the run's block medians, which is what CI95 is the
// interval of. In results of older versions of Lathe, P50 is the median of all runs, which can be
// outside of that interval.
func (r *Report) Recentre() {
	for i := range r.Runs {
		run := &r.Runs[i]
		if len(run.BlockMedians) == 0 {
			continue
		}
		blocks := make([]float64, len(run.BlockMedians))
		for k, m := range run.BlockMedians {
			blocks[k] = float64(m)
		}
		slices.Sort(blocks)
		run.P50 = Number(quantile(blocks, 0.5))
	}
}

// unitOf returns a suitable unit for a time of ms milliseconds, and the factor that converts
// milliseconds to that unit.
func unitOf(ms Number) (scale float64, unit string) {
	switch {
	case ms < 1:
		return 1000, "µs"
	case ms < 1000:
		return 1, "ms"
	}
	return 1e-3, "s"
}

// Latency formats a time in milliseconds with four digits and a suitable unit.
func Latency(ms Number) string { return latency(ms, figures) }

// RoundLatency formats a time in milliseconds with two digits and a suitable unit.
func RoundLatency(ms Number) string { return latency(ms, twoFigures) }

func latency(ms Number, figures func(float64) string) string {
	scale, unit := unitOf(ms)
	return figures(float64(ms)*scale) + " " + unit
}

func latencyOf(ms *Number) string {
	if ms == nil {
		return "-"
	}
	return Latency(*ms)
}

func twoFigures(f float64) string {
	if f < 10 {
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

func figures(f float64) string {
	switch {
	case f < 10:
		return fmt.Sprintf("%.3f", f)
	case f < 100:
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.1f", f)
}

// PerSecond formats a rate per second, without the unit.
func PerSecond(n Number) string {
	if n < 100 {
		return fmt.Sprintf("%.3g", float64(n))
	}
	return text.Count(int64(math.Round(float64(min(n, 1<<53)))))
}
