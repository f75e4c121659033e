package tensors

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
func (p *Pane) follow() tea.Cmd {
	ws, r := p.ws, &p.rest
	here := ws.Here()
	switch {
	case ws.Outline.Len() == 0:
		r.Stop()
		p.At, p.stored, p.Constants, p.valued = here, nil, nil, valuesKey{}
		return nil
	case r.IsOpen() && r.at == here:
		return nil
	case here == p.At:
		r.Stop()
		return nil
	}
	r.Stop()
	if p.Shown != viewEqual {
		p.Passes.End()
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
func (p *Pane) takeConstants(at graph.Spot, list []values.RowTensor) {
	p.At, p.stored, p.Constants = at, list, list
	p.valued = valuesKey{at: at}
	largest := 0
	for i, c := range p.Constants {
		if c.Bytes > p.Constants[largest].Bytes {
			largest = i
		}
	}
	p.Chosen.Height = p.listed()
	p.Chosen.Reset(len(p.Constants), largest)
	p.TurnTo()
}

// TurnTo shows another tensor, and starts with its initial axes and at its beginning.
func (p *Pane) TurnTo() {
	p.axes = map[TensorView]*Axes{}
	p.Elements = elementView{}
	p.text.Top = 0
}
