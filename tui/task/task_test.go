package task

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
)

// clock is a clock that only the test moves. Whoever waits for it waits for alarm.
type clock struct {
	now   time.Time
	alarm chan time.Time
	asked time.Duration // for which alarm was requested last
}

func newRunner(ctx context.Context) (*Runner, *clock) {
	c := &clock{now: time.Unix(0, 0), alarm: make(chan time.Time, 1)}
	after := func(d time.Duration) <-chan time.Time {
		c.asked = d
		return c.alarm
	}
	return &Runner{Ctx: ctx, Now: func() time.Time { return c.now }, After: after, Look: time.Second}, c
}

// answers collects what a task has answered.
type answers struct {
	got  []int
	errs []error
}

func (a *answers) take(n int, err error) tea.Cmd {
	a.got, a.errs = append(a.got, n), append(a.errs, err)
	return tea.Quit
}

func (a *answers) question(n int) Question[int] {
	return Question[int]{Doing: "counting", Work: func(context.Context, Report) (int, error) { return n, nil }, Take: a.take}
}

// deliver gives the message of a command to the task, as Update does.
func deliver(t *testing.T, msg tea.Msg) tea.Cmd {
	t.Helper()
	m, ok := msg.(Message)
	if !ok {
		t.Fatalf("the message is %v", msg)
	}
	return m.Take()
}

func TestAnswer(t *testing.T) {
	r, _ := newRunner(t.Context())
	var task Task[int]
	var a answers
	cmd := task.Ask(r, a.question(7))
	if !task.IsOpen() {
		t.Error("the question is not open")
	}
	msg := cmd()
	if len(a.got) != 0 {
		t.Error("the answer is taken before Update gets it")
	}
	if next := deliver(t, msg); next == nil || len(a.got) != 1 || a.got[0] != 7 || a.errs[0] != nil {
		t.Errorf("the answer is %v, %v", a.got, a.errs)
	}
	if task.IsOpen() || task.Stop() {
		t.Error("the question is still open")
	}
	if deliver(t, msg); len(a.got) != 1 {
		t.Error("one answer is taken twice")
	}
}

// TestStaleAnswers drops the answers of a question that was replaced or stopped, at every moment at
// which that can happen.
func TestStaleAnswers(t *testing.T) {
	r, _ := newRunner(t.Context())
	for name, replace := range map[string]func(*Task[int], *answers) tea.Cmd{
		"replaced": func(task *Task[int], a *answers) tea.Cmd { return task.Ask(r, a.question(2)) },
		"stopped": func(task *Task[int], _ *answers) tea.Cmd {
			if !task.Stop() {
				t.Error("nothing is stopped")
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var task Task[int]
			var a answers
			late := task.Ask(r, a.question(1))()
			second := replace(&task, &a)
			if cmd := deliver(t, late); cmd != nil || len(a.got) != 0 {
				t.Errorf("a stale answer is taken: %v", a.got)
			}
			never := task.Ask(r, a.question(3))
			task.Stop()
			if msg := never(); msg != nil {
				t.Errorf("cancelled work answers %v", msg)
			}
			if second != nil && second() != nil {
				t.Error("the second question was replaced too, and answers")
			}
			if task.IsOpen() || len(a.got) != 0 {
				t.Errorf("at the end: %v", a.got)
			}
		})
	}
}

// TestPause waits before the work begins, and does not begin if another question is asked meanwhile.
func TestPause(t *testing.T) {
	r, c := newRunner(t.Context())
	var task Task[int]
	var a answers
	began := 0
	q := a.question(1)
	q.Pause = 200 * time.Millisecond
	q.Work = func(context.Context, Report) (int, error) { began++; return began, nil }
	first := task.Ask(r, q)
	second := task.Ask(r, q)
	if first() != nil || began != 0 {
		t.Error("work begins although the question was replaced")
	}
	done := make(chan tea.Msg)
	go func() { done <- second() }()
	c.alarm <- c.now
	if deliver(t, <-done); began != 1 || len(a.got) != 1 || c.asked != q.Pause {
		t.Errorf("begun %d times after %v, answers %v", began, c.asked, a.got)
	}
}

