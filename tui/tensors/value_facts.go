package tensors

import (
	"lathe/tui/cells"
	"lathe/tui/values"
)

// origin says what the chosen value was computed from; nothing for a constant.
func (p *Pane) origin(w int) []string {
	c := p.Current()
	if c.Run == nil || c.Run.Lease == nil {
		return nil
	}
	f := &factLines{p: p, w: w}
	f.head("where it comes from")
	for _, fact := range values.RanOn(c.Run.Lease.Probe) {
		for i, line := range cells.WrapWords(fact.What, max(w-values.FactWidth, 1)) {
			if i > 0 {
				fact.Name = ""
			}
			f.add(fact.Name, line)
		}
	}
	return f.lines
}
