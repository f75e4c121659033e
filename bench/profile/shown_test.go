package profile

import "testing"

// TestShownNodes: a node that an optimization inserted for another one adds to that one's row, so that the
// table and the cells of the workbench have the same time. One without such a node keeps its own row.
func TestShownNodes(t *testing.T) {
	at := func(i int) *int { return &i }
	r := &Result{Nodes: []Node{
		{Name: "add", Op: "Add", US: 20, Share: 0.2, By: ByName, Index: at(1), Main: at(1), Members: []int{1}},
		{Name: "conv", Op: "Conv", US: 15, Share: 0.15, By: ByName, Index: at(0), Main: at(0), Members: []int{0}},
		{Name: "ReorderOutput", Op: "ReorderOutput", US: 6, Share: 0.06, By: ByValues, Index: at(0), Main: at(0)},
		{Name: "ReorderInput", Op: "ReorderInput", US: 3, Share: 0.03, By: ByValues, Index: at(0), Main: at(0)},
		{Name: "lost", Op: "Transpose", US: 2, Share: 0.02, By: ByValues, Index: at(2), Main: at(2)},
		{Name: "body", Op: "Cast", US: 1, Share: 0.01, By: ByValues, Place: "then", Index: at(0), Main: at(3)},
		{Name: "new", Op: "Cast", US: 1, Share: 0.01, By: ByNone},
	}}
	rows := r.shownNodes()
	cells := r.Cells(4)
	if len(rows) != 5 || rows[0].operators() != "Conv + ReorderOutput + ReorderInput" || rows[0].US != 24 || rows[0].nodes != 3 {
		t.Fatalf("%+v", rows)
	}
	if float64(rows[0].US) != cells[0].US || float64(rows[1].US) != cells[1].US {
		t.Errorf("the table has %v and %v, the cells %v and %v", rows[0].US, rows[1].US, cells[0].US, cells[1].US)
	}
	sum := Number(0)
	for _, row := range rows {
		sum += row.US
	}
	if sum != 48 {
		t.Errorf("the rows add up to %v", sum)
	}
}
