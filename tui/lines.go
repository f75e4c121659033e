package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

// titleLine names the model and says how large it is.
func (a *App) titleLine(w int) string {
	ws := a.ws
	name := cells.Label(filepath.Base(ws.o.Path))
	if !isKept(ws) {
		name += "*"
	}
	facts := strings.Join(factsOf(ws), "  ")
	name = " " + graph.WayIn(append([]string{name}, crumbsOf(ws)...), max(w*3/5, w-cells.Width(facts)-3))
	return ws.styles.Title.On(name) + ws.styles.TitleDim.On(cells.Fit("  "+facts, w-cells.Width(name)))
}

// noticeLine returns the line about the marked values: how many they are, what pruning to them
// would do, and the keys for it.
func (a *App) noticeLine(w int) string {
	ws := a.ws
	m := &ws.marks
	keys := fmt.Sprintf("  %s prunes, %s unmarks ", ws.keys.Key(shell.PlaceMain, actionPrune), ws.keys.Key(shell.PlaceMain, actionUnmark))
	lead := ws.styles.Mark.On(" ◆ " + text.Plural(len(m.names), "mark"))
	var what string
	switch {
	case m.err != nil:
		what = ws.styles.Bad.On(cells.SafeLines(m.err.Error())[0])
	case m.line == "":
		what = "…"
	default:
		what = m.line
	}
	left := lead + "  " + what
	return cells.Fit(cells.Cut(left, w-len(keys)), w-len(keys)) + ws.styles.Faint.On(keys)
}

// statusLine returns the last line of the screen. On the left is the last message, or else the main
// keys. On the right is the running job, or else the position of the selection.
func (a *App) statusLine(w int) string {
	ws, st := a.ws, a.ws.styles
	side := cells.Cut(sideText(ws), w-2)
	room := max(w-cells.Width(side)-2, 0)
	var left string
	switch e, ok := ws.log.Status(); {
	case ok && e.Failed:
		left = st.Bad.On(cells.Cut(" "+e.Lines[0], room))
	case ok:
		left = cells.Cut(" "+e.Lines[0], room)
	default:
		left = cells.Cut(" "+a.mainHints(room), room)
	}
	return cells.Fit(left, room) + " " + st.Faint.On(side) + " "
}

// mainHints returns the keys that a user needs first: those of the main screen while the list has
// the focus, otherwise those of the focused pane.
func (a *App) mainHints(w int) string {
	words := []struct {
		act  actions.Name
		word string
	}{
		{shell.ActionHelp, "help"},
		{actionPalette, "palette"},
		{actionFind, "search"},
		{actionNextPane, "pane"},
		{actionConsumers, "follow"},
		{actionMark, "mark"},
		{stepAction("export"), "export"},
		{actionQuit, "quit"},
	}
	own := ""
	if p := a.focused(); p.panel.place != placeNodes {
		own = a.hints(p.Pane, w)
	}
	if own != "" {
		words = []struct {
			act  actions.Name
			word string
		}{words[0], words[3]}
	}
	var out []string
	for _, h := range words {
		if key := a.ws.keys.Key(shell.PlaceMain, h.act); key != "" {
			out = append(out, a.ws.styles.Key.On(key)+" "+h.word)
		}
	}
	return strings.Join(append(out, graph.Present([]string{own})...), "  ")
}

// factsOf returns the model's totals, as far as they are known.
func factsOf(ws *workspace) []string {
	m := ws.model()
	facts := []string{text.Plural(len(ws.outline.Nodes), "node")}
	facts = append(facts, graph.Present([]string{ws.types.Checkup.Count()})...)
	if ws.wiring != nil {
		facts = append(facts, text.Short(ws.wiring.Summary.Parameters)+" parameters")
		if ws.session.CanUndo() != "" {
			facts = append(facts, text.Bytes(ws.wiring.Summary.WeightBytes)+" of weights")
		}
	}
	if ws.session.CanUndo() == "" && m.FileBytes() > 0 {
		facts = append(facts, text.Bytes(m.FileBytes()))
	}
	facts = append(facts, originOf(m)...)
	if done := stepsTaken(ws); done != "" {
		facts = append(facts, "after "+done)
	}
	return facts
}

// hasNotice reports whether the line about marked values is shown.
func hasNotice(ws *workspace) bool { return len(ws.marks.names) > 0 }

func sideText(ws *workspace) string {
	if j := ws.jobs.running(); j != nil {
		return cells.Cut(j.short(), 60)
	}
	if ws.span.on {
		return text.Plural(len(ws.chosen()), "row") + " in the range"
	}
	if ws.found.isOn() {
		return ws.found.summary(ws.row())
	}
	return fmt.Sprintf("%d/%d", min(ws.rows.Cursor+1, ws.rows.N), ws.rows.N)
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
