package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/list"
)

// do implements doer.
func (p *tensorPane) do(a action) tea.Cmd {
	for v := range tensorViews {
		if tensorTabs[v].action == a {
			p.shown = v
			return nil
		}
	}
	switch a {
	case actionNextView:
		p.shown = (p.shown + 1) % tensorViews
	case actionNextTensor:
		p.choose(p.chosen.Cursor + 1)
	case actionPrevTensor:
		p.choose(p.chosen.Cursor - 1)
	case actionLeft:
		return p.sideways(list.Up, "producers")
	case actionRight:
		return p.sideways(list.Down, actionConsumers)
	case actionDownAxis, actionAcrossAxis, actionTranspose, actionHeldAxis, actionIndexAfter, actionIndexBefore:
		p.changeAxes(a)
	case actionIndex:
		p.app.dialogs.open(newIndexPrompt(p))
	case actionScale:
		p.scaled[p.shown] = !p.scaled[p.shown]
	case actionMeasure:
		p.other[p.shown] = !p.other[p.shown]
	case actionReader:
		return p.goToReader()
	case actionReadAgain:
		q, _ := p.inquiry()
		p.passes.forget(q)
	case actionStop:
		switch r := p.awaitedRun(); {
		case p.passes.running != nil:
			p.stop()
			return nil
		case r != nil && r.isGoing() && p.ws.jobs.cancel():
			return nil
		}
		return p.app.backOut()
	default:
		p.move(list.Motion(a))
	}
	return nil
}

// refusal implements doer.
func (p *tensorPane) refusal(a action) string {
	switch a {
	case actionNextTensor:
		return unless(p.chosen.Cursor+1 < len(p.constants), "this is the last tensor of the row")
	case actionPrevTensor:
		return unless(p.chosen.Cursor > 0, "this is the first tensor of the row")
	case actionDownAxis, actionAcrossAxis, actionTranspose, actionHeldAxis, actionIndexAfter, actionIndexBefore, actionIndex:
		return p.axesRefusal(a)
	case actionScale:
		return unless(p.shown == viewHistogram || p.shown == viewHeat, "only histogram and heat map have a logarithmic scale")
	case actionMeasure:
		return unless(p.shown == viewHistogram || p.shown == viewHeat, "only histogram and heat map can show two measures")
	case actionReader:
		return p.readerRefusal()
	case actionReadAgain:
		q, _ := p.inquiry()
		a := p.passes.answer(q)
		return unless(a != nil && a.err != nil, "everything on screen has been read")
	}
	return ""
}

// choose shows another constant of the row.
func (p *tensorPane) choose(i int) {
	p.chosen.MoveTo(i)
	p.turnTo()
}

// move moves within the view.
func (p *tensorPane) move(m list.Motion) {
	switch p.shown {
	case viewElements:
		p.elements.rows.Act(m)
	case viewEqual:
		p.equal.rows.Act(m)
	default:
		p.text.Act(m)
	}
}

// sideways moves the cursor to another column. In views without columns it performs the action
// along instead, which follows an edge of the graph.
func (p *tensorPane) sideways(m list.Motion, along action) tea.Cmd {
	if p.shown == viewElements && len(p.constants) > 0 && p.nothing() == "" {
		p.elements.columns.Act(m)
		return nil
	}
	return p.app.perform(p.app, along)
}

// clicked implements pointed: a click chooses a constant of the list, a tab, an element, or a line
// of the list of equal tensors.
func (p *tensorPane) clicked(x, y int) tea.Cmd {
	from, to := p.chosen.Visible()
	switch head := p.headHeight(); {
	case p.listed() > 0 && y < to-from:
		p.choose(from + y)
	case y == head-1:
		p.clickTab(x)
	case y < head:
	case p.shown == viewElements:
		p.clickElement(x-1, y-head-elementsHead)
	case p.shown == viewEqual && y >= head+equalHead:
		p.clickEqual(p.equal.rows.Top + y - head - equalHead)
	}
	return nil
}

// clickTab shows the view whose tab is at x.
func (p *tensorPane) clickTab(x int) {
	for v := range tensorViews {
		if from, to := p.tabAt(v); x >= from && x < to {
			p.shown = v
			return
		}
	}
}

func (p *tensorPane) clickElement(x, y int) {
	e := &p.elements
	row := e.rows.Top + y
	column := e.columns.Top + (x-e.rowHead())/(e.columnWidth()+1)
	if y < 0 || x <= e.rowHead() || row >= e.rows.N || column >= e.columns.N {
		return
	}
	e.rows.MoveTo(row)
	e.columns.MoveTo(column)
}

func (p *tensorPane) clickEqual(line int) {
	if line < p.equal.rows.N {
		p.equal.rows.MoveTo(line)
	}
}

// wheeled implements pointed.
func (p *tensorPane) wheeled(by int) {
	switch p.shown {
	case viewElements:
		p.elements.rows.Scroll(by)
	case viewEqual:
		p.equal.rows.Scroll(by)
	default:
		p.text.By(by)
	}
}
