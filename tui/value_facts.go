package tui

import (
	"lathe/tui/cells"
)

// origin says what the chosen value was computed from; nothing for a constant.
func (p *tensorPane) origin(w int) []string {
	c := p.current()
	if c.run == nil || c.run.lease == nil {
		return nil
	}
	f := &factLines{p: p, w: w}
	f.head("where it comes from")
	for _, fact := range ranOn(c.run.lease.probe) {
		for i, line := range cells.WrapWords(fact.What, max(w-factWidth, 1)) {
			if i > 0 {
				fact.Name = ""
			}
			f.add(fact.Name, line)
		}
	}
	return f.lines
}
