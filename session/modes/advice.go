package modes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/session/compare"
	"lathe/session/reporting"
)

// What a mode is best for.
const (
	forBoth  = "size and speed"
	forSpeed = "speed"
	forSize  = "size"
)

// settle writes the advice that the numbers support.
func (r *Report) settle() {
	r.Advice = reporting.OrEmpty(r.advise())
}

// hasRows reports whether a row is complete.
func (r *Report) hasRows() bool { return len(r.Rows) > 0 }

// advise says which mode to take. Only results that keep the accuracy count. One is faster than another only
// if their intervals do not overlap, and smaller only if its size differs by more than nearly.
func (r *Report) advise() []Advice {
	good := slices.DeleteFunc(slices.Clone(r.Rows), func(row *Row) bool { return !row.ran() || !row.keeps() })
	if len(good) == 0 {
		return r.none()
	}
	small, fast := r.smallest(good), fastest(good)
	switch {
	case r.Original.Time == nil && small == nil:
		return nil
	case r.Original.Time == nil:
		return []Advice{{forSize, small.Mode, small.of() + ": the smallest that keeps the accuracy; latencies were not measured"}}
	case fast == nil && small == nil:
		return []Advice{{"", "", "keep the original: none that keeps the accuracy is smaller or certainly faster here"}}
	case fast == nil:
		return []Advice{{forSize, small.Mode, fmt.Sprintf("%s: the smallest that keeps the accuracy; %s; none is certainly faster than the original here", small.of(), small.pace())}}
	case fast == small:
		return []Advice{{forBoth, fast.Mode, fmt.Sprintf("%s: the smallest that keeps the accuracy, and none is certainly faster; %s", fast.of(), fast.pace()+ties(good, fast))}}
	}
	out := []Advice{{forSpeed, fast.Mode, fmt.Sprintf("%s: %s", fast.of(), fast.pace()+ties(good, fast))}}
	if small != nil {
		out = append(out, Advice{forSize, small.Mode, fmt.Sprintf("%s: the smallest that keeps the accuracy; %s", small.of(), small.pace())})
	}
	return out
}

// nearly is how much larger, relative to it, a result may be than another one and still count as small as
// it.
const nearly = 0.01

// leanest returns those rows that are nearly as small as the smallest.
func leanest(rows []*Row) []*Row {
	least := slices.MinFunc(rows, func(a, b *Row) int { return cmp.Compare(a.Bytes, b.Bytes) }).Bytes
	return slices.DeleteFunc(slices.Clone(rows), func(row *Row) bool { return float64(row.Bytes) > (1+nearly)*float64(least) })
}

// smallest returns the smallest result; nil if the original is as small. Of results that are nearly as small
// it takes one that is faster than the original, or else not slower, or else the most exact.
func (r *Report) smallest(rows []*Row) *Row {
	small := leanest(rows)
	if float64(small[0].Bytes)*(1+nearly) >= float64(r.Original.Bytes) {
		return nil
	}
	if fast := fastest(small); fast != nil {
		return fast
	}
	even := slices.DeleteFunc(slices.Clone(small), func(row *Row) bool { return row.Time != nil && row.Time.Significant })
	if len(even) > 0 {
		small = even
	}
	return exactest(small)
}

// exactest returns the row with the highest signal-to-noise ratio, the first of several.
func exactest(rows []*Row) *Row {
	return slices.MinFunc(rows, func(a, b *Row) int { return cmp.Compare(number(b.Error.SNR), number(a.Error.SNR)) })
}

// none is the advice if no result is to be taken.
func (r *Report) none() []Advice {
	if !slices.ContainsFunc(r.Rows, (*Row).ran) {
		return nil
	}
	return []Advice{{"", "", "keep the original: no mode keeps the accuracy; lathe quantize sensitivity finds the nodes that cost most, and lathe quantize auto leaves them in float32"}}
}

// keeps reports whether a result is as accurate as needed: if there are labels, McNemar's test does not show
// that it is worse, and otherwise the comparison of outputs passes.
func (row *Row) keeps() bool {
	if a := row.Accuracy; a != nil && a.Against != nil {
		return !(a.Against.Significant && a.Against.Difference < 0)
	}
	return row.Error.Verdict == compare.Pass
}

// isFaster reports whether a result is certainly faster than the original.
func (row *Row) isFaster() bool {
	return row.Time != nil && row.Time.Significant && number(row.Time.Ratio) < 1
}

// fastest returns the smallest of those results that are faster than the original and not certainly slower
// than another one, and the most exact of those; nil if none is faster.
func fastest(rows []*Row) *Row {
	faster := slices.DeleteFunc(slices.Clone(rows), func(row *Row) bool { return !row.isFaster() })
	if len(faster) == 0 {
		return nil
	}
	first := slices.MinFunc(faster, func(a, b *Row) int { return cmp.Compare(number(a.Time.Ratio), number(b.Time.Ratio)) })
	even := slices.DeleteFunc(faster, func(row *Row) bool { return !overlap(row, first) })
	return exactest(leanest(even))
}

// overlap reports whether the intervals of two ratios have a number in common.
func overlap(a, b *Row) bool {
	x, y := a.Time.RatioCI95, b.Time.RatioCI95
	if x == nil || y == nil {
		return true // nothing shows a difference
	}
	return math.Max(float64(x[0]), float64(y[0])) <= math.Min(float64(x[1]), float64(y[1]))
}

// ties names the other results that are not certainly slower.
func ties(rows []*Row, of *Row) string {
	var names []string
	for _, row := range rows {
		if row != of && row.isFaster() && overlap(row, of) {
			names = append(names, row.Mode)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; no difference in speed to " + strings.Join(names, ", ")
}

// of describes a result: its name, its size, and why its accuracy is good enough.
func (row *Row) of() string {
	return fmt.Sprintf("%s (%s of the size, %s)", row.Mode, percent(float64(row.Ratio)), row.kept())
}

// kept says why the accuracy of a result is good enough.
func (row *Row) kept() string {
	a := row.Accuracy
	switch {
	case a != nil && a.Against != nil && a.Against.Significant:
		return fmt.Sprintf("more accurate, p = %.2g", float64(a.Against.P))
	case a != nil && a.Against != nil:
		return fmt.Sprintf("no difference in accuracy, p = %.2g", float64(a.Against.P))
	case row.Error.SNR != nil:
		return "SNR " + compare.Decibels(number(row.Error.SNR))
	}
	return "within tolerance"
}

// pace compares the latency of a result with that of the original, in words.
func (row *Row) pace() string {
	t := row.Time
	switch {
	case t == nil:
		return "its latency was not measured"
	case !t.Significant:
		return "no difference in speed to the original that is certain at 99 %"
	}
	return fmt.Sprintf("it takes %.2f × the time of the original", number(t.Ratio))
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }
