package graph

import (
	"cmp"
	"fmt"
	"slices"

	"lathe/tui/cells"
)

// MostSlow is the maximum number of slowest nodes that are found.
const MostSlow = 5

// Slow is one of the nodes with the longest times. It is safe to print.
type Slow struct {
	Spot
	Op    string
	Name  string // that of the node, or else of its first output after an arrow
	Time  string
	Share string
	// From is the module and the line of the source, as far as the exporter recorded them.
	From string
}

// slowest finds the nodes with the longest times, the slowest first.
func slowest(t *NodeTimes) []Slow {
	var top []int
	for i, c := range t.nodes {
		if c.With != i || c.US <= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, c.US, func(k int, us float64) int { return cmp.Or(cmp.Compare(us, t.nodes[k].US), -1) })
		if at < MostSlow {
			top = slices.Insert(top, at, i)
			top = top[:min(len(top), MostSlow)]
		}
	}
	rows, nodes := InputRows(t.Place), t.Place.Graph.Nodes()
	out := make([]Slow, len(top))
	for k, i := range top {
		n := nodes[i]
		name := cells.Label(n.Name())
		if made := Present(n.Outputs()); name == "" && len(made) > 0 {
			name = "→ " + cells.Label(made[0])
		}
		out[k] = Slow{
			Spot: Spot{t.Place, rows + i}, Op: cells.Label(n.OpType()), Name: name, Time: sureOrNot(t.nodes[i]),
			Share: fmt.Sprintf("%.1f %%", 100*t.nodes[i].Share), From: NodeGist(n),
		}
	}
	return out
}
