package tensors

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

const (
	ActionHeatMap   actions.Name = "heat-map"
	ActionElements  actions.Name = "elements"
	ActionEqual     actions.Name = "equal-tensors"
	ActionReadAgain actions.Name = "read-again"
	ActionStop      actions.Name = "stop-reading"
)

// Panel describes the pane.
func Panel() workspace.Panel {
	return workspace.Panel{
		Place: workspace.PlaceTensor, Title: "tensor", Region: shell.RegionRight, Actions: tensorActions(),
		Make: func(ws *workspace.Workspace) shell.Pane { return &Pane{ws: ws} },
	}
}

// Pane shows a constant of the selected row, or a value that the row computed in a run, in
// one of several views. While the selection moves, the pane does not change, so that a slow
// connection has less to draw. It changes when the selection rests.
type Pane struct {
	ws   *workspace.Workspace
	w, h int

	At        graph.Spot // the row whose constants these are
	rest      rest
	stored    []values.RowTensor // what the row reads and holds
	valued    valuesKey
	Constants []values.RowTensor // the values that it made in a run, then stored
	Chosen    list.Window        // of the constants

	Shown    TensorView
	scaled   [tensorViews]bool // the scale of a view is logarithmic
	other    [tensorViews]bool // a view shows its second measure
	Passes   Passes
	axes     map[TensorView]*Axes
	Elements elementView
	Equal    equalList
	text     list.Scroll // over body
	body     []string
	drawn    drawing
}

// drawing identifies what is on screen. If it changes, the lines are drawn again.
type drawing struct {
	Inquiry
	shown         TensorView
	answer        *Answered
	w, h          int
	scaled, other bool
	styles        theme.Styles
}

// Place implements shell.Pane.
func (p *Pane) Place() actions.Place { return workspace.PlaceTensor }

// Sync follows the selection, requests what the view needs, and draws the view. A pane that is not
// shown reads nothing.
func (p *Pane) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	if w <= 0 {
		p.Passes.End()
		p.rest.Stop()
		values.Of(p.ws).Show(false)
		return nil
	}
	p.Chosen.Resize(p.listed())
	cmd := p.follow()
	p.takeValues()
	values.Of(p.ws).Show(p.showsValue(values.Of(p.ws).Run))
	if p.rest.IsOpen() {
		return cmd
	}
	p.fit()
	cmd = tea.Batch(cmd, p.ask())
	p.draw()
	return cmd
}

// fit adapts the cursor and the visible part to the size of the tensor and of the pane.
func (p *Pane) fit() {
	switch p.Shown {
	case ViewElements:
		p.fitElements()
	case viewEqual:
		p.fitEqual()
	}
}

// Draw draws the current view if something has changed. Views with a cursor are drawn elsewhere.
func (p *Pane) draw() {
	q, _ := p.inquiry()
	key := drawing{q, p.Shown, p.Passes.Answer(q), p.w, p.bodyHeight(), p.scaled[p.Shown], p.other[p.Shown], p.ws.Styles}
	if p.Shown.hasCursor() || key.answer == nil || key.answer.Err != nil {
		p.drawn, p.body = drawing{}, nil
		return
	}
	if key != p.drawn {
		if key.Inquiry != p.drawn.Inquiry || key.shown != p.drawn.shown {
			p.text.Top = 0
		}
		p.drawn, p.body = key, p.lines(key.answer.Value, p.w-2, key.h)
	}
	p.text.Resize(len(p.body), key.h)
}

// Current returns the constant that is shown, or nil.
func (p *Pane) Current() *values.RowTensor {
	if p.Chosen.Cursor >= len(p.Constants) {
		return nil
	}
	return &p.Constants[p.Chosen.Cursor]
}

// Said returns the content of the pane in words.
func (p *Pane) Said() string {
	c := p.Current()
	if c == nil {
		return p.emptiness()
	}
	words := append([]string{c.Title(len(p.Constants) > 1), c.Facts}, p.saidBody()...)
	return strings.Join(words, "\n")
}

func (p *Pane) emptiness() string {
	if p.At.Place == nil {
		return "looking for tensors"
	}
	return "no constant here; " + p.ws.Keys.Key(shell.PlaceMain, values.ActionValue) + " computes the value"
}
