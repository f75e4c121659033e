package workspace

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

// ActionBlame goes to the node that caused an error.
const ActionBlame actions.Name = "go-to-fault"

// LastBlame returns the blame of the latest failed job, or nil.
func LastBlame(ws *Workspace) *graph.Blame {
	for i := len(ws.Jobs.List) - 1; i >= 0; i-- {
		if j := ws.Jobs.List[i]; j.State == JobFailed {
			return j.Blame
		} else if j.State != JobRunning && j.State != JobCancelled {
			return nil
		}
	}
	return nil
}

// BlameAt returns the blame of the latest failed job if it is about this row of the visible place,
// and otherwise nil.
func (ws *Workspace) BlameAt(row int) *graph.Blame {
	b := LastBlame(ws)
	if b == nil {
		return nil
	}
	for _, s := range b.Spots {
		if s == (graph.Spot{Place: ws.Outline.Place, Row: row}) {
			return b
		}
	}
	return nil
}

// RefusalOf explains why the workbench cannot go to the node that an error is about. It returns ""
// if it can.
func RefusalOf(ws *Workspace, b *graph.Blame) string {
	switch {
	case b == nil:
		return "the last job did not fail, or its error names no node"
	case b.Model != ws.Model():
		return "the model has changed since the job failed"
	}
	return actions.Unless(len(b.Spots) > 0, "the error names no node of this model")
}

// GoToFault goes to the row that an error is about. If the error may be about several rows, it asks
// which one.
func GoToFault(ws *Workspace, b *graph.Blame) tea.Cmd { return GoToOne(ws, b.Model, b.Spots) }

// GoToOne goes to a row of the current model. If there are several, it asks which one.
func GoToOne(ws *Workspace, m *graphops.Model, spots []graph.Spot) tea.Cmd {
	goTo := func(s graph.Spot) tea.Cmd {
		ws.Host.Look(PlaceDetail)
		return ws.Jump(s)
	}
	if len(spots) == 1 {
		return goTo(spots[0])
	}
	choices := make([]shell.Choice, len(spots))
	outlines := map[*graphops.Place]*graph.Outline{}
	for i, s := range spots {
		o := outlines[s.Place]
		if o == nil {
			o = graph.NewOutline(m, s.Place)
			outlines[s.Place] = o
		}
		choices[i] = shell.Choice{Label: o.Op(s.Row) + " " + o.Name(s.Row), Do: func() tea.Cmd { return goTo(s) }}
	}
	ws.Host.Open(shell.NewChooseDialog(ws.Host, "one of these", choices))
	return nil
}

// BlameLines explain a job's error, and name the key that leads to the node.
func BlameLines(ws *Workspace, b *graph.Blame, p actions.Place) []string {
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
	if RefusalOf(ws, b) == "" {
		out = append(out, ws.Keys.Key(p, ActionBlame)+" goes there")
	}
	return out
}

// failureOf returns the message about a failed job. If the failing node is known, the message begins
// with the key that goes to it.
func failureOf(ws *Workspace, j *Job, err error) error {
	if j.Blame == nil || RefusalOf(ws, j.Blame) != "" {
		return session.InStep(j.Name, err)
	}
	return fmt.Errorf("%s has failed; %s goes to the node: %s\n%w", j.Name, ws.Keys.Key(shell.PlaceMain, ActionBlame), j.Blame.Explanation, err)
}
