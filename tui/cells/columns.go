package cells

import "slices"

// LeastName is the room that names have before a column is shown beside them, unless all are
// shorter.
const LeastName = 28

// Column is a column beside the names of a table.
type Column struct {
	Title string
	Width int // cells of its widest text, or of the title if that is wider; 0 if no row has a text
	Gap   int // blanks before it
	Floor int // the column is shown even if it leaves names only so much; 0 for LeastName
	Rank  int // columns of a lower rank are shown first, otherwise those on the left
}

// Table says how a line is divided among names and the columns beside them.
type Table struct {
	Need    int      // cells of the longest name
	Name    int      // cells of the column of names, at most Need
	Spare   int      // cells that nobody needs
	Columns []Column // those that were given
	Widths  []int    // of the columns, 0 for one that is not shown
}

// Divide divides a line of w cells. A column without a text is not shown, nor one that leaves names
// less than LeastName, or less than the longest of them needs. So a column is as wide as its texts,
// and names get the rest.
func Divide(w, need int, columns []Column) Table {
	t := Table{Need: max(need, 1), Columns: columns, Widths: make([]int, len(columns))}
	order := make([]int, len(columns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return columns[a].Rank - columns[b].Rank })
	for _, i := range order {
		c := &columns[i]
		least := LeastName
		if c.Floor > 0 {
			least = c.Floor
		}
		if c.Width > 0 && w-c.Gap-c.Width >= min(need, least) {
			t.Widths[i] = c.Width
			w -= c.Gap + c.Width
		}
	}
	t.Name = max(min(w, t.Need), 1)
	t.Spare = max(w-t.Name, 0)
	return t
}

// Cell brings a text to the width of a column, on the right or, for words, on the left of it. It
// returns "" for a column that is not shown.
func (t *Table) Cell(i int, s string, left bool) string {
	w := t.Widths[i]
	switch {
	case w == 0:
		return ""
	case left:
		return Blanks(t.Columns[i].Gap) + Fit(s, w)
	default:
		return Blanks(t.Columns[i].Gap) + FitRight(s, w)
	}
}

// Widest adapts the width of a column to a text.
func (c *Column) Widest(s string) {
	if s != "" {
		c.Width = max(c.Width, Width(s), Width(c.Title))
	}
}
