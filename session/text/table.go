package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Table is a table of text. Columns are aligned by the width of the text on a terminal. A column
// whose title begins with ">" is aligned to the right; the ">" is not written.
type Table struct {
	Titles []string // empty for a table without titles
	Rows   [][]string
}

// Add appends a row. It formats each cell as fmt.Sprint does, and makes it safe to print on one line.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = CleanLine(fmt.Sprint(c))
	}
	t.Rows = append(t.Rows, row)
}

// DropEmpty removes the columns that are empty in every row.
func (t *Table) DropEmpty() {
	for c := len(t.Titles) - 1; c >= 0; c-- {
		if slices.ContainsFunc(t.Rows, func(row []string) bool { return row[c] != "" }) {
			continue
		}
		t.Titles = slices.Delete(slices.Clone(t.Titles), c, c+1)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], c, c+1)
		}
	}
}

// Wide is a writer that knows how many columns its lines may have; 0 means no limit. A table that
// is written to it is made narrow enough.
type Wide interface{ Columns() int }

// Folding is a Wide writer that breaks longer lines itself. So no cell has to be shortened for it.
type Folding interface {
	Wide
	Folds()
}

// WriteText writes the table. Each line begins with indent. If w is Wide, but not Folding, and the
// table is too wide, long cells are shortened in the middle.
func (t *Table) WriteText(w io.Writer, indent string) error {
	titles, right := make([]string, len(t.Titles)), make([]bool, len(t.Titles))
	for i, s := range t.Titles {
		titles[i], right[i] = strings.TrimPrefix(s, ">"), strings.HasPrefix(s, ">")
	}
	rows := t.Rows
	if strings.Join(titles, "") != "" {
		rows = append([][]string{titles}, rows...)
	}
	widths := columnWidths(rows)
	_, folds := w.(Folding)
	if wide, ok := w.(Wide); ok && !folds && wide.Columns() > 0 {
		rows = fit(rows, widths, right, wide.Columns()-ansi.StringWidth(indent))
	}
	for i := range widths {
		widths[i] = min(widths[i], mostPadding)
	}
	for _, row := range rows {
		if _, err := fmt.Fprintln(w, strings.TrimRight(indent+formatRow(row, widths, right), " ")); err != nil {
			return err
		}
	}
	return nil
}

// Width returns how many columns the table takes if no cell is shortened.
func (t *Table) Width() int {
	titles := make([]string, len(t.Titles))
	for i, s := range t.Titles {
		titles[i] = strings.TrimPrefix(s, ">")
	}
	return total(columnWidths(append([][]string{titles}, t.Rows...)))
}

// mostPadding is the width up to which columns are aligned. The rest of a row moves to the right
// behind a longer cell. Otherwise one cell, such as the list of a value's 100,000 readers, would make
// each of 100,000 rows as long as itself.
const mostPadding = 256

// leastColumn is the smallest width to which a column is shortened. Shorter names would not be
// recognizable.
const leastColumn = 20

// fit returns the rows with cells shortened to fit into room columns, and changes widths
// accordingly. It makes the widest column narrower, again and again. Columns that are aligned to
// the right are numbers and are never shortened. If the table cannot fit, the rows are returned
// unchanged: the terminal then breaks the lines, but the names are complete.
func fit(rows [][]string, widths []int, right []bool, room int) [][]string {
	whole := slices.Clone(widths)
	for total(widths) > room {
		widest := -1
		for i, w := range widths {
			if w > leastColumn && !(i < len(right) && right[i]) && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			copy(widths, whole)
			return rows
		}
		widths[widest]--
	}
	out := make([][]string, len(rows))
	for i, row := range rows {
		out[i] = slices.Clone(row)
		for k, c := range row {
			out[i][k] = ShortName(c, widths[k])
		}
	}
	return out
}

// total returns the width of a row, with the space between columns.
func total(widths []int) int {
	sum := max(2*(len(widths)-1), 0) // between columns
	for _, w := range widths {
		sum += w
	}
	return sum
}

// cutMiddle shortens a text to a width by replacing its middle with "…", because names often differ
// only at their ends.
func cutMiddle(s string, width int) string {
	wide := ansi.StringWidth(s)
	if wide <= width {
		return s
	}
	front := (width - 1) / 2
	return ansi.Truncate(s, front, "") + "…" + strings.TrimLeft(ansi.TruncateLeft(s, wide-(width-1-front), ""), " ")
}

func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(c))
		}
	}
	return widths
}

func formatRow(row []string, widths []int, right []bool) string {
	var b strings.Builder
	for i, c := range row {
		if i > 0 {
			b.WriteString("  ")
		}
		pad := strings.Repeat(" ", max(widths[i]-ansi.StringWidth(c), 0))
		if i < len(right) && right[i] {
			b.WriteString(pad + c)
		} else {
			b.WriteString(c + pad)
		}
	}
	return b.String()
}
