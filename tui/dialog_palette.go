package tui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/fuzzy"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

const placePalette actions.Place = "palette"

func paletteActions() []actions.Action {
	type it = *palette
	return actions.Of(shell.LineRows(actions.New(shell.ActionAccept, "do it", actions.Keys("enter"), it.accept), shell.Shut[it], shell.PickRows(func(p it, m list.Motion) { p.rows.Act(m) })...))
}

type palette struct {
	workspace.Attached
	app     *App
	field   *shell.Textfield
	entries []paletteEntry
	finder  *fuzzy.Finder
	shown   []int // matching entries, the best first
	rows    list.Window
	w, h    int
}

type paletteEntry struct {
	action  *actions.Action
	owner   any
	key     string
	help    string
	refusal string
}

func newPalette(a *App) *palette {
	p := &palette{Attached: workspace.Attached{WS: a.ws}, app: a, field: shell.NewTextfield(""), entries: a.paletteEntries()}
	p.finder = fuzzy.NewFinder(fuzzy.NewCorpus(len(p.entries), func(i int) string { return p.entries[i].help }))
	p.narrow()
	return p
}

// paletteEntries returns the actions of the focused pane, then those of the main screen, then the
// steps without a key and the columns of the list. Movements are left out, because nobody searches
// for them here.
func (a *App) paletteEntries() []paletteEntry {
	var out []paletteEntry
	named := map[actions.Name]bool{workspace.ActionPalette: true}
	add := func(act *actions.Action, owner any, key, help string) {
		if !named[act.Name] && !act.Name.IsMotion() {
			named[act.Name] = true
			out = append(out, paletteEntry{act, owner, key, help, act.Refusal(owner)})
		}
	}
	pane := a.focused()
	for _, act := range a.ws.Keys.Of(pane.Place()) {
		add(&act, pane.Pane, act.Key(), pane.Title+": "+explain(a.ws, act))
	}
	for _, where := range []actions.Place{shell.PlaceMain, shell.PlaceAlways} {
		for _, act := range a.ws.Keys.Of(where) {
			key := act.Key()
			if len(act.Keys) > 0 && a.ws.Keys.Meaning(pane.Place(), act.Keys[0]) != nil {
				key = "" // in the pane the key means something else
			}
			add(&act, a, key, explain(a.ws, act))
		}
	}
	for _, act := range a.keyless() {
		add(&act, a, "", explain(a.ws, act))
	}
	return out
}

// keyless returns actions of the main screen that only the palette offers: the forms of all steps,
// and the columns of the list.
func (a *App) keyless() []actions.Action {
	var rows []actions.Row[*workspace.Workspace]
	for _, s := range a.ws.Options.Steps() {
		rows = append(rows, formAction(s.Name()))
	}
	for _, c := range graph.AllColumns {
		rows = append(rows, columnAction(c))
	}
	return actions.Of(onWorkspace(rows))
}

// narrow lists the entries that match the typed text. Entries whose description contains more of
// the typed words literally come first. Among equal ones, those that contain them earlier come
// first, then those whose action is possible at the moment.
func (p *palette) narrow() {
	p.shown = p.shown[:0]
	typed := strings.ToLower(p.field.Value())
	r, err := p.finder.Find(p.WS.Ctx, typed, len(p.entries))
	if err != nil {
		return // the program is ending
	}
	for _, m := range r.Matches {
		p.shown = append(p.shown, m.Index)
	}
	wanted := wordsOf(typed)
	slices.SortStableFunc(p.shown, func(i, j int) int {
		n, at := wordsIn(wanted, p.entries[i].help)
		m, bt := wordsIn(wanted, p.entries[j].help)
		if n == 0 && m == 0 {
			return 0
		}
		return cmp.Or(m-n, at-bt, strings.Compare(refused(p.entries[i]), refused(p.entries[j])), i-j)
	})
	p.rows.Reset(len(p.shown), 0)
}

