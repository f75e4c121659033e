package tui

import (
	"lathe/graphops"
	"lathe/graphops/quant"
)

// spots returns the rows of the nodes that are ticked.
func (f *quantizeFound) spots(m *graphops.Model, ticks *quantizeTicks) []spot {
	var out []spot
	outlines := map[*graphops.Place]*outline{}
	for i := range f.Candidates {
		c := &f.Candidates[i]
		if !ticks.isOn(i) {
			continue
		}
		p, index, ok := f.where(c)
		if !ok {
			continue
		}
		if outlines[p] == nil {
			outlines[p] = newOutline(m, p)
		}
		out = append(out, spot{p, outlines[p].nodeRow(index)})
	}
	return out
}

func (d *quantizeDialog) spotOf(c *quant.Candidate) spot {
	p, index, _ := d.ticks.found.where(c)
	return spot{p, inputRows(p) + index}
}
