package plot

// The bars to which a cell of an Overlay belongs.
const (
	Neither = iota
	Both
	First
	Second
)

// Overlay draws two lists of shares between 0 and 1 as vertical bars on h lines, over each other.
// Each bar is wide cells wide. It calls draw for each run of cells that belong to both bars, to one
// of them or to neither. A share above 0 is always visible.
func Overlay(first, second []float64, wide, h int, draw func(whose, cells int) string) []string {
	lines := make([]string, max(h, 0))
	for y := range lines {
		for i := 0; i < len(first); {
			whose := whoseAt(first[i], second[i], h-1-y, h)
			run := 1
			for i+run < len(first) && whoseAt(first[i+run], second[i+run], h-1-y, h) == whose {
				run++
			}
			lines[y] += draw(whose, run*wide)
			i += run
		}
	}
	return lines
}

func whoseAt(a, b float64, below, h int) int {
	x, y := heightOf(a, h) > 8*below, heightOf(b, h) > 8*below
	switch {
	case x && y:
		return Both
	case x:
		return First
	case y:
		return Second
	}
	return Neither
}
