package tui

import (
	"slices"
	"strings"

	"lathe/tui/cells"
)

// crumb stands between two names of the way to a place, crumbWidth is its width.
const (
	crumb      = " ▸ "
	crumbWidth = 3
)

// leastCrumb is what a name on the way keeps before others are left out, in
// cells.
const leastCrumb = 16

// wayIn writes the way to a place, the model first, in at most w cells. The last
// name tells most, then the first: those in between are shortened first, and the
// nearest to the model left out first where that is not enough.
func wayIn(names []string, w int) string {
	names = slices.Clone(names)
	widths, over := make([]int, len(names)), (len(names)-1)*crumbWidth-w
	for i, n := range names {
		widths[i] = cells.Width(n)
		over += widths[i]
	}
	for _, i := range leastTelling(len(names)) {
		if over <= 0 || widths[i] <= leastCrumb {
			continue
		}
		names[i] = cells.CutMiddle(names[i], max(widths[i]-over, leastCrumb))
		left := cells.Width(names[i])
		over -= widths[i] - left
		widths[i] = left
	}
	names = leaveOut(names, widths, over)
	if over = cells.Width(strings.Join(names, crumb)) - w; over > 0 {
		names[0] = cells.CutMiddle(names[0], max(widths[0]-over, 1))
	}
	return cells.CutMiddle(strings.Join(names, crumb), w)
}

// leastTelling numbers the names on a way, the one that tells least first.
func leastTelling(n int) []int {
	var out []int
	for i := 1; i < n-1; i++ {
		out = append(out, i)
	}
	if n > 1 {
		out = append(out, 0)
	}
	return append(out, n-1)
}

// leaveOut puts an ellipsis for names behind the first, until what is over has
// room or only the last is left.
func leaveOut(names []string, widths []int, over int) []string {
	from, last := 1, len(names)-1
	if over > 0 && last > 1 {
		over += 1 + crumbWidth // the ellipsis itself
	}
	for ; over > 0 && from < last; from++ {
		over -= widths[from] + crumbWidth
	}
	if from == 1 {
		return names
	}
	return slices.Concat(names[:1], []string{cells.Ellipsis}, names[from:])
}
