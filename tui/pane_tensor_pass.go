package tui

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

// inquiry is what a view wants to know about a tensor or model. Equal inquiries have the same
// answer.
type inquiry struct {
	of   any // a tensorSource, or the *graphops.Model
	what string
}

// work reads elements to answer an inquiry. It calls progress with the numbers of bytes.
type work func(ctx context.Context, progress func(done, total int64)) (any, error)

// answered is an inquiry with its answer or error.
type answered struct {
	inquiry
	value any
	err   error
}

// maxAnswers is the maximum number of answers that are kept. The largest kind, a heat map that
// fills the screen, takes a megabyte.
const maxAnswers = 32

// passes has the answers of finished passes, and the pass that is running. A pass reads a tensor
// from beginning to end.
type passes struct {
	question task.Task[any]
	asked    inquiry     // of the running pass
	kept     []*answered // the most recently used last
}

// end cancels the running pass.
func (ps *passes) end() { ps.question.Stop() }

// isLooked reports whether a pass has been running for so long that its progress is shown.
func (ps *passes) isLooked() bool {
	_, _, ok := ps.question.Progress()
	return ok
}

// answer returns the stored answer to an inquiry. It is nil if there is none yet.
func (ps *passes) answer(q inquiry) *answered {
	if i := slices.IndexFunc(ps.kept, func(a *answered) bool { return a.inquiry == q }); i >= 0 {
		return ps.kept[i]
	}
	return nil
}

// keep stores an answer; if there are too many, it drops the least recently used one.
func (ps *passes) keep(a *answered) {
	ps.forget(a.inquiry)
	if ps.kept = append(ps.kept, a); len(ps.kept) > maxAnswers {
		ps.kept = slices.Delete(ps.kept, 0, 1)
	}
}

// touch marks an answer as the most recently used one.
func (ps *passes) touch(a *answered) {
	if last := len(ps.kept) - 1; ps.kept[last] != a {
		ps.keep(a)
	}
}

func (ps *passes) forget(q inquiry) {
	ps.kept = slices.DeleteFunc(ps.kept, func(a *answered) bool { return a.inquiry == q })
}

// ask starts a pass for what the current view needs, unless the answer is stored or a pass for it
// is running. It cancels a pass for another view.
func (p *tensorPane) ask() tea.Cmd {
	ps := &p.passes
	q, f := p.inquiry()
	if f == nil {
		ps.end()
		return nil
	}
	if a := ps.answer(q); a != nil {
		ps.touch(a)
		ps.end()
		return nil
	}
	return ps.begin(p.ws, q, f, p.takeAnswer)
}

// begin starts a pass unless it is running already; any other pass is cancelled. Its answer is kept,
// and passed to take.
func (ps *passes) begin(ws *workspace.Workspace, q inquiry, f work, take func(*answered)) tea.Cmd {
	if ps.question.IsOpen() && ps.asked == q {
		return nil
	}
	ps.asked = q
	return ps.question.Ask(ws.Tasks, task.Question[any]{
		Doing: "reading", Watched: true,
		Work: func(ctx context.Context, report task.Report) (any, error) {
			progress := func(done, total int64) {
				report(session.Progress{Phase: "reading", Done: done, Total: total, Unit: "B"})
			}
			progress(0, 0)
			return f(ctx, progress)
		},
		Take: func(value any, err error) tea.Cmd {
			a := &answered{q, value, err}
			ps.keep(a)
			take(a)
			return nil
		},
	})
}

// stop cancels the running pass at the user's wish. It returns false if there is none.
func (ps *passes) stop() bool {
	if !ps.question.Stop() {
		return false
	}
	ps.keep(&answered{inquiry: ps.asked, err: errStopped})
	return true
}

// takeAnswer uses what a pass has found.
func (p *tensorPane) takeAnswer(a *answered) {
	if a.err != nil {
		return
	}
	switch x := a.value.(type) {
	case *equality:
		p.equal.take(x)
	case tensor.Profile:
		p.noteOdd(a.of, x)
	}
}

var errStopped = errors.New("stopped; what was read so far is discarded")

// Interrupted implements worker.
func (p *tensorPane) Interrupted() bool { return p.passes.stop() }

// status shows the progress of the running pass. It shows nothing for the first moment, because
// most passes are short.
func (p *tensorPane) status(w int) []string {
	progress, elapsed, ok := p.passes.question.Progress()
	if !ok {
		return nil
	}
	j := workspace.Job{Progress: progress, Elapsed: elapsed}
	return append(j.Status(w), p.ws.Keys.Key(workspace.PlaceTensor, actionStop)+" stops it")
}

// trouble returns the error of a pass, and the keys that may help.
func (p *tensorPane) trouble(err error, w int) []string {
	out := append(troubleLines(err, w), p.ws.Keys.Key(workspace.PlaceTensor, actionReadAgain)+" reads it again")
	if c := p.current(); c != nil && c.Run != nil {
		out = append(out, cells.WrapWords(p.remedies(), w)...)
	}
	return out
}
