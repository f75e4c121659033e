package guide

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// PlaceHelp is the place of the help.
const PlaceHelp actions.Place = "help"

// The headings of the help, in the order in which it shows them. The actions of the focused pane or
// dialog come before them.
const (
	Look    = "look"
	Find    = "find"
	Edit    = "cut and edit"
	Lighter = "optimize"
	Measure = "run and measure"
	Session = "session"
	Move    = "move"
)

var headings = []string{Look, Find, Edit, Lighter, Measure, Session, Move}

// stepHeadings has the headings of steps that no key of the main screen leads to. Steps that are not
// listed edit the model.
var stepHeadings = sync.OnceValue(func() map[actions.Name]string {
	return map[actions.Name]string{
		"step-inspect": Look, "step-check": Look, "step-diff": Look,
		"step-simplify": Lighter, "step-optimize": Lighter, "step-quantize dynamic": Lighter, "step-quantize static": Lighter,
		"step-quantize float16": Lighter, "step-quantize bfloat16": Lighter, "step-quantize nbits": Lighter,
		"step-run-model": Measure, "step-validate": Measure, "step-profile": Measure, "step-bench": Measure, "step-report": Measure,
		"step-torch export": Session, "step-torch task": Session, "step-export": Session,
	}
})

// headingOf returns the heading of an entry.
func headingOf(e *Entry) string {
	isStep := strings.HasPrefix(string(e.Name), workspace.StepPrefix)
	switch own := stepHeadings()[e.Name]; {
	case e.Name.IsMotion():
		return Move
	case e.Where != "":
		return e.Where
	case e.Heading != "":
		return e.Heading
	case isStep && own != "":
		return own
	case isStep:
		return Edit
	}
	return Look
}

// HelpActions are the actions of the help.
func HelpActions() []actions.Action {
	type it = *Help
	move := func(d it, m list.Motion) { d.move(m) }
	rows := append(shell.PickRows(move),
		actions.Motion(list.PageDown, "a page down", actions.Keys("pgdown", "ctrl+f"), move),
		actions.Motion(list.PageUp, "a page up", actions.Keys("pgup", "ctrl+b"), move))
	return actions.Of(shell.LineRows(actions.New(shell.ActionAccept, "do it", actions.Keys("enter"), it.accept, it.refusal), shell.Shut[it], rows...))
}

// Help lists the actions of a place below headings, in as many columns as fit. What a person types
// narrows the list, and Enter performs the selected action.
type Help struct {
	workspace.Attached
	run   Run
	field *shell.Textfield
	index *index
	pages []string // lines after the actions, for dialogs that explain more
	// lines are the lines of all columns, one after the other. rows has the index in lines of each
	// listed entry. at is the selected one, -1 as long as nothing is selected.
	lines   []helpLine
	rows    []int
	at      int
	columns int
	scroll  list.Scroll
	w, h    int
}

// helpLine is an entry, a heading or a line of text.
type helpLine struct {
	entry   int // -1 for others
	heading string
	text    string
}

// NewHelp lists entries. Entries without a key are listed only if what is typed matches them. page
// has more lines, which follow the entries.
func NewHelp(ws *workspace.Workspace, entries []Entry, page []string, run Run) *Help {
	d := &Help{Attached: workspace.Attached{WS: ws}, run: run, field: shell.NewTextfield(""), index: newIndex(entries), pages: page}
	d.narrow()
	return d
}

// narrow lists what matches the typed text.
func (d *Help) narrow() {
	typed := strings.TrimSpace(d.field.Value())
	found := d.index.find(typed, nil)
	best := append(slices.Clone(found), -1)[0]
	slices.Sort(found)
	if typed == "" {
		found = slices.DeleteFunc(found, func(i int) bool { return len(d.index.entries[i].Keys) == 0 })
	}
	d.lines, d.rows, d.at = nil, nil, -1
	for _, h := range d.headings(found) {
		d.section(h, found)
	}
	if d.hasText() {
		d.lines = append(d.lines, helpLine{entry: -1})
		for _, p := range d.pages {
			d.lines = append(d.lines, helpLine{entry: -1, text: p})
		}
	}
	if typed != "" {
		d.at = slices.IndexFunc(d.rows, func(row int) bool { return d.lines[row].entry == best })
	}
	d.scroll.Top = 0
	d.reveal()
}

