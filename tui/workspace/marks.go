package workspace

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/graph"
	"lathe/tui/task"
)

// Marks holds the values that the user has chosen as outputs, and what pruning to them would do.
type marks struct {
	Names   []string // raw, in the order of marking
	Changes int      // how often the marks have changed
	prunePreview
	Err error
}

// prunePreview is what pruning to the marked values would do.
type prunePreview struct {
	dropped []bool // by row; nil while it is not known
	Line    string // in one line
}

// Has reports whether a value is marked.
func (m *marks) Has(name string) bool { return slices.Contains(m.Names, name) }

// Drops reports whether pruning to the marked values would remove a row.
func (ws *Workspace) Drops(row int) bool {
	d := ws.Marks.dropped
	return row < len(d) && d[row] && ws.Outline.Place.Kind == graphops.MainGraph
}

// IsMarked reports whether any value of a row is marked.
func (ws *Workspace) IsMarked(row int) bool {
	return len(ws.Marks.Names) > 0 && ws.Outline.Place.Kind == graphops.MainGraph && slices.ContainsFunc(ws.Outline.Markable(row), ws.Marks.Has)
}

// KeepMarks drops the marks of values that the model no longer has.
func (ws *Workspace) KeepMarks() {
	wanted := ws.Marks.Names
	ws.Marks.Names = nil
	if len(wanted) == 0 {
		return
	}
	main := graph.NewOutline(ws.Model(), ws.Model().Places()[0])
	for row := range main.Len() {
		if len(ws.Marks.Names) == len(wanted) {
			return
		}
		for _, name := range main.Markable(row) {
			if slices.Contains(wanted, name) && !ws.Marks.Has(name) {
				ws.Marks.Names = append(ws.Marks.Names, name)
			}
		}
	}
}

// PruneStep returns the step that prunes to the marks.
func (ws *Workspace) PruneStep() (session.Step, error) {
	step := ws.NewStep("prune")
	if step == nil {
		return nil, ErrNoPrune
	}
	return step, SetOption(step, "output", ws.Marks.Names...)
}

// PreviewPrune starts to compute what pruning to the marked values would do. It cancels an earlier
// computation.
func (ws *Workspace) PreviewPrune() tea.Cmd {
	m := &ws.Marks
	ws.pruning.Stop()
	m.Changes++
	m.prunePreview, m.Err = prunePreview{}, nil
	if len(m.Names) == 0 {
		return nil
	}
	step, err := ws.PruneStep()
	if err != nil {
		m.Err = err
		return nil
	}
	q := pruneQuestion{step, ws.QuietEnv(), ws.mainOutline(), slices.Clone(m.Names)}
	return ws.pruning.Ask(ws.Tasks, task.Question[prunePreview]{
		Doing: "previewing the prune",
		Work:  func(ctx context.Context, _ task.Report) (prunePreview, error) { return q.answer(ctx) },
		Take: func(p prunePreview, err error) tea.Cmd {
			m.prunePreview, m.Err = p, err
			return nil
		},
	})
}

// mainOutline returns the outline of the main graph.
func (ws *Workspace) mainOutline() *graph.Outline {
	if ws.Outline.Place.Kind == graphops.MainGraph {
		return ws.Outline
	}
	return graph.NewOutline(ws.Model(), ws.Model().Places()[0])
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
	p, lines, err := PreviewOf(ctx, q.step, q.env, q.outline.Model)
	return prunePreview{q.dropped(p.Keep), Gist(lines)}, err
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
