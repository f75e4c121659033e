package precision

import (
	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/tui/graph"
)

// spots returns the rows of the nodes that are ticked.
func (f *quantizeFound) spots(m *graphops.Model, ticks *QuantizeTicks) []graph.Spot {
	var out []graph.Spot
	outlines := map[*graphops.Place]*graph.Outline{}
	for i := range f.Candidates {
		c := &f.Candidates[i]
		if !ticks.IsOn(i) {
			continue
		}
		p, index, ok := f.Where(c)
		if !ok {
			continue
		}
		if outlines[p] == nil {
			outlines[p] = graph.NewOutline(m, p)
		}
		out = append(out, graph.Spot{Place: p, Row: outlines[p].NodeRow(index)})
	}
	return out
}

func (d *QuantizeDialog) spotOf(c *quant.Candidate) graph.Spot {
	p, index, _ := d.Ticks.Found.Where(c)
	return graph.Spot{Place: p, Row: graph.InputRows(p) + index}
}