// TestCancelledWork ends the context of the work when the task or the program stops.
func TestCancelledWork(t *testing.T) {
	for _, name := range []string{"task", "program"} {
		t.Run(name, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			r, _ := newRunner(ctx)
			var task Task[int]
			var a answers
			q := a.question(1)
			q.Work = func(ctx context.Context, _ Report) (int, error) {
				if name == "task" {
					task.Stop()
				} else {
					end()
				}
				return 0, ctx.Err()
			}
			if msg := task.Ask(r, q)(); msg != nil {
				t.Errorf("cancelled work answers %v", msg)
			}
		})
	}
}

// TestErrorsOfWork delivers errors and panics.
func TestErrorsOfWork(t *testing.T) {
	r, _ := newRunner(t.Context())
	broken := errors.New("broken")
	for want, work := range map[string]func(context.Context, Report) (int, error){
		"broken":                          func(context.Context, Report) (int, error) { return 0, broken },
		"counting: internal error: no":    func(context.Context, Report) (int, error) { panic("no") },
		"counting: internal error: index": func(context.Context, Report) (int, error) { panic("index out of range") },
	} {
		var task Task[int]
		var a answers
		q := a.question(0)
		q.Work = work
		deliver(t, task.Ask(r, q)())
		if len(a.errs) != 1 || a.errs[0] == nil || !strings.HasPrefix(a.errs[0].Error(), want) {
			t.Errorf("the error is %v, want %s", a.errs, want)
		}
		if task.IsOpen() {
			t.Errorf("%s: the question is still open", want)
		}
		lines := strings.Split(a.errs[0].Error(), "\n")
		if len(lines) > 1 && (!strings.HasPrefix(lines[1], "goroutine") || !strings.HasPrefix(lines[2], "lathe/tui/task.TestErrorsOfWork")) {
			t.Errorf("%s: the stack begins with %q", want, lines[1:3])
		}
	}
}

// TestProgress looks at a question from time to time. Progress is that of the last look.
func TestProgress(t *testing.T) {
	r, c := newRunner(t.Context())
	var task Task[int]
	var a answers
	q := a.question(1)
	q.Watched = true
	reported, goOn := make(chan struct{}), make(chan struct{})
	q.Work = func(_ context.Context, report Report) (int, error) {
		report(session.Progress{Phase: "counting", Done: 3})
		close(reported)
		<-goOn
		return 1, nil
	}
	batch, ok := task.Ask(r, q)().(tea.BatchMsg)
	if !ok || len(batch) != 2 {
		t.Fatalf("a watched question starts %v", batch)
	}
	answer := make(chan tea.Msg)
	go func() { answer <- batch[0]() }()
	<-reported
	if p, _, ok := task.Progress(); ok || p.Done != 0 {
		t.Errorf("before the first look: %v", p)
	}
	c.alarm <- c.now
	look := batch[1]()
	c.now = c.now.Add(3 * time.Second)
	again := deliver(t, look)
	if p, elapsed, ok := task.Progress(); !ok || p.Done != 3 || elapsed != 3*time.Second {
		t.Errorf("at the first look: %v, %v", p, elapsed)
	}
	close(goOn)
	deliver(t, <-answer)
	if msg := again(); msg != nil || len(a.got) != 1 {
		t.Errorf("after the answer, a look finds %v", msg)
	}
	if p, _, ok := task.Progress(); ok || p.Done != 0 {
		t.Errorf("without a question: %v", p)
	}
}

// TestLateLook is a look that arrives after the question was stopped.
func TestLateLook(t *testing.T) {
	r, c := newRunner(t.Context())
	var task Task[int]
	var a answers
	q := a.question(1)
	q.Watched = true
	batch := task.Ask(r, q)().(tea.BatchMsg)
	c.alarm <- c.now
	late := batch[1]()
	task.Stop()
	if cmd := deliver(t, late); cmd != nil {
		t.Error("a stopped question is looked at again")
	}
}
