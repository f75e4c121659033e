package plot

import (
	"math"
	"strings"
)

// eighths are the blocks that fill a cell from below by eighths.
var eighths = [...]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// Bars draws shares between 0 and 1 as vertical bars on h lines, each bar wide cells wide. A share
// above 0 is always visible.
func Bars(shares []float64, wide, h int) []string {
	lines := make([]string, max(h, 0))
	for y := range lines {
		below := (len(lines) - 1 - y) * 8 // eighths under this line
		var b strings.Builder
		for _, s := range shares {
			fill := min(max(heightOf(s, h)-below, 0), 8)
			b.WriteString(strings.Repeat(eighths[fill], max(wide, 0)))
		}
		lines[y] = b.String()
	}
	return lines
}

// heightOf returns the height of a share on h lines, in eighths.
func heightOf(share float64, h int) int {
	if !(share > 0) {
		return 0
	}
	return max(int(math.Round(min(share, 1)*float64(h)*8)), 1)
}

// Shares returns counts as shares of the largest, or the same for their logarithms. On the
// logarithmic scale a count of 1 differs from 0, and a factor of ten has the same height
// everywhere.
func Shares(counts []int64, logarithmic bool) []float64 {
	out := make([]float64, len(counts))
	var most float64
	for i, n := range counts {
		out[i] = float64(n)
		if logarithmic {
			out[i] = math.Log1p(float64(n))
		}
		most = max(most, out[i])
	}
	if most > 0 {
		for i := range out {
			out[i] /= most
		}
	}
	return out
}
