package tui

import (
	"cmp"
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
)

// passesQuestion is a preview of the selected simplify passes that is running or has ended. If the
// selection changes, a new one replaces it.
type passesQuestion struct {
	cancel  context.CancelFunc
	began   time.Time
	ended   bool // answered, or stopped
	stopped bool // the person has stopped it
	hearing
	elapsed time.Duration // at the last look at the progress
}

// passesMsg answers a question about passes.
type passesMsg struct {
	dialog   *simplifyDialog
	question *passesQuestion
	found    *passesFound
	err      error
}

// passesTickMsg says that it is time to check the progress of a question.
type passesTickMsg struct {
	dialog   *simplifyDialog
	question *passesQuestion
}

// isOpen reports whether the preview is still running.
func (q *passesQuestion) isOpen() bool { return q != nil && !q.ended }

// stop cancels an open question.
func (q *passesQuestion) stop() {
	if q.isOpen() {
		q.ended = true
		q.cancel()
	}
}

// status says how far an open question is.
func (q *passesQuestion) status() string {
	said := cmp.Or(q.said(), "starting")
	return strings.Join([]string{"finding out: " + said, text.Elapsed(q.elapsed)}, " · ")
}

// ask starts a preview of the selected passes, after a pause in typing. The earlier result stays on
// screen until the new one is ready.
func (d *simplifyDialog) ask() tea.Cmd {
	d.question.stop()
	ws := d.app.ws
	if d.base != ws.model() {
		d.base, d.found, d.seen, d.open = ws.model(), nil, map[string]*passFound{}, map[string]bool{}
		d.arrange()
	}
	s, err := d.step()
	if d.err = err; err != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ws.ctx)
	q := &passesQuestion{cancel: cancel, began: ws.o.Now()}
	d.question = q
	env, base, pause := q.env(ws), d.base, ws.pause
	return tea.Batch(guarded("previewing passes", func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		found, err := findPasses(ctx, s, env, base)
		return passesMsg{d, q, found, err}
	}), q.watch(d))
}

// watch checks the progress of the question after a while.
func (q *passesQuestion) watch(d *simplifyDialog) tea.Cmd {
	return tea.Tick(d.app.ws.lookEvery, func(time.Time) tea.Msg { return passesTickMsg{d, q} })
}

// take implements answer. It shows the progress, and schedules the next look.
func (m passesTickMsg) take(a *App) tea.Cmd {
	q := m.question
	if !q.isOpen() {
		return nil
	}
	q.listen()
	q.elapsed = a.ws.o.Now().Sub(q.began)
	return q.watch(m.dialog)
}

// take implements answer. The dialog takes the answer even while it is set aside.
func (m passesMsg) take(*App) tea.Cmd {
	d := m.dialog
	if m.question != d.question || !m.question.isOpen() {
		return nil
	}
	m.question.stop()
	d.err = m.err
	if m.err != nil {
		d.app.ws.log.fail(m.err)
		return nil
	}
	d.found = m.found
	for name, f := range m.found.by {
		d.seen[name] = f
	}
	d.arrange()
	return nil
}
