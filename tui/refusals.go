package tui

import (
	"fmt"
	"strings"
)

// refusal implements doer.
func (a *App) refusal(act action) string {
	if name, ok := strings.CutPrefix(string(act), stepPrefix); ok {
		return a.ws.stepRefusal(name)
	}
	ws := a.ws
	switch act {
	case actionConsumers:
		return ws.edgeRefusal(ws.consumers, "nothing reads this")
	case actionProducers:
		return ws.edgeRefusal(ws.producers, "no row makes what this reads")
	case actionEarlier:
		return unless(len(ws.trail.behind) > 0, "there is no earlier place")
	case actionLater:
		return unless(len(ws.trail.ahead) > 0, "there is no later place")
	case actionNext, actionPrevious:
		return ws.searchRefusal()
	case actionMark:
		return ws.markRefusal()
	case actionUnmark:
		return unless(len(ws.marks.names) > 0, "nothing is marked")
	case actionPrune:
		return ws.pruneRefusal()
	case actionUndo:
		return unless(ws.session.CanUndo() != "", "there is nothing to undo")
	case actionRedo:
		return unless(ws.session.CanRedo() != "", "there is nothing to redo")
	case actionSave:
		return unless(len(ws.session.Recipe().Steps) > 0, "no step has been taken yet that a recipe could hold")
	case actionCopy:
		return unless(ws.command() != "", "mark an output or take a step first; then its command can be copied")
	case actionResults:
		return unless(len(ws.jobs.list) > 0, "no step has been run yet")
	}
	return ""
}

// unless is a reason that holds where the condition does not.
func unless(can bool, why string) string {
	if can {
		return ""
	}
	return why
}

func (ws *workspace) edgeRefusal(edges func() []edge, none string) string {
	if ws.wiring == nil {
		return "the wires of the graph are still being read"
	}
	return unless(len(edges()) > 0, none)
}

func (ws *workspace) searchRefusal() string {
	switch {
	case ws.search.query == "":
		return fmt.Sprintf("nothing is searched for; %s searches", keyOf(placeMain, actionFind))
	case !ws.search.known:
		return "still searching"
	}
	return unless(len(ws.search.rows) > 0, fmt.Sprintf("nothing matches %q", ws.search.query))
}

func (ws *workspace) markRefusal() string {
	if ws.newStep("prune") == nil {
		return "there is no step \"prune\" that marks could be for"
	}
	return unless(ws.outline.len() > 0 && len(ws.markable(ws.rows.Cursor)) > 0, "this row makes nothing that could be an output")
}

func (ws *workspace) pruneRefusal() string {
	if len(ws.marks.names) == 0 {
		return fmt.Sprintf("mark an output to keep first, with %s", keyOf(placeMain, actionMark))
	}
	return ws.stepRefusal("prune")
}
