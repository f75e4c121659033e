package modes

import (
	"math"
	"slices"
	"testing"

	"lathe/graphops/tensor"
	"lathe/session/accuracy"
	"lathe/session/compare"
	"lathe/session/proportion"
)

// ranIn returns a row that ran: its size in bytes, and its ratio with the ends of the interval.
func ranIn(mode string, bytes int64, ratio, low, high float64) *Row {
	r, snr := tensor.Number(ratio), tensor.Number(40)
	return &Row{
		Mode: mode, Bytes: bytes, Ratio: tensor.Number(float64(bytes) / 1000),
		Error: &Error{Judged: compare.Pass.Judged(), SNR: &snr, Output: "y"},
		Time:  &Time{P50: r, Ratio: &r, RatioCI95: &[2]tensor.Number{tensor.Number(low), tensor.Number(high)}, Significant: low > 1 || high < 1},
	}
}

// with returns a row after a change.
func with(row *Row, change func(*Row)) *Row {
	change(row)
	return row
}

func fails(row *Row) { row.Error.Judged = compare.Fail.Judged() }

// worse gives a row an accuracy that McNemar's test calls worse, or not.
func worse(only int64) func(*Row) {
	return func(row *Row) {
		top := proportion.Of(100-only, 100)
		d := proportion.Pairs{OnlyA: only, Of: 100}.Compare()
		row.Accuracy = &accuracy.Score{Top1: &top, Against: &d}
	}
}

func snr(db float64) func(*Row) {
	return func(row *Row) { n := tensor.Number(db); row.Error.SNR = &n }
}

func untimed(row *Row) { row.Time = nil }

func TestAdvice(t *testing.T) {
	for name, c := range map[string]struct {
		rows []*Row
		want []Advice // without the texts
	}{
		"one is the smallest and the fastest": {
			[]*Row{ranIn("a", 500, 0.9, 0.85, 0.95), ranIn("b", 300, 0.5, 0.45, 0.55)},
			[]Advice{{For: forBoth, Mode: "b"}},
		},
		"speed and size differ": {
			[]*Row{ranIn("a", 500, 0.5, 0.45, 0.55), ranIn("b", 300, 0.9, 0.85, 0.95)},
			[]Advice{{For: forSpeed, Mode: "a"}, {For: forSize, Mode: "b"}},
		},
		"overlapping intervals show no difference in speed, so the smaller one is taken": {
			[]*Row{ranIn("a", 500, 0.5, 0.45, 0.65), ranIn("b", 300, 0.6, 0.55, 0.65)},
			[]Advice{{For: forBoth, Mode: "b"}},
		},
		"a difference that may be noise does not count": {
			[]*Row{ranIn("a", 500, 0.9, 0.8, 1.05), ranIn("b", 300, 1.1, 0.9, 1.2)},
			[]Advice{{For: forSize, Mode: "b"}},
		},
		"a result that fails the comparison does not count": {
			[]*Row{ranIn("a", 500, 0.9, 0.85, 0.95), with(ranIn("b", 300, 0.5, 0.45, 0.55), fails)},
			[]Advice{{For: forBoth, Mode: "a"}},
		},
		"labels decide, not the comparison": {
			[]*Row{with(ranIn("a", 500, 0.9, 0.85, 0.95), worse(10)), with(with(ranIn("b", 600, 0.95, 0.9, 0.97), fails), worse(1))},
			[]Advice{{For: forBoth, Mode: "b"}},
		},
		"five rows of 100 show nothing": {
			[]*Row{with(ranIn("a", 500, 0.9, 0.85, 0.95), worse(5))},
			[]Advice{{For: forBoth, Mode: "a"}},
		},
		"none keeps the accuracy":   {[]*Row{with(ranIn("a", 500, 0.5, 0.4, 0.6), fails)}, []Advice{{}}},
		"nothing ran":               {[]*Row{{Mode: "a", Failed: "it has no weights"}}, nil},
		"none is smaller or faster": {[]*Row{ranIn("a", 1000, 1.5, 1.4, 1.6)}, []Advice{{}}},
		"sizes that differ by less than a percent are equal, so the faster one is taken": {
			[]*Row{ranIn("a", 300, 2, 1.8, 2.2), ranIn("b", 302, 0.5, 0.4, 0.6)},
			[]Advice{{For: forBoth, Mode: "b"}},
		},
		"of equal ones the more exact is taken": {
			[]*Row{with(ranIn("a", 300, 0.5, 0.4, 0.6), snr(20)), with(ranIn("b", 302, 0.5, 0.4, 0.6), snr(30))},
			[]Advice{{For: forBoth, Mode: "b"}},
		},
		"without times only the size is known": {
			[]*Row{with(ranIn("a", 500, 1, 1, 1), untimed), with(ranIn("b", 300, 1, 1, 1), untimed)},
			[]Advice{{For: forSize, Mode: "b"}},
		},
		"no signal is not exact": {
			[]*Row{with(ranIn("a", 300, 1, 0.9, 1.1), snr(math.NaN())), ranIn("b", 301, 1, 0.9, 1.1)},
			[]Advice{{For: forSize, Mode: "b"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Report{Original: ranIn("original", 1000, 1, 1, 1), Rows: c.rows}
			if name == "without times only the size is known" {
				r.Original.Time = nil
			}
			got := r.advise()
			plain := slices.Clone(got)
			for i := range plain {
				if plain[i].Text == "" {
					t.Errorf("advice %+v says no reason", plain[i])
				}
				plain[i].Text = ""
			}
			if !slices.Equal(plain, c.want) {
				t.Errorf("%+v, expected %+v", got, c.want)
			}
		})
	}
}

// TestPlaceOfLargest names an element only if it is known to be the one with the largest difference.
func TestPlaceOfLargest(t *testing.T) {
	most := tensor.Number(0.5)
	at := func(a, b float64) *compare.OutputResult {
		return &compare.OutputResult{MaxAbs: &most, Worst: &compare.Worst{Index: []int64{1, 2}, A: compare.Element{Number: tensor.Number(a)}, B: compare.Element{Number: tensor.Number(b)}}}
	}
	text := "x"
	for name, c := range map[string]struct {
		of   *compare.OutputResult
		want bool
	}{
		"the same": {at(1, 1.5), true}, "rounded": {at(1, 1.49999999), true}, "another one": {at(0, 0.1), false},
		"not a number": {at(math.NaN(), 1), false}, "none": {&compare.OutputResult{MaxAbs: &most}, false},
		"a text": {&compare.OutputResult{MaxAbs: &most, Worst: &compare.Worst{A: compare.Element{Text: &text}}}, false},
	} {
		if got := placeOfLargest(c.of); (got != nil) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
