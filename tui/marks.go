package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/graph"
	"lathe/tui/task"
)

// marks holds the values that the user has chosen as outputs, and what pruning to them would do.
type marks struct {
	names   []string // raw, in the order of marking
	changes int      // how often the marks have changed
	prunePreview
	err error
}

// prunePreview is what pruning to the marked values would do.
type prunePreview struct {
	dropped []bool // by row; nil while it is not known
	line    string // in one line
}

func (m *marks) has(name string) bool { return slices.Contains(m.names, name) }

// drops reports whether pruning to the marked values would remove a row.
func (ws *workspace) drops(row int) bool {
	d := ws.marks.dropped
	return row < len(d) && d[row] && ws.outline.Place.Kind == graphops.MainGraph
}

// isMarked reports whether any value of a row is marked.
func (ws *workspace) isMarked(row int) bool {
	return len(ws.marks.names) > 0 && ws.outline.Place.Kind == graphops.MainGraph && slices.ContainsFunc(ws.outline.Markable(row), ws.marks.has)
}

// keepMarks drops the marks of values that the model no longer has.
func (ws *workspace) keepMarks() {
	wanted := ws.marks.names
	ws.marks.names = nil
	if len(wanted) == 0 {
		return
	}
	main := graph.NewOutline(ws.model(), ws.model().Places()[0])
	for row := range main.Len() {
		if len(ws.marks.names) == len(wanted) {
			return
		}
		for _, name := range main.Markable(row) {
			if slices.Contains(wanted, name) && !ws.marks.has(name) {
				ws.marks.names = append(ws.marks.names, name)
			}
		}
	}
}

// pruneStep returns the step that prunes to the marks.
func (ws *workspace) pruneStep() (session.Step, error) {
	step := ws.newStep("prune")
	if step == nil {
		return nil, errNoPrune
	}
	return step, setOption(step, "output", ws.marks.names...)
}

// previewPrune starts to compute what pruning to the marked values would do. It cancels an earlier
// computation.
func (ws *workspace) previewPrune() tea.Cmd {
	m := &ws.marks
	ws.pruning.Stop()
	m.changes++
	m.prunePreview, m.err = prunePreview{}, nil
	if len(m.names) == 0 {
		return nil
	}
	step, err := ws.pruneStep()
	if err != nil {
		m.err = err
		return nil
	}
	main := ws.outline
	if main.Place.Kind != graphops.MainGraph {
		main = graph.NewOutline(ws.model(), ws.model().Places()[0])
	}
	q := pruneQuestion{step, ws.quietEnv(), main, slices.Clone(m.names)}
	return ws.pruning.Ask(ws.tasks, task.Question[prunePreview]{
		Doing: "previewing the prune",
		Work:  func(ctx context.Context, _ task.Report) (prunePreview, error) { return q.answer(ctx) },
		Take: func(p prunePreview, err error) tea.Cmd {
			m.prunePreview, m.err = p, err
			return nil
		},
	})
}

// pruneQuestion contains everything that the preview of a prune needs, so that it can run in the
// background.
type pruneQuestion struct {
	step    session.Step
	env     session.Env
	outline *graph.Outline
	names   []string
}

func (q pruneQuestion) answer(ctx context.Context) (prunePreview, error) {
	p, lines, err := previewOf(ctx, q.step, q.env, q.outline.Model)
	return prunePreview{q.dropped(p.Keep), gist(lines)}, err
}

// dropped returns which rows a prune would remove, given which nodes it keeps. An input is removed
// if no remaining node reads it, and an output is removed unless it is marked. It returns nil if
// keep is for another model.
func (q pruneQuestion) dropped(keep []bool) []bool {
	o, x := q.outline, q.outline.Place.Graph.Index()
	if len(keep) != len(o.Nodes) {
		return nil
	}
	out := make([]bool, o.Len())
	for i, k := range keep {
		out[o.NodeRow(i)] = !k
	}
	for i, v := range o.Inputs {
		id, ok := x.Value(v.Name)
		isRead := ok && slices.ContainsFunc(x.Readers(id), func(n int32) bool { return keep[n] })
		out[i] = !isRead
	}
	for i, v := range o.Outputs {
		out[o.OutputRow(i)] = !slices.Contains(q.names, v.Name)
	}
	return out
}
