package tui

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/fault"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

const actionBlame actions.Name = "go-to-fault"

// blame says which part of the model made a job fail: the explanation of the error, and the rows
// that it is about.
type blame struct {
	model *graphops.Model
	fault.Finding
	spots []spot
	// isTold is true if the text of the error already contains the explanation of the finding.
	isTold bool
}

// blameOf finds the part of the model that the runtime's error is about. It returns nil if the
// error does not say, or if it is about a model other than m. It may build indices, so it is called
// in the background.
func blameOf(err error, step session.Step, m *graphops.Model) *blame {
	// A step that reads files itself says which file failed. Its error is about m only if that file
	// is the unedited m.
	if m == nil || !session.TakesModel(step) && (m.Edited() || failedModel(err) != m.Path()) {
		return nil
	}
	var failure *session.Failure
	if errors.As(err, &failure) && failure.Suspect != nil {
		return suspected(m, *failure.Suspect)
	}
	b := &blame{model: m}
	var refused *ort.Error
	switch {
	case failure != nil && failure.Finding.Fault.Message != "":
		// The runtime may have loaded only a part of the model, and the finding then refers to that
		// part.
		b.Finding, b.isTold = fault.Locate(failure.Finding.Fault, m), failure.Finding.Fault.Recognized()
	case errors.As(err, &refused) && refused.Phase != ort.Starting:
		b.Finding = fault.Locate(fault.Parse(int(refused.Code), refused.Message), m)
	default:
		return nil
	}
	for _, s := range b.Sites {
		b.spots = append(b.spots, spot{s.Place, inputRows(s.Place) + s.Index})
	}
	if len(b.spots) == 0 && b.ValuePlace != nil {
		b.spots = valueRows(m, b.ValuePlace, b.Value)
	}
	if !b.Fault.Recognized() && len(b.spots) == 0 {
		return nil
	}
	return b
}

// failedModel returns the name of the model that a worker failed on, from the error.
func failedModel(err error) string {
	var refused *ort.Error
	var crash *ort.CrashError
	switch {
	case errors.As(err, &refused):
		return refused.Model
	case errors.As(err, &crash):
		return crash.Model
	}
	return ""
}

// suspected returns the blame for a node that crashes the runtime, or nil if the model does not
// have that node. The node was found by running parts of the model, and the parts share its nodes.
func suspected(m *graphops.Model, s fault.Suspect) *blame {
	i := slices.Index(m.Graph().Nodes(), s.Site.Node())
	if i < 0 {
		return nil
	}
	main := m.Places()[0]
	b := &blame{model: m, spots: []spot{{main, inputRows(main) + i}}, isTold: true}
	b.Explanation = "the runtime crashes on this node, even in a model of this node alone"
	if !s.Alone {
		b.Explanation = "the runtime crashes on the model up to this node, but not on the part before it"
	}
	return b
}

// valueRows returns the row that computes a value, or else all rows that read it.
func valueRows(m *graphops.Model, p *graphops.Place, value string) []spot {
	w := newWiring(newOutline(m, p), &typing{model: m})
	id, ok := w.index.Value(value)
	if !ok {
		return nil
	}
	if row := w.maker(id); row >= 0 {
		return []spot{{p, row}}
	}
	var out []spot
	for _, row := range w.readers(id) {
		out = append(out, spot{p, row})
	}
	return out
}

// lines explain the error: the cause, a hint, and the values involved.
func (b *blame) lines() []detailLine {
	out := []detailLine{{cells.Prose(b.Explanation), theme.Warning}}
	if b.Hint != "" {
		out = append(out, detailLine{cells.Prose(b.Hint), theme.Plain})
	}
	for _, o := range b.Operands {
		what := "value"
		if o.Side != "" {
			what = string(o.Side)
		}
		out = append(out, detailLine{"  " + what + " " + cells.Prose(o.String()), theme.Plain})
	}
	return out
}

// lastBlame returns the blame of the latest failed job, or nil.
func lastBlame(ws *workspace) *blame {
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
func (ws *workspace) blameAt(row int) *blame {
	b := lastBlame(ws)
	if b == nil {
		return nil
	}
	for _, s := range b.spots {
		if s == (spot{ws.outline.place, row}) {
			return b
		}
	}
	return nil
}

// refusalOf explains why the workbench cannot go to the node that an error is about. It returns ""
// if it can.
func refusalOf(ws *workspace, b *blame) string {
	switch {
	case b == nil:
		return "the last job did not fail, or its error names no node"
	case b.model != ws.model():
		return "the model has changed since the job failed"
	}
	return actions.Unless(len(b.spots) > 0, "the error names no node of this model")
}

// goToFault goes to the row that an error is about. If the error may be about several rows, it asks
// which one.
func goToFault(ws *workspace, b *blame) tea.Cmd {
	goTo := func(s spot) tea.Cmd {
		ws.host.Look(placeDetail)
		return ws.jump(s)
	}
	if len(b.spots) == 1 {
		return goTo(b.spots[0])
	}
	choices := make([]shell.Choice, len(b.spots))
	outlines := map[*graphops.Place]*outline{}
	for i, s := range b.spots {
		o := outlines[s.place]
		if o == nil {
			o = newOutline(b.model, s.place)
			outlines[s.place] = o
		}
		choices[i] = shell.Choice{Label: o.op(s.row) + " " + o.name(s.row), Do: func() tea.Cmd { return goTo(s) }}
	}
	ws.host.Open(shell.NewChooseDialog(ws.host, "one of these", choices))
	return nil
}

// blameLines explain a job's error, and name the key that leads to the node.
func blameLines(ws *workspace, b *blame, p actions.Place) []string {
	if b == nil {
		return nil
	}
	out := []string{""}
	lines := b.lines()
	if b.isTold {
		lines = lines[len(lines)-len(b.Operands):]
	}
	for _, l := range lines {
		out = append(out, l.text)
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
