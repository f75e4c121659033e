package tui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
)

// marks are values that a person has chosen as outputs, and what a prune to
// them would do.
type marks struct {
	names []string // raw, in the order of marking

	ticket  int
	cancel  context.CancelFunc
	dropped []bool // by row; nil while it is not known
	line    string // what the prune would do, in one line
	err     error
}

func (m *marks) has(name string) bool { return slices.Contains(m.names, name) }

// drops reports whether the prune would drop a row.
func (m *marks) drops(row int) bool { return row < len(m.dropped) && m.dropped[row] }

// toggle marks a value, or takes its mark away, and asks anew what a prune
// would do.
func (ws *workspace) toggle(name string) tea.Cmd {
	if i := slices.Index(ws.marks.names, name); i >= 0 {
		ws.marks.names = slices.Delete(ws.marks.names, i, i+1)
	} else {
		ws.marks.names = append(ws.marks.names, name)
	}
	return ws.previewPrune()
}

// markable are the values that a row offers as outputs: what a node makes, or
// the output that an output row stands for.
func (ws *workspace) markable(row int) []string {
	switch k, _ := ws.outline.at(row); k {
	case kindNode:
		return ws.outline.makes(row)
	case kindOutput:
		return ws.outline.reads(row)
	default:
		return nil
	}
}

// isMarked reports whether any value of a row is marked.
func (ws *workspace) isMarked(row int) bool {
	return len(ws.marks.names) > 0 && slices.ContainsFunc(ws.markable(row), ws.marks.has)
}

// unmark takes all marks away.
func (ws *workspace) unmark() {
	ws.marks.names = nil
	ws.previewPrune()
}

// keepMarks drops the marks of values that the model no longer has.
func (ws *workspace) keepMarks() {
	wanted := ws.marks.names
	ws.marks.names = nil
	for row := range ws.outline.len() {
		if len(ws.marks.names) == len(wanted) {
			return
		}
		for _, name := range ws.markable(row) {
			if slices.Contains(wanted, name) && !ws.marks.has(name) {
				ws.marks.names = append(ws.marks.names, name)
			}
		}
	}
}

// pruneStep is the step that prunes to the marks.
func (ws *workspace) pruneStep() (session.Step, error) {
	step := ws.newStep("prune")
	if step == nil {
		return nil, errors.New("there is no step \"prune\"")
	}
	return step, setOption(step, "output", ws.marks.names...)
}

// previewPrune asks what a prune to the marks would do. Any earlier question is
// dropped.
func (ws *workspace) previewPrune() tea.Cmd {
	m := &ws.marks
	if m.cancel != nil {
		m.cancel()
	}
	m.ticket++
	m.dropped, m.line, m.err = nil, "", nil
	if len(m.names) == 0 {
		return nil
	}
	step, err := ws.pruneStep()
	if err != nil {
		m.err = err
		return nil
	}
	ctx, cancel := context.WithCancel(ws.ctx)
	m.cancel = cancel
	ask := pruneQuestion{step, ws.quietEnv(), ws.outline, slices.Clone(m.names)}
	ticket := m.ticket
	return guarded("previewing the prune", func() tea.Msg {
		answer := ask.answer(ctx)
		answer.ticket = ticket
		return answer
	})
}

// pruneQuestion is what the preview of a prune needs.
type pruneQuestion struct {
	step    session.Step
	env     session.Env
	outline *outline
	names   []string
}

func (q pruneQuestion) answer(ctx context.Context) prunePreviewMsg {
	p, lines, err := previewOf(ctx, q.step, q.env, q.outline.model)
	return prunePreviewMsg{dropped: q.dropped(p.Keep), line: gist(lines), err: err}
}

// dropped carries what is kept of the nodes over to the rows: an input goes
// with the last node that reads it, an output unless it is marked.
func (q pruneQuestion) dropped(keep []bool) []bool {
	o, x := q.outline, q.outline.model.Graph().Index()
	if len(keep) != len(o.nodes) {
		return nil
	}
	out := make([]bool, o.len())
	for i, k := range keep {
		out[o.nodeRow(i)] = !k
	}
	for i, v := range o.inputs {
		id, ok := x.Value(v.Name())
		isRead := ok && slices.ContainsFunc(x.Readers(id), func(n int32) bool { return keep[n] })
		out[i] = !isRead
	}
	for i, v := range o.outputs {
		out[o.outputRow(i)] = !slices.Contains(q.names, v.Name())
	}
	return out
}

// pruneAnswered takes the answer to the last question.
func (ws *workspace) pruneAnswered(a prunePreviewMsg) {
	if a.ticket != ws.marks.ticket {
		return
	}
	ws.marks.dropped, ws.marks.line, ws.marks.err = a.dropped, a.line, a.err
}
