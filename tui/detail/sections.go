package detail

import (
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
)

// blame writes what the error of the last job says about this row. It writes nothing if b is nil.
func (d *description) blame(b *graph.Blame) {
	if b == nil {
		return
	}
	d.Head("what has failed here")
	for _, l := range b.Lines() {
		d.Add(l.Looks, l.Text)
	}
}

// problems writes the problems at a row.
func (d *description) problems(row int) {
	k, i := d.ws.Outline.At(row)
	c := d.ws.Types.Checkup
	if k != graph.KindNode || c == nil {
		return
	}
	headed := false
	for _, p := range c.Problems {
		if p.Place != d.ws.Outline.Place || p.Node != i {
			continue
		}
		if !headed {
			d.Head("what is wrong here")
			headed = true
		}
		d.Add(graph.SeverityLooks[p.Severity], cells.Prose(p.Message))
		if p.Hint != "" {
			d.Add(theme.Plain, "  "+cells.Prose(p.Hint))
		}
	}
}

// pins writes which pins at a row keep an axis from being dynamic.
func (d *description) pins(row int) {
	headed := false
	for _, f := range d.ws.Pins[d.ws.Model()] {
		if f.Spot != (graph.Spot{Place: d.ws.Outline.Place, Row: row}) {
			continue
		}
		if !headed {
			d.Head("keeps an axis from being dynamic")
			headed = true
		}
		d.Add(theme.Warning, f.Text)
		d.Add(theme.Plain, f.Note)
	}
}
