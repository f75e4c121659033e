package graph

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Group is a set of rows that have the same text in the column by which the list is grouped.
type Group struct {
	Name          string // safe to print
	Rows          []int32
	Params, Bytes int64
}

// Arrangement is a request to sort and group the rows of the list in the background.
type Arrangement struct {
	Wiring *Wiring
	Order  Order
	Rows   []int32 // nil for all
}

// Answer returns the rows in the requested order: a single group without a name if rows are not
// grouped.
func (q Arrangement) Answer(ctx context.Context) []Group {
	rows := slices.Clone(q.Rows)
	if !q.Order.Only {
		rows = make([]int32, q.Wiring.Outline.Len())
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	for _, name := range []string{q.Order.Column, q.Order.Group} {
		if c := ColumnNamed(name); c != nil && c.prepare != nil {
			c.prepare(q.Wiring)
		}
	}
	if c := ColumnNamed(q.Order.Column); c != nil {
		c.sort(q.Wiring, rows, q.Order.Descending)
	}
	if ctx.Err() != nil {
		return nil
	}
	groups := []Group{{Rows: rows}}
	if c := ColumnNamed(q.Order.Group); c != nil {
		groups = q.group(c, rows)
	}
	return groups
}

// Group groups rows by the text of a column, the largest group first.
func (q Arrangement) group(c *Column, rows []int32) []Group {
	at := map[string]int{}
	var out []Group
	for _, row := range rows {
		name := c.Text(q.Wiring, int(row))
		if name == "" {
			name = "(none)"
		}
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, Group{Name: name})
		}
		cost := q.Wiring.cost(int(row))
		out[i].Rows = append(out[i].Rows, row)
		out[i].Params += cost.params
		out[i].Bytes += cost.bytes
	}
	slices.SortStableFunc(out, func(a, b Group) int {
		return cmp.Or(len(b.Rows)-len(a.Rows), strings.Compare(a.Name, b.Name))
	})
	return out
}

// Order says which rows the list shows, how they are sorted and how they are grouped.
type Order struct {
	Column     string // the column to sort by; "" for the order of the graph
	Descending bool
	Group      string // the column to group by, "" for none
	Only       bool   // show only the highlighted rows
}

// IsLate reports whether the order has to be computed again when types have been inferred, because
// it uses a column that shows types.
func (o Order) IsLate() bool {
	column, group := ColumnNamed(o.Column), ColumnNamed(o.Group)
	return column != nil && column.late || group != nil && group.late
}

// IsGraph reports whether all rows are shown in the order of the graph.
func (o Order) IsGraph() bool { return o == Order{} }
