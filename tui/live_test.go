package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/tui/controls/keytest"
	"lathe/tui/forms"
	"lathe/tui/resume"
)

// live is a workbench whose commands run concurrently, as they do in a terminal, so that the race
// detector can find what they wrongly share with it.
type live struct {
	t    *testing.T
	app  *App
	msgs chan tea.Msg
	open int // commands that have not answered
}

func newLive(t *testing.T, o Options) *live {
	l := &live{t: t, app: New(t.Context(), o), msgs: make(chan tea.Msg, 1000)}
	l.app.ws.Pause, l.app.ws.Tasks.Look = time.Millisecond, time.Millisecond
	l.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	l.start(l.app.Init())
	return l
}

func (l *live) start(cmd tea.Cmd) {
	if cmd != nil {
		l.open++
		go func() { l.msgs <- cmd() }()
	}
}

func (l *live) send(msg tea.Msg) {
	_, cmd := l.app.Update(msg)
	_ = l.app.View()
	l.start(cmd)
}

func (l *live) handle(msg tea.Msg) {
	l.open--
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			l.start(cmd)
		}
	default:
		l.send(msg)
	}
}

// press presses keys and handles the answers that arrive in between.
func (l *live) press(keys ...string) {
	l.t.Helper()
	for _, k := range keys {
		l.send(keytest.Press(l.t, k))
		for range len(l.msgs) {
			l.handle(<-l.msgs)
		}
	}
}

// until handles answers until a condition holds.
func (l *live) until(what string, holds func() bool) {
	l.t.Helper()
	late := time.After(2 * time.Minute)
	for !holds() {
		select {
		case m := <-l.msgs:
			l.handle(m)
		case <-late:
			l.t.Fatalf("%s: not after 20 s\n%s", what, l.app.View().Content)
		}
	}
}

// steady is a step that makes a new model and reports progress until it is released.
func steady(release <-chan struct{}) session.Step {
	s := fakeAxes().(*fakeStep)
	s.run = func(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
		for i := int64(0); ; i++ {
			env.Progress(session.Progress{Phase: "working", Done: i, Total: 1 << 40, Unit: "B"})
			select {
			case <-ctx.Done():
				return session.Result{}, ctx.Err()
			case <-release:
				return session.Result{Model: graphops.Edit(m).Model(), Report: words("worked")}, nil
			case <-time.After(100 * time.Microsecond):
			}
		}
	}
	s.preview = func(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
		return session.Preview{Report: words("would work")}, nil
	}
	return s
}

// TestBrowsingWhileAJobRuns moves, searches, opens forms and lists, marks and undoes while a job
// runs: the job's result is dropped if its model is no longer current, and otherwise taken.
func TestBrowsingWhileAJobRuns(t *testing.T) {
	o := keptOptions(t)
	release := make(chan struct{})
	o.Steps = func() []session.Step { return []session.Step{fakePrune(), steady(release), fakeExport(), fakeNaming()} }
	l := newLive(t, o)
	ws := l.app.ws
	idle := func() bool { return ws.Jobs.Running() == nil }
	browse := strings.Fields("j j j l esc space tab j tab / r e l u enter n esc [ ] R j esc L esc e j o ctrl+n down tab esc : u n d o esc < esc c j space esc v j j esc x")
	l.press("j", "j", "j", "j", "j", "space", "p")
	l.until("the prune", func() bool { return len(ws.Session.History()) == 1 })
	for _, undo := range []bool{true, false} {
		l.press("a", "enter", "esc")
		l.until("progress", func() bool { return ws.Jobs.Running() != nil && ws.Jobs.Running().Progress.Phase == "working" })
		for range 5 {
			l.press(browse...)
		}
		if undo {
			l.press("esc", "u")
		}
		release <- struct{}{}
		l.until("the end of the job", idle)
		if got, want := len(ws.Session.History()), 1; undo && got != 0 || !undo && got != want {
			t.Errorf("undone %v: %d steps are there", undo, got)
		}
	}
	l.press("a", "enter")
	l.until("progress", func() bool { return !idle() && ws.Jobs.Running().Progress.Phase == "working" })
	l.press("ctrl+c")
	l.until("the end of the job", idle)
	if err := resume.EndKeeping(ws); err != nil {
		t.Error(err)
	}
	if n := journals(t, o); n != 1 {
		t.Errorf("%d journals are left, want 1", n)
	}
}

func TestTooMuchForAForm(t *testing.T) {
	var model strings.Builder
	model.WriteString("input x f32\n")
	last := "x"
	for range forms.MaxFilled + 1 {
		next := last + "i"
		model.WriteString("n" + next + ": " + next + " = Relu(" + last + ")\n")
		last = next
	}
	d := newDesk(t, graphtest.Model(t, model.String()+"output "+last+" f32"), 100, 30)
	useNaming(d)
	d.press("v", "G")
	guess := forms.EditGuesses(d.app.ws, "delete")["node"]
	if len(guess) != forms.MaxFilled+1 {
		t.Fatalf("the range has %d nodes", len(guess))
	}
	d.app.ws.Options.Steps = func() []session.Step {
		s := fakeNaming().(*fakeStep)
		s.name = "delete"
		return []session.Step{s}
	}
	d.press(":").write("delete").press("enter")
	d.sees("201 names are too many to fill in for --node; the form takes at most 200")
	if valuesOf(d, "node") != "" {
		t.Error("some of them are filled in")
	}
}
