package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// rest detects that the selection has not moved for a moment. Only then does the pane read the
// constants of the row.
type rest struct {
	on     bool
	at     spot
	ticket int
	cancel context.CancelFunc
}

// restedMsg delivers the constants of the row where the selection has come to rest.
type restedMsg struct {
	ticket    int
	at        spot
	constants []rowTensor
}

func (r *rest) isOn() bool { return r.on }

func (r *rest) end() {
	if r.on {
		r.cancel()
	}
	r.on = false
}

// follow starts to wait when the selection has moved. It cancels the reading for the row that was
// selected before.
func (p *tensorPane) follow() tea.Cmd {
	ws, r := p.ws, &p.rest
	here := ws.here()
	switch {
	case ws.outline.len() == 0:
		r.end()
		p.at, p.stored, p.constants, p.valued = here, nil, nil, valuesKey{}
		return nil
	case r.on && r.at == here:
		return nil
	case here == p.at:
		r.end()
		return nil
	}
	r.end()
	if p.shown != viewEqual {
		p.passes.end()
	}
	ctx, cancel := context.WithCancel(ws.ctx)
	*r = rest{on: true, at: here, ticket: r.ticket + 1, cancel: cancel}
	ticket, o, pause := r.ticket, ws.outline, ws.pause
	return guarded("looking for tensors", func() tea.Msg {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
		return restedMsg{ticket, here, constantsOf(o, here.row)}
	})
}

// takeConstants shows the constants of another row. The largest is chosen first, because weights
// are more interesting than biases.
func (p *tensorPane) takeConstants(m restedMsg) {
	if !p.rest.on || m.ticket != p.rest.ticket {
		return
	}
	p.rest.end()
	p.at, p.stored, p.constants = m.at, m.constants, m.constants
	p.valued = valuesKey{at: m.at}
	largest := 0
	for i, c := range p.constants {
		if c.bytes > p.constants[largest].bytes {
			largest = i
		}
	}
	p.chosen.Height = p.listed()
	p.chosen.Reset(len(p.constants), largest)
	p.turnTo()
}

// turnTo shows another tensor, and starts with its initial axes and at its beginning.
func (p *tensorPane) turnTo() {
	p.axes = map[tensorView]*axes{}
	p.elements = elementView{}
	p.text.Top = 0
}
