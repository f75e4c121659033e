package tui

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/task"
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

// pass is the background work that answers an inquiry.
type pass struct {
	inquiry
	cancel      context.CancelFunc
	ended       chan struct{}
	begun       time.Time
	done, total atomic.Int64 // bytes
}

// maxAnswers is the maximum number of answers that are kept. The largest kind, a heat map that
// fills the screen, takes a megabyte.
const maxAnswers = 32

// passes has the answers of finished passes, and the pass that is running. A pass reads a tensor
// from beginning to end.
type passes struct {
	running *pass
	looked  *look       // at the running pass, nil before the first
	kept    []*answered // the most recently used last
}

// look is the progress of the running pass for drawing. It is updated from time to time.
type look struct {
	progress session.Progress
	elapsed  time.Duration
}

// passTickMsg says that it is time to look at the progress of a pass. passedMsg delivers its
// result.
type (
	passTickMsg struct{ pass *pass }
	passedMsg   struct {
		pass  *pass
		value any
		err   error
	}
)

// end cancels the running pass.
func (ps *passes) end() {
	if ps.running != nil {
		ps.running.cancel()
		ps.running, ps.looked = nil, nil
	}
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
	return ps.begin(p.ws, q, f)
}

// begin starts a pass unless it is running already; any other pass is canceled.
func (ps *passes) begin(ws *workspace, q inquiry, f work) tea.Cmd {
	if ps.running != nil && ps.running.inquiry == q {
		return nil
	}
	ps.end()
	ctx, cancel := context.WithCancel(ws.ctx)
	r := &pass{inquiry: q, cancel: cancel, ended: make(chan struct{}), begun: ws.o.Now()}
	ps.running = r
	return tea.Batch(r.run(ctx, f), r.watch(ws.tasks.Look))
}

// run is the command that does the work. A panic becomes the error of the pass.
func (r *pass) run(ctx context.Context, f work) tea.Cmd {
	return func() (msg tea.Msg) {
		m := passedMsg{pass: r}
		defer close(r.ended)
		defer func() {
			if broken := recover(); broken != nil {
				m.err = task.Panic(broken)
			}
			msg = m
		}()
		m.value, m.err = f(ctx, func(done, total int64) {
			r.done.Store(done)
			r.total.Store(total)
		})
		return m
	}
}

// watch waits until it is time to check the progress of a pass.
func (r *pass) watch(lookEvery time.Duration) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(lookEvery)
		defer timer.Stop()
		select {
		case <-timer.C:
			return passTickMsg{r}
		case <-r.ended:
			return nil
		}
	}
}

// look stores the progress of the pass for drawing, and schedules the next look.
func (ps *passes) look(ws *workspace, r *pass) tea.Cmd {
	if r != ps.running {
		return nil
	}
	ps.looked = &look{
		session.Progress{Phase: "reading", Done: r.done.Load(), Total: r.total.Load(), Unit: "B"},
		ws.o.Now().Sub(r.begun),
	}
	return r.watch(ws.tasks.Look)
}

// takeAnswer stores the result of a pass, unless another pass has replaced it.
func (p *tensorPane) takeAnswer(m passedMsg) {
	if m.pass != p.passes.running {
		return
	}
	p.passes.end()
	a := &answered{m.pass.inquiry, m.value, m.err}
	p.passes.keep(a)
	if m.err != nil {
		return
	}
	switch x := m.value.(type) {
	case *equality:
		p.equal.take(x)
	case tensor.Profile:
		p.noteOdd(m.pass.of, x)
	}
}

var errStopped = errors.New("stopped; what was read so far is discarded")

// interrupted implements worker.
func (p *tensorPane) interrupted() bool {
	if p.passes.running == nil {
		return false
	}
	p.stop()
	return true
}

// stop cancels the running pass at the user's wish.
func (p *tensorPane) stop() {
	q := p.passes.running.inquiry
	p.passes.end()
	p.passes.keep(&answered{inquiry: q, err: errStopped})
}

// status shows the progress of the running pass. It shows nothing for the first moment, because
// most passes are short.
func (p *tensorPane) status(w int) []string {
	l := p.passes.looked
	if l == nil {
		return nil
	}
	j := job{progress: l.progress, elapsed: l.elapsed}
	return append(j.status(w), p.ws.keys.Key(placeTensor, actionStop)+" stops it")
}

// trouble returns the error of a pass, and the keys that may help.
func (p *tensorPane) trouble(err error, w int) []string {
	out := append(troubleLines(err, w), p.ws.keys.Key(placeTensor, actionReadAgain)+" reads it again")
	if c := p.current(); c != nil && c.run != nil {
		out = append(out, cells.WrapWords(p.remedies(), w)...)
	}
	return out
}
