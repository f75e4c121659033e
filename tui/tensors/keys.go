package tensors

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/list"
	"lathe/tui/workspace"
)

func tensorActions() []actions.Action {
	type it = *Pane
	turn := func(turn func(*Axes)) func(it) { return func(p it) { p.turn(turn) } }
	index := func(by int64) func(it) { return func(p it) { p.shownAxes().Step(by) } }
	choose := func(by int) func(it) { return func(p it) { p.Choose(p.Chosen.Cursor + by) } }
	rows := []actions.Row[it]{
		actions.Now("next-view", "next of these views", actions.Keys("m"), it.nextView),
		actions.Now("next-tensor", "next tensor of this node", actions.Keys("J"), choose(1), it.lastRefusal),
		actions.Now("previous-tensor", "previous tensor of this node", actions.Keys("K"), choose(-1), it.firstRefusal),
		actions.New("right", "elements: to the right; else follow to what reads this", actions.Keys("l", "right"), it.right),
		actions.New("left", "elements: to the left; else follow to what makes its inputs", actions.Keys("h", "left"), it.left),
		actions.Now("axis-down", "another axis down", actions.Keys("r"), turn((*Axes).TurnDown), it.axesRefusal, it.turnRefusal),
		actions.Now("axis-across", "another axis across", actions.Keys("c"), turn((*Axes).TurnAcross), it.axesRefusal, it.turnRefusal),
		actions.Now("transpose", "swap rows and columns", actions.Keys("x"), turn((*Axes).Transpose), it.axesRefusal, it.scalarRefusal),
		actions.Now("held-axis", "select another axis for the keys , and .", actions.Keys(";"), func(p it) { p.shownAxes().NextHeld() }, it.axesRefusal, it.heldRefusal),
		actions.Now("index-after", "next index of the selected axis", actions.Keys("."), index(1), it.axesRefusal, it.heldRefusal),
		actions.Now("index-before", "previous index of the selected axis", actions.Keys(","), index(-1), it.axesRefusal, it.heldRefusal),
		actions.Now("go-to-index", "go to an index", actions.Keys("i"), func(p it) { p.ws.Host.Open(newIndexPrompt(p)) }, it.indexRefusal),
		actions.Now("scale", "logarithmic or linear scale", actions.Keys("z"), func(p it) { p.scaled[p.Shown] = !p.scaled[p.Shown] }, it.scaleRefusal),
		actions.Now("measure", "histogram: by value or by power of two; heat map: largest magnitude or mean", actions.Keys("b"), func(p it) { p.other[p.Shown] = !p.other[p.Shown] }, it.measureRefusal),
		actions.New("go-to-reader", "equal tensors: go to what reads this one", actions.Keys("enter"), it.goToReader, it.readerRefusal),
		actions.Now(ActionReadAgain, "read again what was stopped or could not be read", actions.Keys("A"), it.readAgain, it.readAgainRefusal),
		actions.New(ActionStop, "stop the run or the reading; otherwise leave this pane", actions.Keys("esc"), it.stopOrLeave),
	}
	return actions.Moving(it.Move, append(tabRows(), rows...))
}

// tabRows are the actions that show one of the views.
func tabRows() []actions.Row[*Pane] {
	rows := make([]actions.Row[*Pane], tensorViews)
	for i, t := range tensorTabs {
		rows[i] = actions.Now(t.action, t.help, actions.Keys(t.key), func(p *Pane) { p.Shown = TensorView(i) })
	}
	return rows
}

func (p *Pane) nextView() { p.Shown = (p.Shown + 1) % tensorViews }

func (p *Pane) left() tea.Cmd { return p.sideways(list.Up, workspace.ActionProducers) }

func (p *Pane) right() tea.Cmd { return p.sideways(list.Down, workspace.ActionConsumers) }

// readAgain forgets that the view could not be read, so that it is read again.
func (p *Pane) readAgain() {
	q, _ := p.inquiry()
	p.Passes.Forget(q)
}

