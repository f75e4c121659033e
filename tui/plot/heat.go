package plot

import (
	"math"
	"strings"
)

// Scale divides the numbers from Low to High into steps of equal width.
type Scale struct {
	Low, High   float64
	Logarithmic bool // Low is above 0
	Steps       int
}

// Step returns the position of a number on the scale, which begins at 0. Numbers outside the range
// are in the first or last step.
func (s Scale) Step(x float64) int {
	low, high := s.Low, s.High
	if s.Logarithmic {
		low, high, x = math.Log(low), math.Log(high), math.Log(max(x, 0))
	}
	// Use halves, because the difference of two float64s may overflow.
	share := (x/2 - low/2) / (high/2 - low/2)
	switch {
	case !(share > 0):
		return 0
	case share >= 1:
		return s.Steps - 1
	}
	return min(int(share*float64(s.Steps)), s.Steps-1)
}

// Shades are the characters of a heat map without colors, from low to high.
var Shades = [...]string{" ", ".", ":", "-", "=", "+", "*", "#"}

// Field is a matrix of positions on a color scale, stored row by row.
type Field struct {
	Columns int
	Steps   []int
}

// Lines draws a field. Each entry becomes a block of wide × tall cells. It calls draw for each
// horizontal run of equal entries, with the number of cells in the run.
func (f Field) Lines(wide, tall int, draw func(step, cells int) string) []string {
	var out []string
	for from := 0; from < len(f.Steps) && f.Columns > 0; from += f.Columns {
		line := f.line(f.Steps[from:from+f.Columns], wide, draw)
		for range tall {
			out = append(out, line)
		}
	}
	return out
}

func (f Field) line(steps []int, wide int, draw func(step, cells int) string) string {
	var b strings.Builder
	for i := 0; i < len(steps); {
		run := 1
		for i+run < len(steps) && steps[i+run] == steps[i] {
			run++
		}
		b.WriteString(draw(steps[i], run*wide))
		i += run
	}
	return b.String()
}
