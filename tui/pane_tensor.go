package tui

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
	actionHeatMap   actions.Name = "heat-map"
	actionElements  actions.Name = "elements"
	actionEqual     actions.Name = "equal-tensors"
	actionReadAgain actions.Name = "read-again"
	actionStop      actions.Name = "stop-reading"
)

func tensorPanel() workspace.Panel {
	return workspace.Panel{
		Place: workspace.PlaceTensor, Title: "tensor", Region: shell.RegionRight, Actions: tensorActions(),
		Make: func(ws *workspace.Workspace) shell.Pane { return &tensorPane{ws: ws} },
	}
}

// tensorPane shows a constant of the selected row, or a value that the row computed in a run, in
// one of several views. While the selection moves, the pane does not change, so that a slow
// connection has less to draw. It changes when the selection rests.
type tensorPane struct {
	ws   *workspace.Workspace
	w, h int

	at        graph.Spot // the row whose constants these are
	rest      rest
	stored    []values.RowTensor // what the row reads and holds
	valued    valuesKey
	constants []values.RowTensor // the values that it made in a run, then stored
	chosen    list.Window        // of the constants

	shown    tensorView
	scaled   [tensorViews]bool // the scale of a view is logarithmic
	other    [tensorViews]bool // a view shows its second measure
	passes   passes
	axes     map[tensorView]*axes
	elements elementView
	equal    equalList
	text     list.Scroll // over body
	body     []string
	drawn    drawing
}

// drawing identifies what is on screen. If it changes, the lines are drawn again.
type drawing struct {
	inquiry
	shown         tensorView
	answer        *answered
	w, h          int
	scaled, other bool
	styles        theme.Styles
}

func (p *tensorPane) Place() actions.Place { return workspace.PlaceTensor }

// Sync follows the selection, requests what the view needs, and draws the view. A pane that is not
// shown reads nothing.
func (p *tensorPane) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	if w <= 0 {
		p.passes.end()
		p.rest.Stop()
		values.ValuesOf(p.ws).Show(false)
		return nil
	}
	p.chosen.Resize(p.listed())
	cmd := p.follow()
	p.takeValues()
	values.ValuesOf(p.ws).Show(p.showsValue(values.ValuesOf(p.ws).Run))
	if p.rest.IsOpen() {
		return cmd
	}
	p.fit()
	cmd = tea.Batch(cmd, p.ask())
	p.draw()
	return cmd
}

// fit adapts the cursor and the visible part to the size of the tensor and of the pane.
func (p *tensorPane) fit() {
	switch p.shown {
	case viewElements:
		p.fitElements()
	case viewEqual:
		p.fitEqual()
	}
}

// draw draws the current view if something has changed. Views with a cursor are drawn elsewhere.
func (p *tensorPane) draw() {
	q, _ := p.inquiry()
	key := drawing{q, p.shown, p.passes.answer(q), p.w, p.bodyHeight(), p.scaled[p.shown], p.other[p.shown], p.ws.Styles}
	if p.shown.hasCursor() || key.answer == nil || key.answer.err != nil {
		p.drawn, p.body = drawing{}, nil
		return
	}
	if key != p.drawn {
		if key.inquiry != p.drawn.inquiry || key.shown != p.drawn.shown {
			p.text.Top = 0
		}
		p.drawn, p.body = key, p.lines(key.answer.value, p.w-2, key.h)
	}
	p.text.Resize(len(p.body), key.h)
}

// current returns the constant that is shown, or nil.
func (p *tensorPane) current() *values.RowTensor {
	if p.chosen.Cursor >= len(p.constants) {
		return nil
	}
	return &p.constants[p.chosen.Cursor]
}

// Said returns the content of the pane in words.
func (p *tensorPane) Said() string {
	c := p.current()
	if c == nil {
		return p.emptiness()
	}
	words := append([]string{c.Title(len(p.constants) > 1), c.Facts}, p.saidBody()...)
	return strings.Join(words, "\n")
}

func (p *tensorPane) emptiness() string {
	if p.at.Place == nil {
		return "looking for tensors"
	}
	return "this row reads and holds no constant"
}
