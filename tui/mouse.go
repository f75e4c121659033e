package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/cells"
	"lathe/tui/controls"
	"lathe/tui/shell"
)

// point sends a mouse event to the dialog on top, or else to the pane below it.
func (a *App) point(msg tea.MouseMsg) tea.Cmd {
	a.welcome.pressed = true
	m := msg.Mouse()
	p, at, ok := a.under(m.X, m.Y)
	switch msg.(type) {
	case tea.MouseClickMsg:
		a.ws.Log.Showing = false
		if m.Button != tea.MouseLeft {
			return nil
		}
		if a.clickStrip(m.X, m.Y) {
			return nil
		}
		if ok {
			a.lookAt(m.X, m.Y)
			return p.Clicked(m.X-at.X, m.Y-at.Y)
		}
	case tea.MouseWheelMsg:
		if by := controls.Wheel(m.Button); ok && by != 0 {
			return a.wheel(p, by)
		}
	}
	return nil
}

// lookAt gives the focus to the pane under the mouse.
func (a *App) lookAt(x, y int) {
	if a.dialogs.Top() != nil {
		return
	}
	for _, p := range a.panes(a.screen()) {
		if p.at.Holds(x, y) {
			a.Look(p.Panel.Place)
		}
	}
}

// under returns the dialog or pane under the mouse, and its rectangle.
func (a *App) under(x, y int) (shell.Pointed, cells.Rect, bool) {
	s := a.screen()
	if top := a.dialogs.Top(); top != nil {
		r := shell.Inner(top, s)
		p, ok := top.(shell.Pointed)
		return p, r, ok && r.Holds(x, y)
	}
	for _, p := range a.panes(s) {
		if q, ok := p.Pane.(shell.Pointed); ok && p.at.Holds(x, y) {
			return q, p.at, true
		}
	}
	return nil, cells.Rect{}, false
}

// clickStrip shows the pane whose title was clicked, and reports whether one was.
func (a *App) clickStrip(x, y int) bool {
	if a.dialogs.Top() != nil {
		return false
	}
	s := a.screen()
	for r := range shell.Regions {
		at := s.At[r]
		if at.IsEmpty() || len(a.sharing(r)) < 2 || y != at.Y || x < at.X || x >= at.X+at.W {
			continue
		}
		left := at.X
		panes, titles := a.titles(r, at.W)
		for k, i := range panes {
			left += cells.Width(titles[k])
			if x < left {
				a.Look(a.members[i].Panel.Place)
				break
			}
		}
		return true
	}
	return false
}

// flood collects the events of the mouse wheel. Events that arrive faster than the screen should be
// drawn are combined into one movement; otherwise a slow connection would be filled with frames
// that nobody sees. The longer the wheel turns, the fewer frames are drawn.
type flood struct {
	to   shell.Pointed // what is scrolled; nil if no event is waiting
	by   int
	wait time.Duration // until the next frame
}

// The shortest and the longest time between two frames while the wheel turns.
const (
	leastWait = 33 * time.Millisecond
	mostWait  = 150 * time.Millisecond
)

// wheelMsg says that it is time to scroll.
type wheelMsg struct{}

// wheel adds a wheel event to those that wait for the next frame. If none wait, it starts a timer
// for the next frame. If the wheel turns over another pane, the earlier events act first.
func (a *App) wheel(p shell.Pointed, by int) tea.Cmd {
	f := &a.flood
	waits := f.to != nil
	if waits && f.to != p && f.by != 0 {
		f.to.Wheeled(f.by)
		f.by = 0
	}
	f.to, f.by = p, f.by+by
	if waits {
		return nil
	}
	f.wait = max(f.wait, leastWait)
	return f.later()
}

func (f *flood) later() tea.Cmd {
	return tea.Tick(f.wait, func(time.Time) tea.Msg { return wheelMsg{} })
}

// take implements ownAnswer. It scrolls by all collected events and starts a longer timer, so that a
// turning wheel causes few frames. If no event came since the last time, it stops.
func (wheelMsg) take(a *App) tea.Cmd {
	f := &a.flood
	if f.by == 0 {
		*f = flood{}
		return nil
	}
	f.to.Wheeled(f.by)
	f.by, f.wait = 0, min(f.wait*3/2, mostWait)
	return f.later()
}
