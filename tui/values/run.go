package values

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// probing is the last run that computed the values of a row, and the options for the next run.
type probing struct {
	Run *Run // nil before the first
	// call has the options that were last accepted in the form for computing values. callAfter is
	// the number of the last job at that time; if run-model has been used since, its options are
	// newer.
	call      session.Call
	callAfter int
	// Idle is how long values are kept while nobody looks at them.
	Idle time.Duration
	// Odd holds the rows that have a value in which NaN or infinities were seen.
	Odd map[graph.Spot]bool
}

// valueIdle is how long values are kept while nobody looks at them.
const valueIdle = 2 * time.Minute

var probings workspace.Slot[probing]

// Of returns the last run in a workspace that computed values.
func Of(ws *workspace.Workspace) *probing {
	v := probings.In(ws)
	if v.Odd == nil {
		v.Idle, v.Odd = valueIdle, map[graph.Spot]bool{}
	}
	return v
}

// Show says whether a value of the run is in view.
func (v *probing) Show(shows bool) {
	if v.Run != nil && v.Run.Lease != nil {
		v.Run.Lease.show(shows)
	}
}

// IsOdd reports whether NaN or infinities were seen in a value of the row.
func IsOdd(ws *workspace.Workspace, row int) bool {
	return len(Of(ws).Odd) > 0 && Of(ws).Odd[graph.Spot{Place: ws.Outline.Place, Row: row}]
}

// Run is a run that computes the values of a row, and its result.
type Run struct {
	at   graph.Spot
	step *Step
	// roles say what each value is to the row, such as an output.
	roles []string
	Job   *workspace.Job // nil while the previous run ends
	Err   error
	// Lease keeps the worker that has the values. It is nil until the run has finished.
	Lease *lease
	// Tensors are the parts of the values; nil before they are known.
	Tensors []RowTensor
}

// IsGoing reports whether the run has no result yet.
func (r *Run) IsGoing() bool { return r.Err == nil && r.Tensors == nil }

// RowValues returns the names of the values that can be computed for a row: the outputs of its
// node, or the input or output itself.
func RowValues(ws *workspace.Workspace, row int) []string {
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
	if _, ok := ws.NewStep(ProberName).(reporting.Prober); !ok {
		return "there is no step that runs models"
	}
	if ws.Outline.Place.Kind != graphops.MainGraph {
		return "the values in a body or function cannot be shown; " + ws.Keys.Key(shell.PlaceMain, "leave-body") + " goes to the node that contains it, whose values can be shown"
	}
	if len(RowValues(ws, row)) == 0 {
		return "this row makes no value"
	}
	if j := ws.Jobs.Running(); j != nil && j.Name != StepName {
		return ws.Busy()
	}
	return ""
}

// runValue computes the values of the selected row. It first ends an earlier run, or drops the
// values that are kept from it.
func runValue(ws *workspace.Workspace, s *Step) tea.Cmd {
	before := Of(ws).Run
	r := &Run{at: ws.Here(), step: s, roles: valueRoles(ws, ws.Row())}
	Of(ws).Run = r
	if ws.Jobs.Running() != nil {
		ws.Jobs.Cancel()
		return nil // this run begins when that one ends
	}
	return tea.Batch(before.end(), startValue(ws, r))
}

func startValue(ws *workspace.Workspace, r *Run) tea.Cmd {
	r.Job = &workspace.Job{Name: StepName, Command: CommandOf(ws, r.step), Settle: func(err error) tea.Cmd { return settleValue(ws, r, err) }}
	return ws.Start(r.step, r.Job)
}

var errRunStopped = errors.New("the run was stopped before it had values")

// settleValue takes the result of a finished run. If a newer run was requested in the meantime, it
// ends the worker of this one and starts the newer.
func settleValue(ws *workspace.Workspace, r *Run, err error) tea.Cmd {
	r.Job.Settle = nil // the list of jobs keeps the job longer than the values
	switch {
	case r.Job.State == workspace.JobCancelled:
		r.Err = errRunStopped
	case err != nil:
		r.Err = err
	default:
		r.take(r.step.Result, Of(ws).Idle)
		r.step.Result = nil
	}
	next := Of(ws).Run
	if next == r {
		return nil
	}
	return tea.Batch(r.end(), startValue(ws, next))
}

// end ends the worker that holds the values, in the background.
func (r *Run) end() tea.Cmd {
	if r == nil || r.Lease == nil {
		return nil
	}
	return workspace.Guarded("ending a worker", func() tea.Msg {
		r.Lease.end()
		return nil
	})
}

// Quit ends the worker when the program ends, even if its values have not been taken over yet.
func (v *probing) Quit() {
	if v.Run == nil || v.Run.Job == nil {
		return
	}
	select {
	case <-v.Run.Job.Done():
	default:
		return // waiting for it took too long; it ends with this process
	}
	if p := v.Run.step.Result; p != nil && v.Run.Lease == nil {
		newLease(p, 0).end()
	} else if v.Run.Lease != nil {
		v.Run.Lease.end()
	}
}

// At returns the last run of the values of a row. It is nil if the last run was for another
// row.
func At(ws *workspace.Workspace, at graph.Spot) *Run {
	if r := Of(ws).Run; r != nil && r.at == at {
		return r
	}
	return nil
}
