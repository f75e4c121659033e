package plot

import "math"

// Point is a cell of a scatter plot.
type Point struct {
	// Dots shows the dots of the cell as a Braille character with up to eight dots; a blank if
	// there are none.
	Dots rune
	// Step says how many points are in the cell, on a logarithmic scale that begins at 0. It is -1
	// if there are none.
	Step int
	// Diagonal is true if the line of equal coordinates passes through the cell.
	Diagonal bool
}

// dotBits are the bits of the Braille dots, line by line from the upper left.
var dotBits = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// Scatter draws a two-dimensional histogram on w × h cells. counts has side × side bins, and the
// first row is at the bottom. steps is the number of levels that Point.Step distinguishes. If there
// are more dots than bins, a bin becomes several dots.
func Scatter(side int, counts []int64, w, h, steps int) [][]Point {
	sums := make([]int64, w*h)
	dots := make([]rune, w*h)
	most := int64(0)
	for y := range 4 * h {
		low, high := span(4*h-1-y, 4*h, side)
		for x := range 2 * w {
			from, to := span(x, 2*w, side)
			var sum int64
			for row := low; row < high; row++ {
				for _, n := range counts[row*side+from : row*side+to] {
					sum += n
				}
			}
			if sum > 0 {
				at := y/4*w + x/2
				dots[at] |= dotBits[y%4][x%2]
				sums[at] += sum
				most = max(most, sums[at])
			}
		}
	}
	scale := Scale{Low: 1, High: float64(max(most, 2)), Logarithmic: true, Steps: steps}
	lines := make([][]Point, h)
	for y := range lines {
		lines[y] = make([]Point, w)
		for x := range lines[y] {
			p := Point{Dots: ' ', Step: -1, Diagonal: isDiagonal(x, y, w, h)}
			if d := dots[y*w+x]; d != 0 {
				p.Dots, p.Step = 0x2800+d, scale.Step(float64(sums[y*w+x]))
			}
			lines[y][x] = p
		}
	}
	return lines
}

// span returns the range of bins that dot i of n shows. There is at least one.
func span(i, n, side int) (from, to int) {
	if side == 0 {
		return 0, 0
	}
	from = i * side / n
	return from, min(max((i+1)*side/n, from+1), side)
}

// isDiagonal reports whether the diagonal from the lower left corner passes through a cell.
func isDiagonal(x, y, w, h int) bool {
	middle := (float64(x) + 0.5) / float64(w)
	return int(math.Floor((1-middle)*float64(h))) == y
}
