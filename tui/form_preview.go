package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/theme"
)

// preview is the preview of a form's step.
type preview struct {
	ticket  int
	cancel  context.CancelFunc
	waiting bool
	since   time.Time // when it was started
	*hearing
	lines   []string
	err     error
	failed  bool // err is for the present values
	looks   theme.Looks
	content list.Folded
	scroll  list.Scroll
}

// stop cancels a running preview.
func (p *preview) stop() {
	if p.cancel != nil {
		p.cancel()
	}
}

// changed checks the fields, and starts a preview when the person pauses.
func (f *form) changed() tea.Cmd {
	p := &f.preview
	p.stop()
	p.ticket++
	s, ok := f.step()
	f.command, f.note = f.app.ws.commandOf(s), f.before(s)
	f.checks++ // a running check is for old values
	f.checked, p.failed = false, false
	p.waiting, p.since = ok && !f.isBegun() && previewsLive(s) && f.model() != nil, f.app.ws.o.Now()
	if !p.waiting {
		p.lines, p.err = nil, nil
	}
	ticket := p.ticket
	return tea.Tick(f.app.ws.pause, func(time.Time) tea.Msg { return pauseMsg{f, ticket} })
}

// before returns the text in front of the command line. It says which step the form replaces, or
// that earlier steps have to be taken first.
func (f *form) before(s session.Step) string {
	if f.target != nil {
		return fmt.Sprintf("in place of step %d: ", f.target.at+1)
	}
	return f.app.ws.after(s)
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

// askPreview starts a preview now.
func (f *form) askPreview() tea.Cmd {
	s, ok := f.draft()
	if !ok || f.isBegun() {
		f.goToError()
		return nil
	}
	m := f.model()
	if m == nil {
		f.app.ws.log.say("the preview needs the changed steps before this one; run them again first")
		return nil
	}
	p := &f.preview
	p.stop()
	p.ticket++
	ctx, cancel := context.WithCancel(f.app.ws.ctx)
	p.cancel, p.waiting, p.since, p.hearing = cancel, true, f.app.ws.o.Now(), &hearing{}
	env, ticket := p.env(f.app.ws), p.ticket
	return tea.Batch(guarded("previewing "+f.name, func() tea.Msg {
		p, lines, err := previewOf(ctx, s, env, m)
		found, _ := p.Report.(session.Introspected)
		return formPreviewMsg{f, ticket, lines, found, err}
	}), f.watch(ticket))
}

// previewTickMsg says that it is time to update the elapsed time of a running preview.
type previewTickMsg struct {
	form   *form
	ticket int
}

func (f *form) watch(ticket int) tea.Cmd {
	return tea.Tick(f.app.ws.tasks.Look, func(time.Time) tea.Msg { return previewTickMsg{f, ticket} })
}

// update implements listener.
func (f *form) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pauseMsg:
		if msg.form == f && msg.ticket == f.preview.ticket {
			return f.paused()
		}
	case formPreviewMsg:
		if msg.form == f && msg.ticket == f.preview.ticket {
			f.preview.waiting, f.preview.lines, f.preview.err = false, msg.lines, msg.err
			f.preview.failed = msg.err != nil
			return f.takeIntrospected(msg.found)
		}
	case previewTickMsg:
		if msg.form == f && msg.ticket == f.preview.ticket && f.preview.waiting {
			f.preview.listen()
			return f.watch(msg.ticket)
		}
	case freePathMsg:
		if msg.form == f {
			return f.takePath(msg)
		}
	case namesMsg:
		if msg.form == f {
			return f.takeNames(msg)
		}
	case offerMsg:
		if msg.form == f && msg.ticket == f.offer.ticket {
			f.offer.take(msg)
		}
	case flawsMsg:
		if msg.form == f && msg.ticket == f.checks {
			f.takeFlaws(msg)
		}
	}
	return nil
}

// paused is called when the person has stopped typing. It shows what is wrong with the focused
// field, checks all fields and starts a preview if one is due.
func (f *form) paused() tea.Cmd {
	if fl, _ := f.focused(); fl != nil {
		fl.tell()
	}
	if !f.preview.waiting {
		return f.check()
	}
	return tea.Batch(f.check(), f.askPreview())
}

// previewText returns the preview. While a new one is made, the old one stays, but faint.
func (f *form) previewText() (theme.Looks, []string) {
	p, keys := &f.preview, f.app.ws.keys
	switch {
	case p.waiting && p.lines == nil:
		return theme.Faint, []string{"previewing" + cells.Ellipsis}
	case p.waiting:
		return theme.Faint, p.lines
	case p.err != nil && p.lines != nil: // a table shows what is wrong
		return theme.Plain, p.lines
	case p.err != nil:
		return theme.Failure, cells.SafeLines(p.err.Error())
	case p.lines != nil:
		return theme.Plain, p.lines
	default:
		return theme.Faint, []string{keys.Key(placeForm, actionPreview) + " previews; " + keys.Key(placeForm, actionRun) + " runs"}
	}
}

// slow is the time after which the elapsed time of a preview is shown.
const slow = time.Second

// marker says that a preview is being made, and for how long.
func (f *form) marker() string {
	p := &f.preview
	if !p.waiting {
		return ""
	}
	if spent := f.app.ws.o.Now().Sub(p.since); spent >= slow {
		words := []string{"previewing, " + text.Elapsed(spent.Truncate(slow/10))}
		if p.hearing != nil {
			words = append(words, p.said())
		}
		return strings.Join(present(words), " · ")
	}
	return "previewing"
}

// view draws the visible part of the preview.
func (p *preview) view(st theme.Styles, w int) []string {
	from, to := p.scroll.Visible()
	out := make([]string, 0, to-from)
	for _, line := range p.content.Lines[from:to] {
		out = append(out, st.Of(p.looks).On(line))
	}
	return cells.Block(out, w, p.scroll.Height)
}
