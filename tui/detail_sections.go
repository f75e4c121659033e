package tui

import (
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// blame writes what the error of the last job says about this row. It writes nothing if b is nil.
func (d *description) blame(b *blame) {
	if b == nil {
		return
	}
	d.head("what has failed here")
	for _, l := range b.lines() {
		d.add(l.looks, l.text)
	}
}

// problems writes the problems at a row.
func (d *description) problems(row int) {
	k, i := d.ws.outline.at(row)
	c := d.ws.types.checkup
	if k != kindNode || c == nil {
		return
	}
	headed := false
	for _, p := range c.problems {
		if p.Place != d.ws.outline.place || p.Node != i {
			continue
		}
		if !headed {
			d.head("what is wrong here")
			headed = true
		}
		d.add(severityLooks[p.Severity], cells.Prose(p.Message))
		if p.Hint != "" {
			d.add(theme.Plain, "  "+cells.Prose(p.Hint))
		}
	}
}

// pins writes which pins at a row keep an axis from being dynamic.
func (d *description) pins(row int) {
	headed := false
	for _, f := range d.ws.pins[d.ws.model()] {
		if f.spot != (spot{d.ws.outline.place, row}) {
			continue
		}
		if !headed {
			d.head("keeps an axis from being dynamic")
			headed = true
		}
		d.add(theme.Warning, f.text)
		d.add(theme.Plain, f.note)
	}
}
