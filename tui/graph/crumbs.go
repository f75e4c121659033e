package graph

import (
	"slices"
	"strings"

	"lathe/tui/cells"
)

// crumb separates two names in the path to a place, and crumbWidth is its width.
const (
	crumb      = " ▸ "
	crumbWidth = 3
)

// leastCrumb is the smallest width of a name in cells. Before names get shorter, others are left
// out.
const leastCrumb = 16

// WayIn formats the path to a place in at most w cells. It begins with the model. If there is not
// enough room, names in the middle are shortened first. If that is not enough, names in the middle
// are left out, beginning near the model. The last name is kept longest.
func WayIn(names []string, w int) string {
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

// leastTelling returns the positions of the n names of a path in the order in which they are
// shortened: first those in the middle, then the model at the beginning, and the last name only at
// the end.
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

// leaveOut shortens the path by at least over cells: it replaces names in the middle by an
// ellipsis, beginning with the second name. The first and the last name stay.
func leaveOut(names []string, widths []int, over int) []string {
	from, last := 1, len(names)-1
	if over > 0 && last > 1 {
		over += 1 + crumbWidth // the width of the ellipsis
	}
	for ; over > 0 && from < last; from++ {
		over -= widths[from] + crumbWidth
	}
	if from == 1 {
		return names
	}
	return slices.Concat(names[:1], []string{cells.Ellipsis}, names[from:])
}
