package tui

import (
	"math"
	"strconv"
)

// brief, decimal and precise format numbers. brief writes three digits, decimal one decimal place,
// and precise enough digits to distinguish 1 from a number just below it.
func brief(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e6 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

func precise(x float64) string {
	if x > 0.999 && x < 1 {
		return "1-" + strconv.FormatFloat(1-x, 'g', 2, 64)
	}
	return brief(x)
}
