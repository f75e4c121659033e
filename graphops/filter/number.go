package filter

import (
	"math"
	"strconv"
	"strings"
)

// span is a range of numbers that includes both ends.
type span struct{ from, to float64 }

func (s span) holds(v float64) bool { return v >= s.from && v <= s.to }

// units has the suffixes of numbers in lower case. A suffix that ends with another one comes first.
var units = []struct {
	suffix string
	times  float64
}{
	{"ki", 1 << 10},
	{"mi", 1 << 20},
	{"gi", 1 << 30},
	{"ti", 1 << 40},
	{"k", 1e3},
	{"m", 1e6},
	{"g", 1e9},
	{"t", 1e12},
}

// parseNumber reads a number with a unit, such as 1.5M, 64KiB or 12.
func parseNumber(s string) (float64, bool) {
	s = strings.ToLower(s)
	scale := 1.0
	bare := strings.TrimSuffix(s, "b")
	for _, u := range units {
		if rest, ok := strings.CutSuffix(bare, u.suffix); ok {
			bare, scale = rest, u.times
			break
		}
	}
	if strings.Trim(bare, "+-.e0123456789") != "" { // excludes "inf", "nan", "0x1p4", "1_000"
		return 0, false
	}
	v, err := strconv.ParseFloat(bare, 64)
	return v * scale, err == nil
}

// parseSpan reads a number, or a range such as 10..20. One end of the range may be omitted.
func parseSpan(t text) (span, bool) {
	from, to, ok := t.cutRange()
	if !ok {
		v, ok := parseNumber(t.s)
		return span{v, v}, ok
	}
	s := span{math.Inf(-1), math.Inf(1)}
	a, b := true, true
	if from.s != "" {
		s.from, a = parseNumber(from.s)
	}
	if to.s != "" {
		s.to, b = parseNumber(to.s)
	}
	return s, a && b && from.s+to.s != ""
}

// spanOf returns the range of the numbers that are op v, for example greater than v.
func spanOf(op operator, v float64) span {
	switch op {
	case opMore:
		return span{math.Nextafter(v, math.Inf(1)), math.Inf(1)}
	case opAtLeast:
		return span{v, math.Inf(1)}
	case opLess:
		return span{math.Inf(-1), math.Nextafter(v, math.Inf(-1))}
	case opAtMost:
		return span{math.Inf(-1), v}
	default:
		return span{v, v}
	}
}

// spans returns the items of a test as ranges of numbers.
func (b *binder) spans(t *test) ([]span, error) {
	out := make([]span, len(t.items))
	for i, item := range t.items {
		s, ok := parseSpan(item)
		if !ok || (t.op != opHas && t.op != opIs && t.op != opIsNot) && s.from != s.to {
			return nil, b.fault(item, "expected %s", t.field.wants)
		}
		if s.from == s.to {
			s = spanOf(t.op, s.from)
		}
		out[i] = s
	}
	return out, nil
}

// number returns a test that compares the number that of returns. If ok is false, the item has no
// number, and does not match.
func (b *binder) number(t *test, of func(item) (v float64, ok bool)) (holds, error) {
	spans, err := b.spans(t)
	if err != nil {
		return nil, err
	}
	return opposite(t, func(it item) bool {
		v, ok := of(it)
		return ok && anySpan(spans, v)
	}), nil
}

func anySpan(spans []span, v float64) bool {
	for _, s := range spans {
		if s.holds(v) {
			return true
		}
	}
	return false
}
