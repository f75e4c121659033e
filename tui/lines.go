package tui

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/files"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// titleLine names the model and says how large it is.
func (a *App) titleLine(w int) string {
	ws := a.ws
	if a.tour.IsOn() {
		caption, keys := a.tour.Caption(), "  Enter next  Esc end "
		return ws.Styles.Selected.On(cells.Fit(caption, w-cells.Width(keys)) + keys)
	}
	name := cells.Label(filepath.Base(cmp.Or(ws.Session.FileOf(ws.Model()), ws.Options.Path)))
	switch {
	case !files.IsKept(ws):
		name += "*"
	case ws.Unsaved() != "": // no file has the model, and a recipe makes it from the file
		name += " with recipe"
	}
	facts := strings.Join(factsOf(ws), "  ")
	name = " " + graph.WayIn(append([]string{name}, workspace.CrumbsOf(ws)...), max(w*3/5, w-cells.Width(facts)-3))
	return ws.Styles.Title.On(name) + ws.Styles.TitleDim.On(cells.Fit("  "+facts, w-cells.Width(name)))
}

// noticeLine returns the line about the marked values: how many they are, what pruning to them
// would do, and the keys for it.
func (a *App) noticeLine(w int) string {
	ws := a.ws
	m := &ws.Marks
	key := func(name actions.Name) string { return ws.Keys.Key(shell.PlaceMain, name) }
	keys := fmt.Sprintf("  %s prunes, %s unmarks ", key(workspace.ActionPrune), key(workspace.ActionUnmark))
	lead := ws.Styles.Mark.On(" ◆ " + text.Plural(len(m.Names), "mark"))
	var what string
	switch {
	case m.Err != nil:
		what = ws.Styles.Bad.On(cells.SafeLines(m.Err.Error())[0])
	case m.Line == "":
		what = "…"
	default:
		what = m.Line
	}
	left := lead + "  " + what
	if long := fmt.Sprintf("  %s lists what goes,%s", key(workspace.ActionDropped), keys[1:]); cells.Width(left)+len(long) <= w {
		keys = long
	}
	return cells.Fit(cells.Cut(left, w-len(keys)), w-len(keys)) + ws.Styles.Faint.On(keys)
}

// statusLine returns the last line of the screen. On the left is the last message, or else the main
// keys. On the right is the running job, or else the position of the selection.
func (a *App) statusLine(w int) string {
	ws, st := a.ws, a.ws.Styles
	e, ok := ws.Log.Status()
	side := cells.Cut(sideText(ws), w-2)
	if ok {
		side = sideBeside(ws, w-cells.Width(e.Lines[0])-3)
	}
	if side != "" {
		side = " " + side + " "
	}
	room := max(w-cells.Width(side), 0)
	var left string
	switch {
	case ok && e.Failed:
		left = a.message(&e, room, st.Bad)
	case ok:
		left = a.message(&e, room, theme.Paint(""))
	default:
		left = cells.Cut(" "+a.mainHints(room), room)
	}
	return cells.Fit(left, room) + side
}

// message returns a message in at most w cells. If not all of it fits, the key of the log follows.
func (a *App) message(e *shell.Entry, w int, looks theme.Paint) string {
	line := " " + e.Lines[0]
	if cells.Width(line) <= w {
		return looks.On(line)
	}
	more := ""
	if key := a.ws.Keys.Key(shell.PlaceMain, "log"); key != "" && a.dialogs.Top() == nil {
		more = "  " + a.ws.Styles.Key.On(key) + " all"
	}
	return looks.On(cells.CutMessage(line, max(w-cells.Width(more), 0))) + more
}

// hint is a key of the main screen that the last line names.
type hint struct {
	act  actions.Name
	word string
}

// usualHints are the keys that a user needs first. If the line is too short, those at the end are
// left out, but for the last one.
var usualHints = []hint{
	{shell.ActionHelp, "help"},
	{workspace.ActionPalette, "palette"},
	{workspace.ActionFind, "search"},
	{workspace.ActionMark, "mark"},
	{workspace.ActionPrune, "cut"},
	{workspace.ActionWrite, "write"},
	{workspace.ActionNextPane, "pane"},
	{workspace.ActionConsumers, "follow"},
	{workspace.ActionQuit, "quit"},
}

// usualHints returns the usual hints. Leaving a model of a folder leads to the list of models.
func (a *App) usualHints() []hint {
	if a.ws.Options.Within == "" {
		return usualHints
	}
	out := slices.Clone(usualHints)
	out[len(out)-1].word = "back to the list"
	return out
}

