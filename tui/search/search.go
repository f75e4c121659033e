package search

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/filter"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

const (
	PlaceSearch actions.Place = "search"

	ActionNextMatch actions.Name = "next-match"
)

// SearchActions are the actions of the prompt for a filter.
func SearchActions() []actions.Action {
	type it = *SearchPrompt
	match := func(p it) string { return p.WS.MatchRefusal() }
	return actions.Of([]actions.Row[it]{
		actions.New(shell.ActionComplete, "complete", actions.Keys("tab"), it.complete),
		actions.New(shell.ActionNext, "next completion, or a later filter", actions.Keys("down", "ctrl+n"), func(p it) tea.Cmd { return p.move(1) }),
		actions.New(shell.ActionPrev, "previous completion, or an earlier filter", actions.Keys("up", "ctrl+p"), func(p it) tea.Cmd { return p.move(-1) }),
		actions.New(ActionNextMatch, "next match", actions.Keys("ctrl+g"), func(p it) tea.Cmd { return p.WS.NextMatch(1) }, match),
		actions.New("previous-match", "previous match", actions.Keys("ctrl+t"), func(p it) tea.Cmd { return p.WS.NextMatch(-1) }, match),
		actions.New(shell.ActionAccept, "keep the matches", actions.Keys("enter"), it.keep, it.unreadable),
		actions.New(shell.ActionClose, "cancel", actions.Keys("esc"), it.cancel),
	})
}

// SearchPrompt is the line in which a filter is typed. The list is updated with every character.
type SearchPrompt struct {
	workspace.Attached
	Field  *shell.Textfield
	Offers *offers
	w, h   int

	// before, order and model are the highlighted rows, their order and the model when the prompt
	// was opened. If the prompt is cancelled, they are restored.
	before workspace.Found
	order  graph.Order
	model  *graphops.Model

	// past is the index of the earlier filter that the line shows, or the number of earlier filters
	// if the line shows a new one. draft is the new filter while an earlier one is shown.
	past  int
	draft string
}

func newSearchPrompt(ws *workspace.Workspace) *SearchPrompt {
	p := &SearchPrompt{
		Attached: workspace.Attached{WS: ws}, Field: shell.NewTextfield(""), Offers: newOffers(ws),
		before: ws.Found, order: ws.Listing.Order, model: ws.Model(), past: len(ws.Found.Past),
	}
	ws.Found.Origin = ws.Here()
	return p
}

// Place implements shell.Pane.
func (p *SearchPrompt) Place() actions.Place { return PlaceSearch }

// Title implements shell.Dialog.
func (p *SearchPrompt) Title() string { return "" }

// Box implements shell.Dialog.
func (p *SearchPrompt) Box(s shell.Screen) cells.Rect { return s.Dock }

// cancel closes the completions. If none are listed, it closes the prompt.
func (p *SearchPrompt) cancel() tea.Cmd {
	if p.Offers.IsOpen() {
		p.Offers.Close()
		return nil
	}
	return p.restore()
}

// Sync implements shell.Pane.
func (p *SearchPrompt) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	p.Offers.rows.Resize(h - 2)
	return nil
}

// Docks implements docked. The dialog needs lines for the completions, the number of matches and
// the input.
func (p *SearchPrompt) Docks() int { return p.Offers.lines() + 2 }

// unreadable explains why the filter cannot be accepted, or returns "". A filter with an error
// would highlight nothing.
func (p *SearchPrompt) unreadable() string {
	expr := p.Field.Value()
	if expr == "" {
		return ""
	}
	if f := &p.WS.Found; f.Err != nil && f.Query == expr {
		return "the filter has an error; correct it or press Esc" // the line above shows the error
	}
	_, err := filter.Parse(expr) // the filter may not be answered yet
	return workspace.Reason(err)
}

// keep accepts the filter and closes the prompt. The matches stay highlighted, and the list of nodes, whose
// cursor is at one, has the focus.
func (p *SearchPrompt) keep() tea.Cmd {
	ws := p.WS
	p.leave()
	ws.Host.Look(workspace.PlaceNodes)
	if ws.Here() != ws.Found.Origin {
		ws.Trail.Leave(ws.Found.Origin)
	}
	ws.Found.Keep()
	if ws.Found.IsOpen() {
		ws.Found.Kept = p
	}
	return nil
}

