package search

import (
	"errors"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lathe/graphops/filter"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/shell"
)

// Said implements shell.Pane.
func (p *SearchPrompt) Said() string {
	ws := p.WS
	words := []string{"filter " + p.Field.Text(), ws.Found.Position(ws.Row()), ws.Outline.Name(ws.Row())}
	if offered := p.Offers.Said(); offered != "" && p.Offers.fit(p.Field.Value(), p.at()) {
		words = append(words, offered)
	}
	return strings.Join(words, ", ")
}

// Awaits implements awaiting.
func (p *SearchPrompt) Awaits() bool { return p.WS.Found.IsOpen() || p.Offers.question.IsOpen() }

// Cursor implements shell.Typist.
func (p *SearchPrompt) Cursor() (x, y int) {
	_, x = p.Field.View(p.w - 1)
	return x + 1, p.h - 1
}

// View implements shell.Pane.
func (p *SearchPrompt) View(bool) []string {
	var lines []string
	if p.h > 2 {
		lines = cells.Block(p.Offers.View(p.w), p.w, p.h-2)
	}
	if p.h > 1 {
		lines = append(lines, p.statement())
	}
	return append(lines, cells.Fit(p.WS.Styles.Key.On("/")+p.expression(), p.w))
}

// statement says what was found, or what is wrong with the filter. If the filter is only
// unfinished, it says so faintly.
func (p *SearchPrompt) statement() string {
	ws, st := p.WS, p.WS.Styles
	said, looks := ws.Found.Position(ws.Row()), st.Match
	switch f := &ws.Found; {
	case f.IsUnfinished():
		looks = st.Faint
	case f.Err != nil:
		looks = st.Bad
	case f.Query == "":
		said, looks = "type a name, or op:Conv params>1M", st.Faint
	}
	hints := p.hints()
	room := p.w - cells.Width(hints) - 3
	if ws.Found.Err != nil || room < 30 {
		return looks.On(cells.Fit(" "+said, p.w))
	}
	return looks.On(cells.Fit(" "+said, room)) + "  " + hints + " "
}

// hints are the most important keys while typing.
func (p *SearchPrompt) hints() string {
	k, st := p.WS.Keys, p.WS.Styles
	hints := []struct{ key, word string }{
		{k.Key(PlaceSearch, shell.ActionComplete), "completes"},
		{k.Key(PlaceSearch, shell.ActionAccept), "keeps"},
		{k.Key(shell.PlaceAlways, shell.ActionHelp), "explains"},
	}
	var out []string
	for _, h := range hints {
		if h.key != "" {
			out = append(out, st.Key.On(h.key)+" "+h.word)
		}
	}
	return strings.Join(out, "  ")
}

// expression draws the filter with the wrong part underlined.
func (p *SearchPrompt) expression() string {
	room := p.w - 1
	shown, _ := p.Field.View(room)
	from, to, ok := p.fault()
	if !ok {
		return shown
	}
	value := p.Field.Input.Value()
	a, b := text.CleanLine(value[:from]), text.CleanLine(value[from:to])
	// The field may have scrolled, so that its first cells are hidden.
	cut := cells.Width(ansi.Strip(text.CleanLine(value[:p.at()]))) - p.cursorX()
	start := max(cells.Width(a)-cut, 0)
	end := min(max(cells.Width(a)+cells.Width(b)-cut, start), room)
	before, rest := cells.Truncate(shown, start, ""), cells.Drop(shown, start)
	return before + p.WS.Styles.Fault.On(cells.Truncate(rest, end-start, "")) + cells.Drop(rest, end-start)
}

func (p *SearchPrompt) cursorX() int {
	_, x := p.Field.View(p.w - 1)
	return x
}

// fault returns the part of the expression that an error is about. It returns false if the
// expression is only unfinished or if the error is about an earlier text.
func (p *SearchPrompt) fault() (from, to int, ok bool) {
	f := &p.WS.Found
	var fault *filter.Error
	if !errors.As(f.Err, &fault) || fault.Unfinished || f.Query != p.Field.Value() || fault.To > len(f.Query) {
		return 0, 0, false
	}
	return fault.From, fault.To, fault.From < fault.To
}