// roomForFolded is the width from which the last line has room to say how many constants are folded.
const roomForFolded = 90

// mainHints returns the keys that work and that a user needs first: those of the main screen while
// the list has the focus, those of the focused pane otherwise, and those that work everywhere if a
// dialog is open, because it shows its own keys.
func (a *App) mainHints(w int) string {
	if a.dialogs.Top() != nil {
		return a.keyHints(shell.PlaceAlways, []hint{{shell.ActionHelp, "help"}, {workspace.ActionInterrupt, "cancel"}}, w)
	}
	own := ""
	if p := a.focused(); p.Panel.Place != workspace.PlaceNodes {
		own = a.hints(p.Pane, w)
	}
	if own == "" {
		folded := workspace.ConstantsHint(a.ws)
		if folded == "" || w < roomForFolded {
			return a.keyHints(shell.PlaceMain, a.usualHints(), w)
		}
		return a.keyHints(shell.PlaceMain, a.usualHints(), w-cells.Width(folded)-3) + "   " + folded
	}
	return a.keyHints(shell.PlaceMain, []hint{{shell.ActionHelp, "help"}, {workspace.ActionNextPane, "pane"}}, w) + "  " + own
}

// keyHints names keys, as many as fit, and always the last.
func (a *App) keyHints(p actions.Place, hints []hint, w int) string {
	var words []string
	for _, h := range hints {
		if key := a.ws.Keys.Key(p, h.act); key != "" {
			words = append(words, a.ws.Styles.Key.On(key)+" "+h.word)
		}
	}
	for len(words) > 2 && cells.Width(strings.Join(words, "  "))+1 > w {
		words = slices.Delete(words, len(words)-2, len(words)-1)
	}
	return strings.Join(words, "  ")
}

// factsOf returns the model's totals, as far as they are known.
func factsOf(ws *workspace.Workspace) []string {
	m := ws.Model()
	facts := []string{text.Plural(len(ws.Outline.Nodes), "node")}
	facts = append(facts, graph.Present([]string{ws.Types.Checkup.Count()})...)
	if ws.Wiring != nil {
		if s := ws.Types.Summary; s != nil { // which counts parameters that are packed into bytes
			facts = append(facts, text.Short(s.Parameters)+" parameters")
		}
		if n := ws.Wiring.Summary.WeightBytes; n > 0 {
			facts = append(facts, text.Bytes(n)+" of weights")
		}
	}
	facts = append(facts, originOf(m)...)
	if done := workspace.StepsTaken(ws); done != "" {
		facts = append(facts, "after "+done)
	}
	return facts
}

// hasNotice reports whether the line about marked values is shown.
func hasNotice(ws *workspace.Workspace) bool { return len(ws.Marks.Names) > 0 }

// sideBeside returns the right end of the last line beside a message that leaves it some cells: in
// short if it is too long, and "" if not even that fits. A running job is always shown.
func sideBeside(ws *workspace.Workspace, w int) string {
	if side := sideText(ws); cells.Width(side) <= w {
		return side
	}
	if j := ws.Jobs.Running(); j != nil {
		return cells.Cut(j.Short(), max(w, leastJob))
	}
	short := fmt.Sprintf("%d/%d", min(ws.Rows.Cursor+1, ws.Rows.N), ws.Rows.N)
	if ws.Found.IsOn() && !ws.Span.On {
		short = ws.Found.Brief(ws.Row())
	}
	if cells.Width(short) <= w {
		return short
	}
	return ""
}

// leastJob is the room of a running job beside a message.
const leastJob = 20

func sideText(ws *workspace.Workspace) string {
	if j := ws.Jobs.Running(); j != nil {
		return cells.Cut(j.Short(), 60)
	}
	if ws.Span.On {
		return text.Plural(len(ws.Chosen()), "row") + " in the range"
	}
	if ws.Found.IsOn() {
		return ws.Found.Summary(ws.Row())
	}
	return fmt.Sprintf("%d/%d", min(ws.Rows.Cursor+1, ws.Rows.N), ws.Rows.N)
}

// originOf returns the version of the default opset and the tool that made the model, safe to
// print.
func originOf(m *graphops.Model) []string {
	var out []string
	if v, ok := m.Opset(graphops.DefaultDomain); ok {
		out = append(out, fmt.Sprintf("opset %d", v))
	}
	if name, version := m.Producer(); name != "" {
		out = append(out, cells.Label(strings.TrimSpace(name+" "+version)))
	}
	return out
}
