package tui

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// probing is the last run that computed the values of a row, and the options for the next run.
type probing struct {
	run *valueRun // nil before the first
	// call has the options that were last accepted in the form for computing values. callAfter is
	// the number of the last job at that time; if run-model has been used since, its options are
	// newer.
	call      session.Call
	callAfter int
	// idle is how long values are kept while nobody looks at them.
	idle time.Duration
	// odd holds the rows that have a value in which NaN or infinities were seen.
	odd map[graph.Spot]bool
}

// valueIdle is how long values are kept while nobody looks at them.
const valueIdle = 2 * time.Minute

var probings workspace.Slot[probing]

// valuesOf returns the last run in a workspace that computed values.
func valuesOf(ws *workspace.Workspace) *probing {
	v := probings.In(ws)
	if v.odd == nil {
		v.idle, v.odd = valueIdle, map[graph.Spot]bool{}
	}
	return v
}

// show says whether a value of the run is in view.
func (v *probing) show(shows bool) {
	if v.run != nil && v.run.lease != nil {
		v.run.lease.show(shows)
	}
}

// isOdd reports whether NaN or infinities were seen in a value of the row.
func isOdd(ws *workspace.Workspace, row int) bool {
	return len(valuesOf(ws).odd) > 0 && valuesOf(ws).odd[graph.Spot{Place: ws.Outline.Place, Row: row}]
}

// valueRun is a run that computes the values of a row, and its result.
type valueRun struct {
	at   graph.Spot
	step *valueStep
	// roles say what each value is to the row, such as an output.
	roles []string
	job   *workspace.Job // nil while the previous run ends
	err   error
	// lease keeps the worker that has the values. It is nil until the run has finished.
	lease *lease
	// tensors are the parts of the values; nil before they are known.
	tensors []rowTensor
}

// isGoing reports whether the run has no result yet.
func (r *valueRun) isGoing() bool { return r.err == nil && r.tensors == nil }

// rowValues returns the names of the values that can be computed for a row: the outputs of its
// node, or the input or output itself.
func rowValues(ws *workspace.Workspace, row int) []string {
	if n := ws.Outline.Node(row); n != nil {
		return graph.Present(n.Outputs())
	}
	return graph.Present([]string{ws.Outline.Port(row).Name})
}

// valueRoles returns what each value is to the row, such as "output 0".
func valueRoles(ws *workspace.Workspace, row int) []string {
	n := ws.Outline.Node(row)
	if n == nil {
		return []string{ws.Outline.Port(row).What}
	}
	var out []string
	for i, name := range n.Outputs() {
		if name != "" {
			out = append(out, fmt.Sprintf("output %d", i))
		}
	}
	return out
}

// valueRefusal explains why the values of a row cannot be computed.
func valueRefusal(ws *workspace.Workspace, row int) string {
	if _, ok := ws.NewStep(proberName).(session.Prober); !ok {
		return "there is no step that runs models"
	}
	if ws.Outline.Place.Kind != graphops.MainGraph {
		return "the values in a body or function cannot be shown; " + ws.Keys.Key(shell.PlaceMain, "leave-body") + " goes to the node that contains it, whose values can be shown"
	}
	if len(rowValues(ws, row)) == 0 {
		return "this row makes no value"
	}
	if j := ws.Jobs.Running(); j != nil && j.Name != valueName {
		return ws.Busy()
	}
	return ""
}

// runValue computes the values of the selected row. It first ends an earlier run, or drops the
// values that are kept from it.
func runValue(ws *workspace.Workspace, s *valueStep) tea.Cmd {
	before := valuesOf(ws).run
	r := &valueRun{at: ws.Here(), step: s, roles: valueRoles(ws, ws.Row())}
	valuesOf(ws).run = r
	if ws.Jobs.Running() != nil {
		ws.Jobs.Cancel()
		return nil // this run begins when that one ends
	}
	return tea.Batch(before.end(), startValue(ws, r))
}

func startValue(ws *workspace.Workspace, r *valueRun) tea.Cmd {
	r.job = &workspace.Job{Name: valueName, Command: commandOf(ws, r.step), Settle: func(err error) tea.Cmd { return settleValue(ws, r, err) }}
	return ws.Start(r.step, r.job)
}

var errRunStopped = errors.New("the run was stopped before it had values")

// settleValue takes the result of a finished run. If a newer run was requested in the meantime, it
// ends the worker of this one and starts the newer.
func settleValue(ws *workspace.Workspace, r *valueRun, err error) tea.Cmd {
	r.job.Settle = nil // the list of jobs keeps the job longer than the values
	switch {
	case r.job.State == workspace.JobCancelled:
		r.err = errRunStopped
	case err != nil:
		r.err = err
	default:
		r.take(r.step.probe, valuesOf(ws).idle)
		r.step.probe = nil
	}
	next := valuesOf(ws).run
	if next == r {
		return nil
	}
	return tea.Batch(r.end(), startValue(ws, next))
}

// end ends the worker that holds the values, in the background.
func (r *valueRun) end() tea.Cmd {
	if r == nil || r.lease == nil {
		return nil
	}
	return workspace.Guarded("ending a worker", func() tea.Msg {
		r.lease.end()
		return nil
	})
}

// quit ends the worker when the program ends, even if its values have not been taken over yet.
func (v *probing) quit() {
	if v.run == nil || v.run.job == nil {
		return
	}
	select {
	case <-v.run.job.Done():
	default:
		return // waiting for it took too long; it ends with this process
	}
	if p := v.run.step.probe; p != nil && v.run.lease == nil {
		newLease(p, 0).end()
	} else if v.run.lease != nil {
		v.run.lease.end()
	}
}

// valuesAt returns the last run of the values of a row. It is nil if the last run was for another
// row.
func valuesAt(ws *workspace.Workspace, at graph.Spot) *valueRun {
	if r := valuesOf(ws).run; r != nil && r.at == at {
		return r
	}
	return nil
}
