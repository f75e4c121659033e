package guide

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// PlacePalette is the place of the palette.
const PlacePalette actions.Place = "palette"

// PaletteActions are the actions of the palette.
func PaletteActions() []actions.Action {
	type it = *Palette
	return actions.Of(shell.LineRows(actions.New(shell.ActionAccept, "do it", actions.Keys("enter"), it.accept), shell.Shut[it], shell.PickRows(func(p it, m list.Motion) { p.Rows.Act(m) })...))
}

// Run performs an action, or says why it is not possible. word is what the person typed after the
// action, or "".
type Run func(act *actions.Action, owner any, word string) tea.Cmd

// recent has the names of the actions that were performed from a palette, the latest last.
var recent workspace.Slot[[]string]

// Palette finds an action by a name that a person types.
type Palette struct {
	workspace.Attached
	run   Run
	field *shell.Textfield
	index *index
	// shown has the matching entries, the best first. word is what was typed after the name of the
	// first.
	shown []int
	word  string
	// isSearch is true if no action matches, so that the text is looked for in the graph.
	isSearch bool
	Rows     list.Window
	w, h     int
}

// NewPalette returns a palette of entries.
func NewPalette(ws *workspace.Workspace, entries []Entry, run Run) *Palette {
	p := &Palette{Attached: workspace.Attached{WS: ws}, run: run, field: shell.NewTextfield(""), index: newIndex(entries)}
	p.narrow()
	return p
}

// narrow lists the entries that match the typed text. If nothing matches, it offers to look for the
// text in the graph.
func (p *Palette) narrow() {
	typed := p.field.Value()
	i, word := p.index.withWord(typed)
	if p.index.isName(typed) || p.index.isTitle(typed) {
		i, word = -1, ""
	}
	p.word, p.isSearch = word, false
	p.shown = p.index.find(typed, *recent.In(p.WS))
	if i < 0 && len(p.shown) == 0 {
		p.isSearch = true
		i = slices.IndexFunc(p.index.entries, func(e Entry) bool { return e.Name == workspace.ActionFind })
		p.word = strings.TrimSpace(typed)
	}
	if i >= 0 {
		p.shown = append([]int{i}, slices.DeleteFunc(p.shown, func(j int) bool { return j == i })...)
	}
	p.Rows.Reset(len(p.shown), 0)
}

// Offered returns the entries that match, the best first.
func (p *Palette) Offered() []Entry {
	out := make([]Entry, len(p.shown))
	for i, at := range p.shown {
		out[i] = p.index.entries[at]
	}
	return out
}

// Place implements shell.Pane.
func (p *Palette) Place() actions.Place { return PlacePalette }

// Title implements shell.Dialog.
func (p *Palette) Title() string { return "palette" }

// Box implements shell.Dialog.
func (p *Palette) Box(s shell.Screen) cells.Rect {
	return s.Body.Centred(min(s.W-4, 100), len(p.index.entries)+5)
}

// Said implements shell.Pane.
func (p *Palette) Said() string {
	if len(p.shown) == 0 {
		return "nothing matches"
	}
	e := &p.index.entries[p.shown[p.Rows.Cursor]]
	return strings.TrimSpace(p.text(e) + " " + strings.Join(e.keys(), " ") + " " + e.Refusal)
}

// Sync implements shell.Pane.
func (p *Palette) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	p.Rows.Resize(h - 2 - p.foot())
	return nil
}

