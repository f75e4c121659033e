package page

import (
	"math"
	"slices"
	"strings"
)

// axis maps values to positions along one side of a figure.
type axis struct {
	label      string
	low, high  float64 // the values at the ends
	log        bool
	ticks      []tick
	start, end float64 // the positions of low and high
}

// tick is a marked value of an axis. Its label may be empty.
type tick struct {
	value float64
	label string
}

// at returns the position of a value. Values beyond the ends are drawn at the end.
func (a axis) at(v float64) float64 { return a.start + a.share(v)*(a.end-a.start) }

// share returns where a value is between the ends, from 0 to 1.
func (a axis) share(v float64) float64 {
	s := (v - a.low) / (a.high - a.low)
	if a.log {
		s = math.Log(v/a.low) / math.Log(a.high/a.low)
	}
	if !(s > 0) { // also if the range is so large that s is not a number
		return 0
	}
	return min(s, 1)
}

// logRange is the ratio of the largest to the smallest value from which an axis is logarithmic.
const logRange = 12

// axisOf returns an axis that covers the values. If log is set, a wide range of positive values
// gets a logarithmic axis.
func axisOf(label string, values []float64, log bool, format func(float64) string) axis {
	low, high := 0.0, 1.0
	if len(values) > 0 {
		low, high = slices.Min(values), slices.Max(values)
	}
	a := axis{label: label, low: low, high: high}
	if a.log = log && low > 0 && high/low > logRange; a.log {
		a.low, a.high = low/1.2, high*1.2
		a.ticks = a.clearOfEdges(logTicks(a.low, a.high, format))
		return a
	}
	if high == low {
		low, high = low-math.Abs(low)*0.05-1e-9, high+math.Abs(high)*0.05+1e-9
	}
	room := (high - low) * 0.04
	a.low, a.high = low-room, high+room
	if low >= 0 {
		a.low = max(a.low, 0)
	}
	a.ticks = a.clearOfEdges(linearTicks(a.low, a.high, format))
	return a
}

// edge is the fraction of the axis at each end where a label would be cut off.
const edge = 0.05

// clearOfEdges removes labels that would be cut off at the edges.
func (a axis) clearOfEdges(ticks []tick) []tick {
	for i, t := range ticks {
		if at := a.share(t.value); at < edge || at > 1-edge {
			ticks[i].label = ""
		}
	}
	return ticks
}

// mostLabels is the maximum number of labels on an axis.
const mostLabels = 4

// linearTicks puts ticks at round values, with at most mostLabels labels.
func linearTicks(low, high float64, format func(float64) string) []tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(mostLabels))))
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*m) <= float64(mostLabels) {
			step *= m
			break
		}
	}
	if !(step > 0) || math.IsInf(step, 0) {
		return nil
	}
	var out []tick
	for k := math.Ceil(low / step); k*step <= high && len(out) <= mostLabels; k++ {
		out = append(out, tick{k * step, format(k * step)})
	}
	return out
}

// logTicks puts ticks at 1, 2 and 5 times powers of ten, and labels as many as fit.
func logTicks(low, high float64, format func(float64) string) []tick {
	decades := math.Log10(high / low)
	every := max(1, math.Ceil(decades/mostLabels))
	var out []tick
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow(10, e)
			if v < low || v > high {
				continue
			}
			t := tick{value: v}
			if m == 1 && math.Mod(e, every) == 0 || decades < 1.6 && m != 2 || decades < 1 {
				t.label = format(v)
			}
			out = append(out, t)
		}
	}
	return out
}

// brief returns a format function without trailing zeros.
func brief(format func(float64) string) func(float64) string {
	return func(v float64) string {
		number, unit, found := strings.Cut(format(v+0), " ") // +0 turns -0 into 0
		if strings.Contains(number, ".") {
			number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
		}
		if found {
			number += " " + unit
		}
		return number
	}
}
