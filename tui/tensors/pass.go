package tensors

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// Inquiry is what a view wants to know about a tensor or model. Equal inquiries have the same
// answer.
type Inquiry struct {
	Of   any // a tensorSource, or the *graphops.Model
	What string
}

// Work reads elements to answer an inquiry. It calls progress with the numbers of bytes.
type Work func(ctx context.Context, progress func(done, total int64)) (any, error)

// Answered is an inquiry with its answer or error.
type Answered struct {
	Inquiry
	Value any
	Err   error
}

// MaxAnswers is the maximum number of answers that are kept. The largest kind, a heat map that
// fills the screen, takes a megabyte.
const MaxAnswers = 32

// Passes has the answers of finished passes, and the pass that is running. A pass reads a tensor
// from beginning to end.
type Passes struct {
	Question task.Task[any]
	Asked    Inquiry     // of the running pass
	Kept     []*Answered // the most recently used last
}

// End cancels the running pass.
func (ps *Passes) End() { ps.Question.Stop() }

// isLooked reports whether a pass has been running for so long that its progress is shown.
func (ps *Passes) isLooked() bool {
	_, _, ok := ps.Question.Progress()
	return ok
}

// Answer returns the stored answer to an inquiry. It is nil if there is none yet.
func (ps *Passes) Answer(q Inquiry) *Answered {
	if i := slices.IndexFunc(ps.Kept, func(a *Answered) bool { return a.Inquiry == q }); i >= 0 {
		return ps.Kept[i]
	}
	return nil
}

// Keep stores an answer; if there are too many, it drops the least recently used one.
func (ps *Passes) Keep(a *Answered) {
	ps.Forget(a.Inquiry)
	if ps.Kept = append(ps.Kept, a); len(ps.Kept) > MaxAnswers {
		ps.Kept = slices.Delete(ps.Kept, 0, 1)
	}
}

// Touch marks an answer as the most recently used one.
func (ps *Passes) Touch(a *Answered) {
	if last := len(ps.Kept) - 1; ps.Kept[last] != a {
		ps.Keep(a)
	}
}

// Forget drops the answer to an inquiry.
func (ps *Passes) Forget(q Inquiry) {
	ps.Kept = slices.DeleteFunc(ps.Kept, func(a *Answered) bool { return a.Inquiry == q })
}

// ask starts a pass for what the current view needs, unless the answer is stored or a pass for it
// is running. It cancels a pass for another view.
func (p *Pane) ask() tea.Cmd {
	ps := &p.Passes
	q, f := p.inquiry()
	if f == nil {
		ps.End()
		return nil
	}
	if a := ps.Answer(q); a != nil {
		ps.Touch(a)
		ps.End()
		return nil
	}
	return ps.Begin(p.ws, q, f, p.TakeAnswer)
}

// Begin starts a pass unless it is running already; any other pass is cancelled. Its answer is kept,
// and passed to take.
func (ps *Passes) Begin(ws *workspace.Workspace, q Inquiry, f Work, take func(*Answered)) tea.Cmd {
	if ps.Question.IsOpen() && ps.Asked == q {
		return nil
	}
	ps.Asked = q
	return ps.Question.Ask(ws.Tasks, task.Question[any]{
		Doing: "reading", Watched: true,
		Work: func(ctx context.Context, report task.Report) (any, error) {
			progress := func(done, total int64) {
				report(session.Progress{Phase: "reading", Done: done, Total: total, Unit: "B"})
			}
			progress(0, 0)
			return f(ctx, progress)
		},
		Take: func(value any, err error) tea.Cmd {
			a := &Answered{q, value, err}
			ps.Keep(a)
			take(a)
			return nil
		},
	})
}

// Stop cancels the running pass at the user's wish. It returns false if there is none.
func (ps *Passes) Stop() bool {
	if !ps.Question.Stop() {
		return false
	}
	ps.Keep(&Answered{Inquiry: ps.Asked, Err: errStopped})
	return true
}

// TakeAnswer uses what a pass has found.
func (p *Pane) TakeAnswer(a *Answered) {
	if a.Err != nil {
		return
	}
	switch x := a.Value.(type) {
	case *equality:
		p.Equal.take(x)
	case tensor.Profile:
		p.noteOdd(a.Of, x)
	}
}

var errStopped = errors.New("stopped; what was read so far is discarded")

// Interrupted implements shell.Worker.
func (p *Pane) Interrupted() bool { return p.Passes.Stop() }

// status shows the progress of the running pass. It shows nothing for the first moment, because
// most passes are short.
func (p *Pane) status(w int) []string {
	progress, elapsed, ok := p.Passes.Question.Progress()
	if !ok {
		return nil
	}
	j := workspace.Job{Progress: progress, Elapsed: elapsed}
	return append(j.Status(w), p.ws.Keys.Key(workspace.PlaceTensor, ActionStop)+" stops it")
}

// trouble returns the error of a pass, and the keys that may help.
func (p *Pane) trouble(err error, w int) []string {
	out := append(TroubleLines(err, w), p.ws.Keys.Key(workspace.PlaceTensor, ActionReadAgain)+" reads it again")
	if c := p.Current(); c != nil && c.Run != nil {
		out = append(out, cells.WrapWords(p.remedies(), w)...)
	}
	return out
}
