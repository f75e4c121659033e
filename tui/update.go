package tui

import (
	"lathe/tui/theme"

	tea "charm.land/bubbletea/v2"
)

// Update implements tea.Model: it routes.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := a.route(msg)
	a.sync()
	return a, cmd
}

func (a *App) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		a.ws.styles = theme.StylesOf(a.ws.o.theme(msg.IsDark()))
	case tea.KeyPressMsg:
		return a.press(msg)
	case tea.PasteMsg:
		if t, ok := a.dialogs.top().(typist); ok {
			return t.pasted(msg.Content)
		}
	case wiredMsg:
		a.ws.wired(msg.wiring)
	case foundMsg:
		a.ws.found(msg)
	case prunePreviewMsg:
		a.ws.pruneAnswered(msg)
	case jobTickMsg:
		return a.ws.jobTick(msg)
	case jobDoneMsg:
		return a.ws.jobDone(msg)
	case recipeSavedMsg:
		return a.recipeSaved(msg)
	case brokenMsg:
		a.ws.log.fail(msg.err)
	default:
		return a.tell(msg)
	}
	return nil
}

// tell passes a message on to everyone who may wait for it.
func (a *App) tell(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range a.everyone() {
		if l, ok := p.(listener); ok {
			cmds = append(cmds, l.update(msg))
		}
	}
	return tea.Batch(cmds...)
}

// sync fits everything to the screen and to what has changed.
func (a *App) sync() {
	s := a.screen()
	for _, p := range a.panes(s) {
		p.sync(p.at.W, p.at.H)
	}
	for _, d := range a.dialogs {
		r := inner(d, s)
		d.sync(r.W, r.H)
	}
}

// press routes a key: to the dialog on top, else to the focused pane, else to
// what works everywhere in the main screen.
func (a *App) press(k tea.KeyPressMsg) tea.Cmd {
	a.ws.log.showing = false
	key := k.String()
	if act, ok := actionFor(placeAlways, key); ok {
		return a.perform(a, act)
	}
	if top := a.dialogs.top(); top != nil {
		if act, ok := actionFor(top.place(), key); ok {
			return a.perform(top, act)
		}
		if t, ok := top.(typist); ok {
			return t.typed(k)
		}
		return nil
	}
	if act, ok := actionFor(a.focus.place(), key); ok {
		return a.perform(a.focus, act)
	}
	if act, ok := actionFor(placeMain, key); ok {
		return a.perform(a, act)
	}
	return nil
}

// perform carries out an action, or says why not.
func (a *App) perform(d doer, act action) tea.Cmd {
	if why := d.refusal(act); why != "" {
		a.ws.log.say(why)
		return nil
	}
	return d.do(act)
}
