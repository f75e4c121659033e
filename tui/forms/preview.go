package forms

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/task"
	"lathe/tui/theme"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// Preview is the preview of a form's step.
type preview struct {
	question task.Task[previewAnswer]
	due      bool      // one begins when the person pauses
	since    time.Time // when it was started, or became due
	Lines    []string
	err      error
	failed   bool // err is for the present values
	looks    theme.Looks
	content  list.Folded
	Scroll   list.Scroll
}

// previewAnswer is a preview in lines, with what it found.
type previewAnswer struct {
	lines []string
	found session.Introspected // nil for most steps
}

// isWaiting reports whether a preview is being made or is due.
func (p *preview) isWaiting() bool { return p.due || p.question.IsOpen() }

// stop cancels a running preview.
func (p *preview) stop() {
	p.question.Stop()
	p.due = false
}

// Changed checks the fields, and starts a preview when the person pauses.
func (f *Form) Changed() tea.Cmd {
	p := &f.Preview
	p.stop()
	s, ok := f.step()
	f.Command, f.note = values.CommandOf(f.WS, s), f.before(s)
	f.checking.Stop() // it is for old values
	f.checked, p.failed = false, false
	p.due, p.since = ok && !f.isBegun() && previewsLive(s) && f.model() != nil, f.WS.Options.Now()
	if !p.due {
		p.Lines, p.err = nil, nil
	}
	return workspace.Afterwards(f.WS, &f.pausing, f.WS.Pause, f.paused)
}

// before returns the text in front of the command line. It says which step the form replaces, or
// that earlier steps have to be taken first.
func (f *Form) before(s session.Step) string {
	if f.target != nil {
		return fmt.Sprintf("in place of step %d: ", f.target.at+1)
	}
	if f.WS.OpensUnsaved(s) {
		return f.WS.Unsaved() + " is the model as it is now, in no file: "
	}
	return workspace.AfterSteps(f.WS, s)
}

// previewsLive reports whether the preview of a step is updated while the person types. That is so
// for steps that write a model, because their preview only plans the change. The preview of other
// steps does all the work, such as running models. They are previewed only on request, as are steps
// that run the user's code.
func previewsLive(s session.Step) bool {
	if _, foreign := s.(session.Introspecting); foreign {
		return false
	}
	_, ok := session.WithRole(s, session.RoleModel)
	return ok
}

// measures reports whether the step is a measurement. Its preview would be the whole measurement.
func (f *Form) measures() bool { return f.name == "bench" || f.name == "profile" }

// previewRefusal says why there is no preview, or "".
func (f *Form) previewRefusal() string {
	return actions.Unless(!f.measures(), "a preview of "+f.name+" would be the whole measurement; "+f.WS.Keys.Key(PlaceForm, ActionRun)+" runs it")
}

// askPreview starts a preview now.
func (f *Form) askPreview() tea.Cmd {
	s, ok := f.draft()
	if !ok || f.isBegun() {
		f.goToError()
		return nil
	}
	m := f.model()
	if m == nil {
		f.WS.Log.Say("the preview needs the changed steps before this one; run them again first")
		return nil
	}
	p := &f.Preview
	f.pausing.Stop()
	p.due, p.since = false, f.WS.Options.Now()
	env := f.WS.Env()
	return p.question.Ask(f.WS.Tasks, task.Question[previewAnswer]{
		Doing: "previewing " + f.name, Watched: true,
		Work: func(ctx context.Context, report task.Report) (previewAnswer, error) {
			env.Progress = report
			p, lines, err := workspace.PreviewOf(ctx, s, env, m)
			found, _ := p.Report.(session.Introspected)
			return previewAnswer{lines, found}, err
		},
		Take: func(a previewAnswer, err error) tea.Cmd {
			p.Lines, p.err, p.failed = a.lines, err, err != nil
			return f.takeIntrospected(a.found)
		},
	})
}

// paused is called when the person has stopped typing. It shows what is wrong with the focused
// field, checks all fields and starts a preview if one is due.
func (f *Form) paused() tea.Cmd {
	if fl, _ := f.Focused(); fl != nil {
		fl.tell()
	}
	if !f.Preview.due {
		return f.check()
	}
	return tea.Batch(f.check(), f.askPreview())
}

// previewText returns the preview. While a new one is made, the old one stays, but faint.
func (f *Form) previewText() (theme.Looks, []string) {
	p, keys := &f.Preview, f.WS.Keys
	switch {
	case p.isWaiting() && p.Lines == nil:
		return theme.Faint, []string{"previewing" + cells.Ellipsis}
	case p.isWaiting():
		return theme.Faint, p.Lines
	case p.err != nil && p.Lines != nil: // a table shows what is wrong
		return theme.Plain, p.Lines
	case p.err != nil:
		return theme.Failure, cells.SafeLines(p.err.Error())
	case p.Lines != nil:
		return theme.Plain, p.Lines
	case f.measures():
		return theme.Faint, []string{keys.Key(PlaceForm, ActionRun) + " runs"}
	default:
		return theme.Faint, []string{keys.Key(PlaceForm, ActionPreview) + " previews; " + keys.Key(PlaceForm, ActionRun) + " runs"}
	}
}

// slow is the time after which the elapsed time of a preview is shown.
const slow = time.Second

// marker says that a preview is being made, and for how long.
func (f *Form) marker() string {
	p := &f.Preview
	if !p.isWaiting() {
		return ""
	}
	if spent := f.WS.Options.Now().Sub(p.since); spent >= slow {
		words := []string{"previewing, " + text.Elapsed(spent.Truncate(slow/10))}
		if progress, _, ok := p.question.Progress(); ok {
			words = append(words, workspace.SaidOf(progress))
		}
		return strings.Join(graph.Present(words), " · ")
	}
	return "previewing"
}

// View draws the visible part of the preview.
func (p *preview) View(st theme.Styles, w int) []string {
	from, to := p.Scroll.Visible()
	out := make([]string, 0, to-from)
	for _, line := range p.content.Lines[from:to] {
		out = append(out, st.Of(p.looks).On(line))
	}
	return cells.Block(out, w, p.Scroll.Height)
}
