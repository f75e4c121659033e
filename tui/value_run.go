package tui

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
)

// probing is the run up to a row that was asked for last, and how to run.
type probing struct {
	run *valueRun // nil before the first
	// call is what the form of values was accepted with, after the job of that
	// number.
	call      session.Call
	callAfter int
	// idle is how long values are held that nobody looks at.
	idle time.Duration
	// odd are the rows of which a value was seen to hold NaN or infinities.
	odd map[spot]bool
}

// valueIdle is how long values are held that nobody looks at.
const valueIdle = 2 * time.Minute

func newProbing() probing { return probing{idle: valueIdle, odd: map[spot]bool{}} }

// show tells whether a value of the run shows.
func (v *probing) show(shows bool) {
	if v.run != nil && v.run.lease != nil {
		v.run.lease.show(shows)
	}
}

// noteOdd marks the row of a value that was seen to hold what is no finite number.
func (p *tensorPane) noteOdd(of any, s tensor.Profile) {
	if _, isHeld := of.(*held); isHeld && s.NaN+s.Inf > 0 {
		p.ws.values.odd[p.at] = true
	}
}

// isOdd reports whether a value of the row was seen to hold NaN or infinities.
func (ws *workspace) isOdd(row int) bool {
	return len(ws.values.odd) > 0 && ws.values.odd[spot{ws.outline.place, row}]
}

// valueRun is a run up to the values that a row makes, and what came of it.
type valueRun struct {
	at   spot
	step *valueStep
	// roles are what the values are in the row.
	roles []string
	job   *job // nil while the run before it ends
	err   error
	// lease is on what a worker holds, nil before it does.
	lease *lease
	// tensors are what the values are made of, nil before they are known.
	tensors []rowTensor
}

// isGoing reports whether nothing has come of it yet.
func (r *valueRun) isGoing() bool { return r.err == nil && r.tensors == nil }

// rowValues are the values that a row stands for: what a node makes, an input, an
// output.
func (ws *workspace) rowValues(row int) []string {
	if n := ws.outline.node(row); n != nil {
		return present(n.Outputs())
	}
	return present([]string{ws.outline.port(row).name})
}

// valueRoles are what those are in the row.
func (ws *workspace) valueRoles(row int) []string {
	n := ws.outline.node(row)
	if n == nil {
		return []string{ws.outline.port(row).what}
	}
	var out []string
	for i, name := range n.Outputs() {
		if name != "" {
			out = append(out, fmt.Sprintf("output %d", i))
		}
	}
	return out
}

// valueRefusal says why the values of a row cannot be made.
func (ws *workspace) valueRefusal(row int) string {
	if _, ok := ws.newStep(proberName).(session.Prober); !ok {
		return "there is no step that runs models"
	}
	if ws.outline.place.Kind != graphops.MainGraph {
		return "values in here exist only while it runs; " + ws.keys.key(placeMain, "leave-body") + " leads to what holds it, which has values"
	}
	if len(ws.rowValues(row)) == 0 {
		return "this row makes no value"
	}
	if j := ws.jobs.running(); j != nil && j.name != valueName {
		return ws.busy()
	}
	return ""
}

// runValue runs up to the values of the selected row. What ran or was held before
// ends first.
func (ws *workspace) runValue(s *valueStep) tea.Cmd {
	before := ws.values.run
	r := &valueRun{at: ws.here(), step: s, roles: ws.valueRoles(ws.row())}
	ws.values.run = r
	if ws.jobs.running() != nil {
		ws.jobs.cancel()
		return nil // its end begins this one
	}
	return tea.Batch(before.end(), ws.startValue(r))
}

func (ws *workspace) startValue(r *valueRun) tea.Cmd {
	r.job = &job{name: valueName, command: ws.commandOf(r.step), settle: func(err error) tea.Cmd { return ws.settleValue(r, err) }}
	return ws.start(r.step, r.job)
}

var errRunStopped = errors.New("stopped before there were values")

// settleValue takes over what a run came to. Another one that was asked for
// meanwhile begins.
func (ws *workspace) settleValue(r *valueRun, err error) tea.Cmd {
	r.job.settle = nil // the list of jobs outlasts the values
	switch {
	case r.job.state == jobCancelled:
		r.err = errRunStopped
	case err != nil:
		r.err = err
	default:
		r.take(r.step.probe, ws.values.idle)
		r.step.probe = nil
	}
	next := ws.values.run
	if next == r {
		return nil
	}
	return tea.Batch(r.end(), ws.startValue(next))
}

// end ends the worker that holds the values, beside the screen.
func (r *valueRun) end() tea.Cmd {
	if r == nil || r.lease == nil {
		return nil
	}
	return guarded("ending a worker", func() tea.Msg {
		r.lease.end()
		return nil
	})
}

// quit ends the worker when the program ends, also one whose values have not been
// taken over.
func (v *probing) quit() {
	if v.run == nil || v.run.job == nil {
		return
	}
	select {
	case <-v.run.job.Done():
	default:
		return // it was not to be waited for, and ends with this process
	}
	if p := v.run.step.probe; p != nil && v.run.lease == nil {
		newLease(p, 0).end()
	} else if v.run.lease != nil {
		v.run.lease.end()
	}
}

// valuesAt is the run that was asked for last if it was that of a row, else nil.
func (ws *workspace) valuesAt(at spot) *valueRun {
	if r := ws.values.run; r != nil && r.at == at {
		return r
	}
	return nil
}
