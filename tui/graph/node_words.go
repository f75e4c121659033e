package graph

import "strconv"

// NodeWords returns the nodes of some rows as steps accept them: by name, or by position if the name is
// not unique. Rows of inputs and outputs are left out.
func (o *Outline) NodeWords(rows ...int) []string {
	count := map[string]int{}
	for _, row := range rows {
		if n := o.Node(row); n != nil {
			count[n.Name()] = 0
		}
	}
	for _, n := range o.Nodes {
		if _, ok := count[n.Name()]; ok {
			count[n.Name()]++
		}
	}
	var out []string
	for _, row := range rows {
		n := o.Node(row)
		switch {
		case n == nil:
		case n.Name() != "" && count[n.Name()] == 1:
			out = append(out, n.Name())
		default:
			_, i := o.At(row)
			out = append(out, "#"+strconv.Itoa(i))
		}
	}
	return out
}
