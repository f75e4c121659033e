package shell

import (
	"fmt"
	"strings"

	"lathe/tui/cells"
)

// PaneTitle is the title of a pane, and the digit of the key that leads to it.
type PaneTitle struct {
	Digit int
	Title string
}

// Titles returns the texts of the titles of panes that share a region of w cells. If not all have
// room, there is less space between them, and then the last ones, except for the shown one, are
// digits.
func Titles(titles []PaneTitle, shown, w int) []string {
	out := make([]string, len(titles))
	total := 0
	for i, t := range titles {
		out[i] = fmt.Sprintf(" %d %s ", t.Digit, t.Title)
		total += cells.Width(out[i])
	}
	for i := 0; i < len(titles) && total > w; i++ {
		if i != shown { // its bar has a blank on both sides
			out[i] = strings.TrimSuffix(out[i], " ")
			total--
		}
	}
	for i := len(titles) - 1; i >= 0 && total > w; i-- {
		if i != shown {
			short := fmt.Sprintf(" %d", titles[i].Digit)
			total -= cells.Width(out[i]) - cells.Width(short)
			out[i] = short
		}
	}
	return out
}
