package graph

import (
	"math"
	"strconv"
)

// Brief formats a number with three digits.
func Brief(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e6 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Decimal formats a number with one decimal.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// Precise formats a number with enough digits to distinguish 1 from a number just below it. A number
// that is below 1 only because sums were rounded is 1.
func Precise(x float64) string {
	const rounding = 1e-14
	if x > 0.999 && x < 1-rounding {
		return "1-" + strconv.FormatFloat(1-x, 'g', 2, 64)
	}
	return Brief(x)
}