// stopOrLeave stops the reading, or the run whose values are awaited. With neither, it leaves the
// pane.
func (p *Pane) stopOrLeave() tea.Cmd {
	switch r := p.awaitedRun(); {
	case p.Passes.Question.IsOpen():
		p.Passes.Stop()
		return nil
	case r != nil && r.IsGoing() && p.ws.Jobs.Cancel():
		return nil
	}
	return p.ws.Host.PerformMain("back-out")
}

func (p *Pane) lastRefusal() string {
	return actions.Unless(p.Chosen.Cursor+1 < len(p.Constants), "this is the last tensor of the row")
}

func (p *Pane) firstRefusal() string {
	return actions.Unless(p.Chosen.Cursor > 0, "this is the first tensor of the row")
}

func (p *Pane) scaleRefusal() string {
	return actions.Unless(p.Shown == ViewHistogram || p.Shown == viewHeat, "only histogram and heat map have a logarithmic scale")
}

func (p *Pane) measureRefusal() string {
	return actions.Unless(p.Shown == ViewHistogram || p.Shown == viewHeat, "only histogram and heat map can show two measures")
}

func (p *Pane) readAgainRefusal() string {
	q, _ := p.inquiry()
	a := p.Passes.Answer(q)
	return actions.Unless(a != nil && a.Err != nil, "everything on screen has been read")
}

// Choose shows another constant of the row.
func (p *Pane) Choose(i int) {
	p.Chosen.MoveTo(i)
	p.TurnTo()
}

// Move moves within the view.
func (p *Pane) Move(m list.Motion) {
	switch p.Shown {
	case ViewElements:
		p.Elements.Rows.Act(m)
	case viewEqual:
		p.Equal.Rows.Act(m)
	default:
		p.text.Act(m)
	}
}

// sideways moves the cursor to another column. In views without columns it performs an action of
// the main screen instead, which follows an edge of the graph.
func (p *Pane) sideways(m list.Motion, along actions.Name) tea.Cmd {
	if p.Shown == ViewElements && len(p.Constants) > 0 && p.nothing() == "" {
		p.Elements.Columns.Act(m)
		return nil
	}
	return p.ws.Host.PerformMain(along)
}

// Clicked implements shell.Pointed: a click chooses a constant of the list, a tab, an element, or a line
// of the list of equal tensors.
func (p *Pane) Clicked(x, y int) tea.Cmd {
	from, to := p.Chosen.Visible()
	switch head := p.HeadHeight(); {
	case p.listed() > 0 && y < to-from:
		p.Choose(from + y)
	case y == head-1:
		p.clickTab(x)
	case y < head:
	case p.Shown == ViewElements:
		p.clickElement(x-1, y-head-ElementsHead)
	case p.Shown == viewEqual && y >= head+EqualHead:
		p.clickEqual(p.Equal.Rows.Top + y - head - EqualHead)
	}
	return nil
}

// clickTab shows the view whose tab is at x.
func (p *Pane) clickTab(x int) {
	for v := range tensorViews {
		if from, to := p.TabAt(v); x >= from && x < to {
			p.Shown = v
			return
		}
	}
}

func (p *Pane) clickElement(x, y int) {
	e := &p.Elements
	row := e.Rows.Top + y
	column := e.Columns.Top + (x-e.RowHead())/(e.ColumnWidth()+1)
	if y < 0 || x <= e.RowHead() || row >= e.Rows.N || column >= e.Columns.N {
		return
	}
	e.Rows.MoveTo(row)
	e.Columns.MoveTo(column)
}

func (p *Pane) clickEqual(line int) {
	if line < p.Equal.Rows.N {
		p.Equal.Rows.MoveTo(line)
	}
}

// Wheeled implements shell.Pointed.
func (p *Pane) Wheeled(by int) {
	switch p.Shown {
	case ViewElements:
		p.Elements.Rows.Scroll(by)
	case viewEqual:
		p.Equal.Rows.Scroll(by)
	default:
		p.text.By(by)
	}
}