// refused returns a key for sorting by which possible actions come before impossible ones.
func refused(e paletteEntry) string {
	if e.refusal == "" {
		return ""
	}
	return "no"
}

// wordsOf returns the words of a text in lower case.
func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// wordsIn counts the words that a text contains literally, and returns the position of the first of
// them.
func wordsIn(wanted []string, text string) (n, at int) {
	words := wordsOf(text)
	at = len(words)
	for _, w := range wanted {
		if i := slices.Index(words, w); i >= 0 {
			n++
			at = min(at, i)
		}
	}
	return n, at
}

func (p *palette) Place() actions.Place { return placePalette }
func (p *palette) Title() string        { return "palette" }
func (p *palette) Box(s shell.Screen) cells.Rect {
	return s.Body.Centred(min(s.W-4, 90), len(p.entries)+5)
}

func (p *palette) Said() string {
	if len(p.shown) == 0 {
		return "nothing matches"
	}
	e := p.entries[p.shown[p.rows.Cursor]]
	return strings.TrimSpace(e.help + " " + e.key + " " + e.refusal)
}

func (p *palette) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	p.rows.Resize(h - 2 - p.foot())
	return nil
}

// Clicked implements shell.Pointed. It carries out the action under the mouse.
func (p *palette) Clicked(_, y int) tea.Cmd {
	if from, to := p.rows.Visible(); y >= 2 && from+y-2 < to {
		p.rows.MoveTo(from + y - 2)
		return p.accept()
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (p *palette) Wheeled(by int) { p.rows.Scroll(by) }

// accept closes the palette and performs the selected action.
func (p *palette) accept() tea.Cmd {
	if len(p.shown) == 0 {
		return nil
	}
	p.WS.Host.Close(p)
	e := p.entries[p.shown[p.rows.Cursor]]
	return p.app.run(e.action, e.owner)
}

func (p *palette) Typed(k tea.KeyPressMsg) tea.Cmd { return p.edit(k) }

func (p *palette) Pasted(s string) tea.Cmd { return p.edit(tea.PasteMsg{Content: s}) }

func (p *palette) edit(msg tea.Msg) tea.Cmd {
	if p.field.Typed(msg) {
		p.narrow()
	}
	return nil
}

func (p *palette) Cursor() (x, y int) {
	_, x = p.field.View(p.w - 2)
	return x + 2, 0
}

func (p *palette) View(bool) []string {
	st := p.WS.Styles
	typed, _ := p.field.View(p.w - 2)
	lines := []string{st.Key.On(":") + " " + typed, st.Frame.On(cells.Rule(p.w))}
	from, to := p.rows.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, p.line(p.entries[p.shown[i]], i == p.rows.Cursor))
	}
	lines = cells.Block(lines, p.w, p.h-p.foot())
	if p.foot() > 0 && len(p.shown) > 0 {
		if why := p.entries[p.shown[p.rows.Cursor]].refusal; why != "" {
			lines = append(lines, st.Warn.On(cells.Cut("not now: "+why, p.w)))
		}
	}
	return cells.Block(lines, p.w, p.h)
}

// foot is the height of the line that says why the selected action is not possible. A low screen
// has no such line, because the list needs the room.
func (p *palette) foot() int {
	if p.h < 8 {
		return 0
	}
	return 1
}

// paletteColumn is the width of the column of keys.
const paletteColumn = 10

func (p *palette) line(e paletteEntry, selected bool) string {
	st := p.WS.Styles
	help := e.help
	if e.refusal != "" {
		help += "  (" + e.refusal + ")"
	}
	key, rest := cells.Fit(e.key, paletteColumn), cells.Fit(help, p.w-paletteColumn)
	switch {
	case selected:
		return st.Selected.On(key + rest)
	case e.refusal != "":
		return st.Faint.On(key + rest)
	default:
		return st.Key.On(key) + rest
	}
}

func (a *App) openPalette() tea.Cmd { a.dialogs.Open(newPalette(a)); return nil }