// Clicked implements shell.Pointed. It carries out the action under the mouse.
func (p *Palette) Clicked(_, y int) tea.Cmd {
	if from, to := p.Rows.Visible(); y >= 2 && from+y-2 < to {
		p.Rows.MoveTo(from + y - 2)
		return p.accept()
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (p *Palette) Wheeled(by int) { p.Rows.Scroll(by) }

// accept closes the palette and performs the selected action.
func (p *Palette) accept() tea.Cmd {
	if len(p.shown) == 0 {
		return nil
	}
	p.WS.Host.Close(p)
	e := p.index.entries[p.shown[p.Rows.Cursor]]
	used := recent.In(p.WS)
	*used = append(slices.DeleteFunc(*used, func(s string) bool { return s == string(e.Name) }), string(e.Name))
	if p.Rows.Cursor > 0 {
		return p.run(e.Action, e.Owner, "")
	}
	return p.run(e.Action, e.Owner, p.word)
}

// Typed implements shell.Typist.
func (p *Palette) Typed(k tea.KeyPressMsg) tea.Cmd { return p.edit(k) }

// Pasted implements shell.Typist.
func (p *Palette) Pasted(s string) tea.Cmd { return p.edit(tea.PasteMsg{Content: s}) }

func (p *Palette) edit(msg tea.Msg) tea.Cmd {
	if p.field.Typed(msg) {
		p.narrow()
	}
	return nil
}

// Cursor implements shell.Typist.
func (p *Palette) Cursor() (x, y int) {
	_, x = p.field.View(p.w - 2)
	return x + 2, 0
}

// View implements shell.Pane.
func (p *Palette) View(bool) []string {
	st := p.WS.Styles
	typed, _ := p.field.View(p.w - 2)
	lines := []string{st.Key.On(":") + " " + typed, st.Frame.On(cells.Rule(p.w))}
	from, to := p.Rows.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, p.line(i))
	}
	lines = cells.Block(lines, p.w, p.h-p.foot())
	if p.foot() > 0 && len(p.shown) > 0 {
		if why := p.index.entries[p.shown[p.Rows.Cursor]].Refusal; why != "" {
			lines = append(lines, st.Warn.On(cells.Cut("not now: "+why, p.w)))
		}
	}
	return cells.Block(lines, p.w, p.h)
}

// foot is the height of the line that says why the selected action is not possible. A low screen
// has no such line, because the list needs the room.
func (p *Palette) foot() int {
	if p.h < 8 {
		return 0
	}
	return 1
}

// paletteColumn is the width of the column of keys.
const paletteColumn = 10

// line draws an entry. With nothing typed, the first entry of a heading names the heading at the
// end of the line.
func (p *Palette) line(i int) string {
	st, e := p.WS.Styles, &p.index.entries[p.shown[i]]
	help := p.text(e)
	if e.Refusal != "" {
		help += "  (" + e.Refusal + ")"
	}
	heading := p.headingOf(i)
	key := cells.Fit(strings.Join(e.keys()[:min(len(e.keys()), 1)], ""), paletteColumn)
	rest := cells.Fit(cells.Cut(help, p.w-paletteColumn-cells.Width(heading)), p.w-paletteColumn-cells.Width(heading))
	switch {
	case i == p.Rows.Cursor:
		return st.Selected.On(key + rest + heading)
	case e.Refusal != "":
		return st.Faint.On(key+rest) + st.Heading.On(heading)
	default:
		return st.Key.On(key) + rest + st.Heading.On(heading)
	}
}

// text says what an entry does, with the word that was typed after it.
func (p *Palette) text(e *Entry) string {
	if p.word == "" || len(p.shown) == 0 || e != &p.index.entries[p.shown[0]] {
		return e.says()
	}
	if p.isSearch {
		return "no action has this name; search the graph for " + cells.Prose(p.word)
	}
	return e.says() + ": " + cells.Prose(p.word)
}

func (p *Palette) headingOf(i int) string {
	if p.field.Value() != "" {
		return ""
	}
	h := p.heading(i)
	if h == "" || i > 0 && h == p.heading(i-1) {
		return ""
	}
	return "  " + h
}

// heading returns the part of the palette to which a shown entry belongs.
func (p *Palette) heading(i int) string {
	e := &p.index.entries[p.shown[i]]
	if slices.Contains(*recent.In(p.WS), string(e.Name)) {
		return "recent"
	}
	return headingOf(e)
}
