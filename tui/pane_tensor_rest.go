package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/graph"
	"lathe/tui/task"
	"lathe/tui/values"
)

// rest detects that the selection has not moved for a moment. Only then does the pane read the
// constants of the row.
type rest struct {
	task.Task[[]values.RowTensor]
	at graph.Spot
}

// follow starts to wait when the selection has moved. It cancels the reading for the row that was
// selected before.
func (p *tensorPane) follow() tea.Cmd {
	ws, r := p.ws, &p.rest
	here := ws.Here()
	switch {
	case ws.Outline.Len() == 0:
		r.Stop()
		p.at, p.stored, p.constants, p.valued = here, nil, nil, valuesKey{}
		return nil
	case r.IsOpen() && r.at == here:
		return nil
	case here == p.at:
		r.Stop()
		return nil
	}
	r.Stop()
	if p.shown != viewEqual {
		p.passes.end()
	}
	r.at = here
	o := ws.Outline
	return r.Ask(ws.Tasks, task.Question[[]values.RowTensor]{
		Doing: "looking for tensors", Pause: ws.Pause,
		Work: func(context.Context, task.Report) ([]values.RowTensor, error) {
			return values.ConstantsOf(o, here.Row), nil
		},
		Take: func(list []values.RowTensor, err error) tea.Cmd {
			if err != nil {
				ws.Log.Fail(err)
			}
			p.takeConstants(here, list)
			return nil
		},
	})
}

// takeConstants shows the constants of another row. The largest is chosen first, because weights
// are more interesting than biases.
func (p *tensorPane) takeConstants(at graph.Spot, list []values.RowTensor) {
	p.at, p.stored, p.constants = at, list, list
	p.valued = valuesKey{at: at}
	largest := 0
	for i, c := range p.constants {
		if c.Bytes > p.constants[largest].Bytes {
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
