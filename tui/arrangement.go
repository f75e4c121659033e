package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// group is a set of rows that have the same text in the column by which the list is grouped.
type group struct {
	name          string // safe to print
	rows          []int32
	params, bytes int64
}

// arrangement is a request to sort and group the rows of the list in the background.
type arrangement struct {
	wiring *wiring
	order  order
	rows   []int32 // nil for all
}

// answer returns the rows in the requested order: a single group without a name if rows are not
// grouped.
func (q arrangement) answer(ctx context.Context) []group {
	rows := slices.Clone(q.rows)
	if !q.order.only {
		rows = make([]int32, q.wiring.outline.len())
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	for _, name := range []string{q.order.column, q.order.group} {
		if c := columnNamed(name); c != nil && c.prepare != nil {
			c.prepare(q.wiring)
		}
	}
	if c := columnNamed(q.order.column); c != nil {
		c.sort(q.wiring, rows, q.order.descending)
	}
	if ctx.Err() != nil {
		return nil
	}
	groups := []group{{rows: rows}}
	if c := columnNamed(q.order.group); c != nil {
		groups = q.group(c, rows)
	}
	return groups
}

// group groups rows by the text of a column, the largest group first.
func (q arrangement) group(c *column, rows []int32) []group {
	at := map[string]int{}
	var out []group
	for _, row := range rows {
		name := c.text(q.wiring, int(row))
		if name == "" {
			name = "(none)"
		}
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, group{name: name})
		}
		cost := q.wiring.cost(int(row))
		out[i].rows = append(out[i].rows, row)
		out[i].params += cost.params
		out[i].bytes += cost.bytes
	}
	slices.SortStableFunc(out, func(a, b group) int {
		return cmp.Or(len(b.rows)-len(a.rows), strings.Compare(a.name, b.name))
	})
	return out
}