// Reopen opens the prompt again. It is called if a filter was accepted while its search was
// running, and the search then found an error in the filter.
func (p *SearchPrompt) Reopen() {
	f := &p.WS.Found
	f.Past = slices.DeleteFunc(slices.Clone(f.Past), func(q string) bool { return q == f.Query })
	p.past = len(f.Past)
	p.WS.Host.Open(p)
}

func (p *SearchPrompt) leave() {
	p.Offers.Close()
	p.WS.Host.Close(p)
}

// restore cancels typing: the cursor returns to where it was, and the earlier highlighting is
// restored. If the earlier search had not finished, or was for another model, it is started again.
func (p *SearchPrompt) restore() tea.Cmd {
	ws := p.WS
	p.leave()
	back := ws.Visit(ws.Found.Origin)
	old := p.before
	if !old.Known || p.model != ws.Model() {
		return tea.Batch(back, ws.Find(old.Query, false))
	}
	ws.Forget()
	f := &ws.Found
	f.Query, f.Asked, f.Places, f.Known = old.Query, old.Asked, old.Places, true
	f.InPlace(ws.Outline.Place)
	ws.Listing.Order.Only = p.order.Only
	return tea.Batch(back, ws.ArrangeFound())
}

// move selects the next or previous completion. If none are listed, it goes through the earlier
// filters.
func (p *SearchPrompt) move(by int) tea.Cmd {
	if p.Offers.IsOpen() {
		p.Offers.rows.MoveTo(p.Offers.rows.Cursor + by)
		return nil
	}
	past := p.WS.Found.Past
	to := p.past + by
	if to < 0 || to > len(past) {
		return nil
	}
	if p.past == len(past) {
		p.draft = p.Field.Value()
	}
	p.past = to
	shown := slices.Concat(past, []string{p.draft})[to]
	p.write(shown, len(shown))
	return p.WS.Find(shown, true)
}

// write sets the line to an expression, with the cursor at a byte of it.
func (p *SearchPrompt) write(expr string, at int) {
	p.Field.Input.SetValue(expr)
	p.Field.Input.SetCursor(len([]rune(expr[:at])))
}

// complete accepts the offered completion, or requests completions.
func (p *SearchPrompt) complete() tea.Cmd {
	if !p.Offers.IsOpen() {
		return p.Offers.ask(p.Field.Value(), p.at(), true)
	}
	expr, at, ok := p.Offers.taken(p.Field.Value(), p.at())
	if !ok {
		return nil // completions are on their way
	}
	p.write(expr, at)
	cmds := []tea.Cmd{p.WS.Find(expr, true)}
	p.Offers.Close()
	if goesOn(expr[:at]) {
		cmds = append(cmds, p.Offers.ask(expr, at, true))
	}
	return tea.Batch(cmds...)
}

// At returns the position of the cursor in the expression, in bytes.
func (p *SearchPrompt) at() int {
	value := []rune(p.Field.Input.Value())
	return len(string(value[:min(p.Field.Input.Position(), len(value))]))
}

// Typed implements shell.Typist.
func (p *SearchPrompt) Typed(k tea.KeyPressMsg) tea.Cmd { return p.edit(k) }

// Pasted implements shell.Typist.
func (p *SearchPrompt) Pasted(s string) tea.Cmd { return p.edit(tea.PasteMsg{Content: s}) }

func (p *SearchPrompt) edit(msg tea.Msg) tea.Cmd {
	if !p.Field.Typed(msg) {
		p.Offers.Close() // completions were for the old position
		return nil
	}
	expr := p.Field.Value()
	p.past = len(p.WS.Found.Past)
	return tea.Batch(p.WS.Find(expr, true), p.Offers.ask(expr, p.at(), false))
}

// Clicked implements shell.Pointed: it takes the completion under the mouse.
func (p *SearchPrompt) Clicked(_, y int) tea.Cmd {
	if from, to := p.Offers.rows.Visible(); p.Offers.IsOpen() && from+y < to {
		p.Offers.rows.MoveTo(from + y)
		return p.complete()
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (p *SearchPrompt) Wheeled(by int) { p.Offers.rows.Scroll(by) }

// SearchFor asks for a filter, with one typed already.
func SearchFor(ws *workspace.Workspace, expr string) tea.Cmd {
	p := newSearchPrompt(ws)
	ws.Host.Open(p)
	p.write(expr, len(expr))
	return ws.Find(expr, true)
}

// OpenSearch asks for a filter.
func OpenSearch(ws *workspace.Workspace) tea.Cmd { ws.Host.Open(newSearchPrompt(ws)); return nil }
