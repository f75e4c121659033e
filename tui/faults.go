package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

const actionBlame actions.Name = "go-to-fault"

// lastBlame returns the blame of the latest failed job, or nil.
func lastBlame(ws *workspace) *graph.Blame {
	for i := len(ws.jobs.list) - 1; i >= 0; i-- {
		if j := ws.jobs.list[i]; j.state == jobFailed {
			return j.blame
		} else if j.state != jobRunning && j.state != jobCancelled {
			return nil
		}
	}
	return nil
}

// blameAt returns the blame of the latest failed job if it is about this row of the visible place,
// and otherwise nil.
func (ws *workspace) blameAt(row int) *graph.Blame {
	b := lastBlame(ws)
	if b == nil {
		return nil
	}
	for _, s := range b.Spots {
		if s == (graph.Spot{Place: ws.outline.Place, Row: row}) {
			return b
		}
	}
	return nil
}

// refusalOf explains why the workbench cannot go to the node that an error is about. It returns ""
// if it can.
func refusalOf(ws *workspace, b *graph.Blame) string {
	switch {
	case b == nil:
		return "the last job did not fail, or its error names no node"
	case b.Model != ws.model():
		return "the model has changed since the job failed"
	}
	return actions.Unless(len(b.Spots) > 0, "the error names no node of this model")
}

// goToFault goes to the row that an error is about. If the error may be about several rows, it asks
// which one.
func goToFault(ws *workspace, b *graph.Blame) tea.Cmd {
	goTo := func(s graph.Spot) tea.Cmd {
		ws.host.Look(placeDetail)
		return ws.jump(s)
	}
	if len(b.Spots) == 1 {
		return goTo(b.Spots[0])
	}
	choices := make([]shell.Choice, len(b.Spots))
	outlines := map[*graphops.Place]*graph.Outline{}
	for i, s := range b.Spots {
		o := outlines[s.Place]
		if o == nil {
			o = graph.NewOutline(b.Model, s.Place)
			outlines[s.Place] = o
		}
		choices[i] = shell.Choice{Label: o.Op(s.Row) + " " + o.Name(s.Row), Do: func() tea.Cmd { return goTo(s) }}
	}
	ws.host.Open(shell.NewChooseDialog(ws.host, "one of these", choices))
	return nil
}

// blameLines explain a job's error, and name the key that leads to the node.
func blameLines(ws *workspace, b *graph.Blame, p actions.Place) []string {
	if b == nil {
		return nil
	}
	out := []string{""}
	lines := b.Lines()
	if b.IsTold {
		lines = lines[len(lines)-len(b.Operands):]
	}
	for _, l := range lines {
		out = append(out, l.Text)
	}
	if refusalOf(ws, b) == "" {
		out = append(out, ws.keys.Key(p, actionBlame)+" goes there")
	}
	return out
}

// failureOf returns the message about a failed job. If the failing node is known, the message begins
// with the key that goes to it.
func failureOf(ws *workspace, j *job, err error) error {
	if j.blame == nil || refusalOf(ws, j.blame) != "" {
		return session.InStep(j.name, err)
	}
	return fmt.Errorf("%s has failed; %s goes to the node: %s\n%w", j.name, ws.keys.Key(shell.PlaceMain, actionBlame), j.blame.Explanation, err)
}
