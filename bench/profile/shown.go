package profile

import (
	"cmp"
	"slices"
	"strings"

	"lathe/session/text"
)

// shown is a row of the table of nodes: a node as it ran, together with the nodes that an optimization
// inserted for it, such as a change of the layout of its output. So a node of the model has one time in the
// table, the same as in the cells of the workbench.
type shown struct {
	Node
	with []string // operators of the inserted nodes
	// nodes is how many nodes of the result the row has.
	nodes int
}

// place is a node of the model.
type place struct {
	graph string
	index int
}

// shownNodes returns the rows of the table, the longest first.
func (r *Result) shownNodes() []shown {
	at := map[place]int{} // index of the row of a node that did the work of the model's node
	for i, n := range r.Nodes {
		if n.By != ByNone && n.Index != nil && len(n.Members) > 0 {
			at[place{n.Place, *n.Index}] = i
		}
	}
	rows, row := []shown{}, map[int]int{}
	for i, n := range r.Nodes {
		if r.inserted(at, i) < 0 {
			row[i] = len(rows)
			rows = append(rows, shown{Node: n, nodes: 1})
		}
	}
	for i, n := range r.Nodes {
		of := r.inserted(at, i)
		if of < 0 {
			continue
		}
		s := &rows[row[of]]
		s.US, s.Share, s.nodes = s.US+n.US, s.Share+n.Share, s.nodes+1
		if op := text.Clean(n.Op); !slices.Contains(s.with, op) {
			s.with = append(s.with, op)
		}
	}
	slices.SortStableFunc(rows, func(a, b shown) int { return cmp.Compare(b.US, a.US) })
	return rows
}

// inserted returns the index of the node that the node i was inserted for, or -1.
func (r *Result) inserted(at map[place]int, i int) int {
	n := &r.Nodes[i]
	if n.By == ByNone || n.Index == nil || len(n.Members) > 0 {
		return -1
	}
	of, ok := at[place{n.Place, *n.Index}]
	if !ok {
		return -1
	}
	return of
}

// operators returns the operator of a row with those of the inserted nodes.
func (s *shown) operators() string {
	return strings.Join(append([]string{text.Clean(s.Op)}, s.with...), " + ")
}
