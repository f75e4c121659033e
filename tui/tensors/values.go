package tensors

import (
	"errors"
	"slices"
	"strings"

	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// valuesKey identifies the values that the pane shows for a row. If it changes, they are taken
// again.
type valuesKey struct {
	at    graph.Spot
	run   *values.Run
	going bool
}

// takeValues puts the values of the row, if there are any, before its constants.
func (p *Pane) takeValues() {
	r := values.At(p.ws, p.At)
	key := valuesKey{p.At, r, r != nil && r.IsGoing()}
	if key == p.valued {
		return
	}
	var shown []values.RowTensor
	switch {
	case r == nil:
	case r.Tensors != nil:
		shown = r.Tensors
	default:
		shown = r.Awaited()
	}
	isNew := r != nil && r != p.valued.run
	p.valued = key
	n := len(p.Constants)
	p.Constants = append(append([]values.RowTensor(nil), shown...), p.stored...)
	at := p.Chosen.Cursor
	if isNew || len(p.Constants) != n {
		at = 0
	}
	if isNew {
		p.Passes.dropValues(r)
		if p.Shown == viewEqual {
			p.Shown = ViewStatistics
		}
	}
	p.Chosen.Reset(len(p.Constants), at)
	p.Chosen.Resize(p.listed())
	p.TurnTo()
}

// dropValues forgets the stored answers about values of earlier runs. They belong to a worker that
// has ended.
func (ps *Passes) dropValues(but *values.Run) {
	ps.Kept = slices.DeleteFunc(ps.Kept, func(a *Answered) bool {
		switch of := a.Of.(type) {
		case *values.Held:
			return of.Lease != but.Lease
		case values.Fed:
			return of.Run != but
		}
		return false
	})
}

// awaitedRun returns the run that computes the chosen tensor, if it has not finished or has failed.
// It is nil if the tensor is there.
func (p *Pane) awaitedRun() *values.Run {
	if c := p.Current(); c != nil && c.Run != nil && c.Run.Tensors == nil {
		return c.Run
	}
	return nil
}

// showsValue reports whether a value of the run is on screen. While it is, the worker keeps the
// values.
func (p *Pane) showsValue(r *values.Run) bool {
	c := p.Current()
	return p.w > 0 && !p.rest.IsOpen() && c != nil && c.Run == r
}

// runLines returns the progress of a run, or why it has failed and what the person can do.
func (p *Pane) runLines(r *values.Run, w int) []string {
	st, keys := p.ws.Styles, p.ws.Keys
	switch {
	case r.Err != nil:
		lines := painted(TroubleLines(r.Err, w), st.Warn)
		if r.Job != nil {
			for _, line := range workspace.BlameLines(p.ws, r.Job.Blame, shell.PlaceMain) {
				lines = append(lines, painted(cells.WrapWords(line, w), st.Name)...)
			}
		}
		return append(append(lines, ""), painted(cells.WrapWords(p.remedies(), w), st.Faint)...)
	case r.Job == nil:
		return painted(cells.WrapWords("waiting for the previous run to end", w), st.Faint)
	}
	lines := r.Job.Status(w)
	if !r.Job.Asked {
		lines = append(lines, keys.Key(workspace.PlaceTensor, ActionStop)+" stops it")
	}
	return painted(lines, st.Faint)
}

// remedies names the keys that may help after a failed run.
func (p *Pane) remedies() string {
	keys := p.ws.Keys
	return keys.Key(shell.PlaceMain, values.ActionValue) + " runs it again, " + keys.Key(shell.PlaceMain, values.ActionValueForm) + " with other inputs or on another provider"
}

// maxLastWords is the maximum number of lines shown of a worker's last output.
const maxLastWords = 12

// TroubleLines returns the whole text of an error. If the worker has crashed, its last output
// follows.
func TroubleLines(err error, w int) []string {
	var out []string
	for _, line := range cells.SafeLines(err.Error()) {
		out = append(out, cells.WrapWords(line, w)...)
	}
	var crash *ort.CrashError
	if !errors.As(err, &crash) || strings.TrimSpace(crash.Stderr) == "" {
		return out
	}
	last := cells.SafeLines(strings.TrimSpace(crash.Stderr))
	out = append(out, "", "the last that it wrote:")
	for _, line := range last[max(len(last)-maxLastWords, 0):] {
		out = append(out, cells.WrapWords(line, w)...)
	}
	return out
}

// noteOdd remembers that NaN or infinities were seen in a value of the row, so that the list can
// mark it.
func (p *Pane) noteOdd(of any, s tensor.Profile) {
	if _, isHeld := of.(*values.Held); isHeld && s.NaN+s.Inf > 0 {
		values.Of(p.ws).Odd[p.At] = true
	}
}
