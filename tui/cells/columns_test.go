package cells

import (
	"slices"
	"testing"
)

// TestDivide gives names their room before it shows a column.
func TestDivide(t *testing.T) {
	two := []Column{{Title: "first", Width: 5, Gap: 1}, {Title: "second", Width: 6, Gap: 2}}
	for _, c := range []struct {
		what    string
		w, need int
		columns []Column
		name    int
		widths  []int
		spare   int
	}{
		{"all fit", 60, 40, two, 40, []int{5, 6}, 6},
		{"names get the rest", 60, 100, two, 46, []int{5, 6}, 0},
		{"names have their room first", LeastName + 6, 100, two, LeastName, []int{5, 0}, 0},
		{"the next column may be narrower", LeastName + 6, 100, []Column{{Width: 9, Gap: 1}, {Width: 5, Gap: 1}}, LeastName, []int{0, 5}, 0},
		{"short names need less", 20, 6, two, 6, []int{5, 6}, 0},
		{"one that is empty is not shown", 60, 40, []Column{{Title: "first", Gap: 1}, two[1]}, 40, []int{0, 6}, 12},
		{"a floor", 26, 100, []Column{{Width: 9, Gap: 1, Floor: 16}}, 16, []int{9}, 0},
		{"no floor", 26, 100, []Column{{Width: 9, Gap: 1}}, 26, []int{0}, 0},
		{"the first by rank", LeastName + 7, 100, []Column{{Width: 6, Gap: 1, Rank: 2}, {Width: 6, Gap: 1, Rank: 1}}, LeastName, []int{0, 6}, 0},
		{"no room", 0, 10, two, 1, []int{0, 0}, 0},
	} {
		got := Divide(c.w, c.need, c.columns)
		if got.Name != c.name || !slices.Equal(got.Widths, c.widths) || got.Spare != c.spare {
			t.Errorf("%s: names %d, columns %v, spare %d; want %d, %v, %d", c.what, got.Name, got.Widths, got.Spare, c.name, c.widths, c.spare)
		}
	}
}

func TestCell(t *testing.T) {
	c := Column{Title: "nodes", Gap: 2}
	if c.Widest(""); c.Width != 0 {
		t.Errorf("a column without a text has %d cells", c.Width)
	}
	c.Widest("1,024,000")
	table := Divide(40, 20, []Column{c, {Title: "empty"}})
	if got, want := table.Cell(0, "12", false)+"|"+table.Cell(0, "a", true)+"|"+table.Cell(1, "b", true), "         12|  a        |"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
