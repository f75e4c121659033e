package tui

import (
	"lathe/tui/cells"
	"lathe/tui/list"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"
)

const placePalette place = "palette"

var paletteKeys = lineKeys("do it", pickKeys...)

// palette lists everything that can be done in the main screen, with its key,
// and why not where it cannot. What is typed narrows it.
type palette struct {
	app     *App
	field   *textfield
	entries []paletteEntry
	shown   []int // entries that match, the best first
	rows    list.Window
	w, h    int
}

// paletteEntry is a line of the palette.
type paletteEntry struct {
	action  action
	key     string
	help    string
	refusal string
}

func newPalette(a *App) *palette {
	p := &palette{app: a, field: newTextfield("")}
	named := map[action]bool{actionPalette: true}
	add := func(act action, key, help string) {
		if !named[act] {
			named[act] = true
			p.entries = append(p.entries, paletteEntry{act, key, help, a.refusal(act)})
		}
	}
	for _, where := range []place{placeMain, placeAlways} {
		for _, b := range a.ws.keys.of(where) {
			add(b.action, b.key(), a.ws.explain(b))
		}
	}
	for _, s := range a.ws.o.Steps() {
		add(stepAction(s.Name()), "", s.Name()+": "+s.Summary())
	}
	p.narrow()
	return p
}

// fuzzy prepares the matcher, which keeps its tables to itself.
var fuzzy = sync.OnceFunc(func() { algo.Init("default") })

// narrow lists the entries that match what is typed.
func (p *palette) narrow() {
	p.shown = p.shown[:0]
	fuzzy()
	pattern := []rune(strings.ToLower(p.field.value()))
	scores := make([]int, len(p.entries))
	for i, e := range p.entries {
		text := util.ToChars([]byte(e.help))
		r, _ := algo.FuzzyMatchV2(false, true, true, &text, pattern, false, nil)
		if len(pattern) == 0 || r.Start >= 0 {
			p.shown = append(p.shown, i)
			scores[i] = r.Score
		}
	}
	slices.SortStableFunc(p.shown, func(a, b int) int { return scores[b] - scores[a] })
	p.rows.Reset(len(p.shown), 0)
}

func (p *palette) place() place            { return placePalette }
func (p *palette) title() string           { return "palette" }
func (p *palette) refusal(a action) string { return "" }
func (p *palette) box(s screen) cells.Rect { return s.body.Centred(min(s.w-4, 90), len(p.entries)+4) }

func (p *palette) said() string {
	if len(p.shown) == 0 {
		return "nothing matches"
	}
	e := p.entries[p.shown[p.rows.Cursor]]
	return strings.TrimSpace(e.help + " " + e.key + " " + e.refusal)
}

func (p *palette) sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	p.rows.Resize(h - 2)
	return nil
}

// clicked implements pointed: it does what is under the mouse.
func (p *palette) clicked(_, y int) tea.Cmd {
	if from, to := p.rows.Visible(); y >= 2 && from+y-2 < to {
		p.rows.MoveTo(from + y - 2)
		return p.do(actionAccept)
	}
	return nil
}

// wheeled implements pointed.
func (p *palette) wheeled(by int) { p.rows.Scroll(by) }

func (p *palette) do(a action) tea.Cmd {
	switch {
	case a == actionNext:
		p.rows.Act(list.Down)
	case a == actionPrev:
		p.rows.Act(list.Up)
	case a == actionClose:
		p.app.dialogs.close(p)
	case a == actionAccept && len(p.shown) > 0:
		p.app.dialogs.close(p)
		return p.app.perform(p.app, p.entries[p.shown[p.rows.Cursor]].action)
	}
	return nil
}

func (p *palette) typed(k tea.KeyPressMsg) tea.Cmd { return p.edit(k) }

func (p *palette) pasted(s string) tea.Cmd { return p.edit(tea.PasteMsg{Content: s}) }

func (p *palette) edit(msg tea.Msg) tea.Cmd {
	if p.field.typed(msg) {
		p.narrow()
	}
	return nil
}

func (p *palette) cursor() (x, y int) {
	_, x = p.field.view(p.w - 2)
	return x + 2, 0
}

func (p *palette) view(bool) []string {
	st := p.app.ws.styles
	typed, _ := p.field.view(p.w - 2)
	lines := []string{st.Key.On(":") + " " + typed, st.Frame.On(cells.Rule(p.w))}
	from, to := p.rows.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, p.line(p.entries[p.shown[i]], i == p.rows.Cursor))
	}
	return cells.Block(lines, p.w, p.h)
}

// paletteColumn is the width of the column of keys.
const paletteColumn = 10

func (p *palette) line(e paletteEntry, selected bool) string {
	st := p.app.ws.styles
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