// headings returns the headings of entries: those of a pane or dialog first.
func (d *Help) headings(found []int) []string {
	var own []string
	for _, i := range found {
		if h := headingOf(&d.index.entries[i]); !slices.Contains(headings, h) && !slices.Contains(own, h) {
			own = append(own, h)
		}
	}
	return append(own, headings...)
}

// section adds a heading and the entries below it.
func (d *Help) section(heading string, found []int) {
	first := true
	for _, i := range found {
		if headingOf(&d.index.entries[i]) != heading {
			continue
		}
		if first && len(d.lines) > 0 {
			d.lines = append(d.lines, helpLine{entry: -1})
		}
		if first {
			d.lines = append(d.lines, helpLine{entry: -1, heading: heading})
		}
		first = false
		d.rows = append(d.rows, len(d.lines))
		d.lines = append(d.lines, helpLine{entry: i})
	}
}

// columnWidth is the width from which a column can show a key and most texts beside it.
const columnWidth = 54

// place computes the number of columns and the height.
func (d *Help) place() {
	d.columns = max(d.w/columnWidth, 1)
	if d.hasText() {
		d.columns = 1 // the lines are made for the whole width
	}
	d.scroll.Resize(d.tall(), d.h-2)
}

// reveal scrolls to the selected entry.
func (d *Help) reveal() {
	d.place()
	if d.at >= 0 {
		y := d.rows[d.at] % max(d.tall(), 1)
		d.scroll.By(min(y-d.scroll.Top, 0))
		d.scroll.By(max(y-d.scroll.Top-d.h+3, 0))
	}
}

// tall is the number of lines in each column.
func (d *Help) tall() int { return (len(d.lines) + d.columns - 1) / d.columns }

// hasText reports whether lines of text follow the entries.
func (d *Help) hasText() bool { return len(d.pages) > 0 && strings.TrimSpace(d.field.Value()) == "" }

// scrolls reports whether a motion scrolled the text that follows the entries, which no selection reaches:
// a page always does, a step down does after the last entry, and a step up leads back.
func (d *Help) scrolls(m list.Motion) bool {
	by := map[list.Motion]int{list.PageDown: d.h - 3, list.PageUp: 3 - d.h, list.Down: 1, list.Up: -1}[m]
	isBelow := d.at >= 0 && d.at == len(d.rows)-1
	isAbove := d.at >= 0 && d.scroll.Top > d.rows[d.at]
	switch {
	case !d.hasText() || m == list.Down && !isBelow || m == list.Up && !isAbove:
		return false
	}
	d.scroll.By(by)
	return by != 0
}

// move selects another entry, or scrolls.
func (d *Help) move(m list.Motion) {
	if d.scrolls(m) {
		return
	}
	w := list.Window{N: len(d.rows), Height: max(d.h-2, 1), Cursor: max(d.at, 0)}
	if d.at >= 0 || m == list.PageDown || m == list.PageUp {
		w.Act(m)
	}
	if len(d.rows) > 0 {
		d.at = w.Cursor
	}
	d.reveal()
}

// Place implements shell.Pane.
func (d *Help) Place() actions.Place { return PlaceHelp }

// Title implements shell.Dialog.
func (d *Help) Title() string { return strings.TrimSpace("help  " + d.scroll.More()) }

// Box implements shell.Dialog.
func (d *Help) Box(s shell.Screen) cells.Rect {
	w := s.W - 4
	columns := max((w-2*shell.FramePad)/columnWidth, 1)
	return s.Body.Centred(w, max((len(d.lines)+columns-1)/columns, 1)+4)
}

// Selected returns the selected entry, or nil.
func (d *Help) Selected() *Entry {
	if d.at < 0 || d.at >= len(d.rows) {
		return nil
	}
	return &d.index.entries[d.lines[d.rows[d.at]].entry]
}

// At returns the position of the selected entry among the listed ones, or -1.
func (d *Help) At() int { return d.at }

// Listed returns the entries that are listed, in order.
func (d *Help) Listed() []Entry {
	out := make([]Entry, len(d.rows))
	for i, row := range d.rows {
		out[i] = d.index.entries[d.lines[row].entry]
	}
	return out
}

