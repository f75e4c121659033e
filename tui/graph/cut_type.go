package graph

import (
	"strconv"
	"strings"

	"lathe/tui/cells"
)

// CutType shortens a type as TypeText writes it to w cells. It first shortens the names of sizes, the longest
// one first, so that the fixed sizes and the number of axes stay visible: "f32 ba…×1500×32".
func CutType(typ string, w int) string {
	elem, shape, ok := strings.Cut(typ, " ")
	excess := cells.Width(typ) - w
	if excess <= 0 || !ok {
		return cells.Cut(typ, w)
	}
	dims := strings.Split(shape, "×")
	widths := make([]int, len(dims))
	for i, d := range dims {
		if _, err := strconv.Atoi(d); err != nil {
			widths[i] = cells.Width(d)
		}
	}
	for ; excess > 0; excess-- {
		longest := 0
		for i := range widths {
			if widths[i] > widths[longest] {
				longest = i
			}
		}
		if widths[longest] <= 1 {
			return cells.Cut(typ, w)
		}
		widths[longest]--
	}
	for i, n := range widths {
		if n > 0 {
			dims[i] = cells.Cut(dims[i], n)
		}
	}
	return elem + " " + strings.Join(dims, "×")
}
