package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Table is rows of cells, aligned by the width that terminals draw. Columns
// whose title starts with ">" are aligned to the right.
type Table struct {
	Titles []string // empty for a table without a head
	Rows   [][]string
}

// Add appends a row; every cell is written as fmt.Sprint writes it.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.Rows = append(t.Rows, row)
}

// WriteText writes the table, each line behind indent.
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
	for _, row := range rows {
		if _, err := fmt.Fprintln(w, strings.TrimRight(indent+formatRow(row, widths, right), " ")); err != nil {
			return err
		}
	}
	return nil
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
		pad := strings.Repeat(" ", widths[i]-ansi.StringWidth(c))
		if i < len(right) && right[i] {
			b.WriteString(pad + c)
		} else {
			b.WriteString(c + pad)
		}
	}
	return b.String()
}