// Said implements shell.Pane.
func (d *Help) Said() string {
	if e := d.Selected(); e != nil {
		return strings.TrimSpace(strings.Join(e.keys(), " ") + " " + e.says() + " " + e.Refusal)
	}
	var out []string
	for _, l := range d.lines {
		out = append(out, strings.TrimSpace(l.heading+ansi.Strip(l.text)))
		if l.entry >= 0 {
			e := &d.index.entries[l.entry]
			out[len(out)-1] = strings.Join(e.keys(), " ") + " " + e.Help
		}
	}
	return strings.Join(out, "\n")
}

// Sync implements shell.Pane.
func (d *Help) Sync(w, h int) tea.Cmd {
	if d.w != w || d.h != h {
		d.w, d.h = w, h
		d.reveal()
	}
	return nil
}

// Clicked implements shell.Pointed. It carries out the action under the mouse.
func (d *Help) Clicked(x, y int) tea.Cmd {
	line := x/(d.w/d.columns)*d.tall() + d.scroll.Top + y - 2
	if at := slices.Index(d.rows, line); y >= 2 && at >= 0 {
		d.at = at
		return d.WS.Host.Perform(d, shell.ActionAccept)
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (d *Help) Wheeled(by int) { d.scroll.By(by) }

func (d *Help) refusal() string {
	return actions.Unless(d.Selected() != nil, "type a word of what you look for, or choose with the arrow keys")
}

// accept closes the help and performs the selected action.
func (d *Help) accept() tea.Cmd {
	e := d.Selected()
	d.WS.Host.Close(d)
	return d.run(e.Action, e.Owner, "")
}

// Typed implements shell.Typist.
func (d *Help) Typed(k tea.KeyPressMsg) tea.Cmd { return d.edit(k) }

// Pasted implements shell.Typist.
func (d *Help) Pasted(s string) tea.Cmd { return d.edit(tea.PasteMsg{Content: s}) }

func (d *Help) edit(msg tea.Msg) tea.Cmd {
	if d.field.Typed(msg) {
		d.narrow()
	}
	return nil
}

// Cursor implements shell.Typist.
func (d *Help) Cursor() (x, y int) {
	_, x = d.field.View(d.w - 2)
	return x + 2, 0
}

// View implements shell.Pane.
func (d *Help) View(bool) []string {
	st := d.WS.Styles
	typed, _ := d.field.View(d.w - 2)
	if d.field.Value() == "" {
		typed = st.Faint.On("type to find an action; Enter does it")
	}
	lines := []string{st.Key.On("/") + " " + typed, st.Frame.On(cells.Rule(d.w))}
	if len(d.lines) == 0 {
		lines = append(lines, st.Faint.On(fmt.Sprintf("no action matches %q", cells.Label(d.field.Value()))))
	}
	from, to := d.scroll.Visible()
	for y := from; y < to; y++ {
		lines = append(lines, d.across(y))
	}
	return cells.Block(lines, d.w, d.h)
}

// across draws one line of every column.
func (d *Help) across(y int) string {
	var out string
	w := d.w / d.columns
	for c := range d.columns {
		if i := c*d.tall() + y; i < len(d.lines) {
			out += cells.Fit(d.line(i, w-1), w-1) + " "
		}
	}
	return out
}

// keyColumn is the width of the column of keys.
const keyColumn = 14

func (d *Help) line(i, w int) string {
	st, l := d.WS.Styles, d.lines[i]
	if l.entry < 0 {
		return st.Heading.On(l.heading) + l.text
	}
	e := &d.index.entries[l.entry]
	keys, help := strings.Join(e.keys(), " "), e.Help
	if e.Instead != "" {
		keys, help = "("+e.Key()+")", e.Help+"  ("+e.Key()+" here: "+e.Instead+")"
	}
	keys = "  " + keys + cells.Blanks(max(keyColumn-cells.Width(keys), 1))
	help = cells.Cut(help, w-cells.Width(keys))
	switch {
	case d.at >= 0 && d.rows[d.at] == i:
		return st.Selected.On(cells.Fit(keys+help, w))
	case e.Refusal != "" || e.Instead != "":
		return st.Faint.On(keys + help)
	}
	return st.Key.On(keys) + help
}
