package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/list"
	"lathe/tui/workspace"
)

func tensorActions() []actions.Action {
	type it = *tensorPane
	turn := func(turn func(*axes)) func(it) { return func(p it) { p.turn(turn) } }
	index := func(by int64) func(it) { return func(p it) { p.shownAxes().step(by) } }
	choose := func(by int) func(it) { return func(p it) { p.choose(p.chosen.Cursor + by) } }
	rows := []actions.Row[it]{
		actions.Now("next-view", "next of these views", actions.Keys("m"), it.nextView),
		actions.Now("next-tensor", "next tensor of this node", actions.Keys("J"), choose(1), it.lastRefusal),
		actions.Now("previous-tensor", "previous tensor of this node", actions.Keys("K"), choose(-1), it.firstRefusal),
		actions.New("right", "elements: to the right; else follow to what reads this", actions.Keys("l", "right"), it.right),
		actions.New("left", "elements: to the left; else follow to what makes its inputs", actions.Keys("h", "left"), it.left),
		actions.Now("axis-down", "another axis down", actions.Keys("r"), turn((*axes).turnDown), it.axesRefusal, it.turnRefusal),
		actions.Now("axis-across", "another axis across", actions.Keys("c"), turn((*axes).turnAcross), it.axesRefusal, it.turnRefusal),
		actions.Now("transpose", "swap rows and columns", actions.Keys("x"), turn((*axes).transpose), it.axesRefusal, it.scalarRefusal),
		actions.Now("held-axis", "select another axis for the keys , and .", actions.Keys(";"), func(p it) { p.shownAxes().nextHeld() }, it.axesRefusal, it.heldRefusal),
		actions.Now("index-after", "next index of the selected axis", actions.Keys("."), index(1), it.axesRefusal, it.heldRefusal),
		actions.Now("index-before", "previous index of the selected axis", actions.Keys(","), index(-1), it.axesRefusal, it.heldRefusal),
		actions.Now("go-to-index", "go to an index", actions.Keys("i"), func(p it) { p.ws.Host.Open(newIndexPrompt(p)) }, it.indexRefusal),
		actions.Now("scale", "logarithmic or linear scale", actions.Keys("z"), func(p it) { p.scaled[p.shown] = !p.scaled[p.shown] }, it.scaleRefusal),
		actions.Now("measure", "histogram: by value or by power of two; heat map: largest magnitude or mean", actions.Keys("b"), func(p it) { p.other[p.shown] = !p.other[p.shown] }, it.measureRefusal),
		actions.New("go-to-reader", "equal tensors: go to what reads this one", actions.Keys("enter"), it.goToReader, it.readerRefusal),
		actions.Now(actionReadAgain, "read again what was stopped or could not be read", actions.Keys("A"), it.readAgain, it.readAgainRefusal),
		actions.New(actionStop, "stop the run or the reading; otherwise leave this pane", actions.Keys("esc"), it.stopOrLeave),
	}
	return actions.Moving(it.move, append(tabRows(), rows...))
}

// tabRows are the actions that show one of the views.
func tabRows() []actions.Row[*tensorPane] {
	rows := make([]actions.Row[*tensorPane], tensorViews)
	for i, t := range tensorTabs {
		rows[i] = actions.Now(t.action, t.help, actions.Keys(t.key), func(p *tensorPane) { p.shown = tensorView(i) })
	}
	return rows
}

func (p *tensorPane) nextView() { p.shown = (p.shown + 1) % tensorViews }

func (p *tensorPane) left() tea.Cmd { return p.sideways(list.Up, workspace.ActionProducers) }

func (p *tensorPane) right() tea.Cmd { return p.sideways(list.Down, workspace.ActionConsumers) }

// readAgain forgets that the view could not be read, so that it is read again.
func (p *tensorPane) readAgain() {
	q, _ := p.inquiry()
	p.passes.forget(q)
}

// stopOrLeave stops the reading, or the run whose values are awaited. With neither, it leaves the
// pane.
func (p *tensorPane) stopOrLeave() tea.Cmd {
	switch r := p.awaitedRun(); {
	case p.passes.question.IsOpen():
		p.passes.stop()
		return nil
	case r != nil && r.IsGoing() && p.ws.Jobs.Cancel():
		return nil
	}
	return p.ws.Host.PerformMain("back-out")
}

func (p *tensorPane) lastRefusal() string {
	return actions.Unless(p.chosen.Cursor+1 < len(p.constants), "this is the last tensor of the row")
}

func (p *tensorPane) firstRefusal() string {
	return actions.Unless(p.chosen.Cursor > 0, "this is the first tensor of the row")
}

func (p *tensorPane) scaleRefusal() string {
	return actions.Unless(p.shown == viewHistogram || p.shown == viewHeat, "only histogram and heat map have a logarithmic scale")
}

func (p *tensorPane) measureRefusal() string {
	return actions.Unless(p.shown == viewHistogram || p.shown == viewHeat, "only histogram and heat map can show two measures")
}

func (p *tensorPane) readAgainRefusal() string {
	q, _ := p.inquiry()
	a := p.passes.answer(q)
	return actions.Unless(a != nil && a.err != nil, "everything on screen has been read")
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

// sideways moves the cursor to another column. In views without columns it performs an action of
// the main screen instead, which follows an edge of the graph.
func (p *tensorPane) sideways(m list.Motion, along actions.Name) tea.Cmd {
	if p.shown == viewElements && len(p.constants) > 0 && p.nothing() == "" {
		p.elements.columns.Act(m)
		return nil
	}
	return p.ws.Host.PerformMain(along)
}

// Clicked implements pointed: a click chooses a constant of the list, a tab, an element, or a line
// of the list of equal tensors.
func (p *tensorPane) Clicked(x, y int) tea.Cmd {
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

// Wheeled implements pointed.
func (p *tensorPane) Wheeled(by int) {
	switch p.shown {
	case viewElements:
		p.elements.rows.Scroll(by)
	case viewEqual:
		p.equal.rows.Scroll(by)
	default:
		p.text.By(by)
	}
}
