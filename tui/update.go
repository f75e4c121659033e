package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"lathe/tui/actions"
	"lathe/tui/controls"
	"lathe/tui/resume"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/theme"
	"lathe/tui/tour"
	"lathe/tui/workspace"
)

// Update implements tea.Model: it routes the message.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := a.route(msg)
	return a, tea.Batch(cmd, a.sync(), a.paint(), a.release())
}

func (a *App) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		a.ws.Styles = theme.StylesOf(a.ws.Options.Theme(msg.IsDark()))
	case tea.KeyPressMsg:
		if a.tour.IsOn() {
			return a.pressOnTour(msg)
		}
		return a.press(msg)
	case tour.KeyMsg:
		return tea.Batch(a.press(msg.Key), a.tour.After(msg))
	case tour.NextMsg:
		if a.tour.Due(msg) {
			return a.tour.Next()
		}
	case tea.PasteMsg:
		if t, ok := a.dialogs.Top().(shell.Typist); ok {
			return t.Pasted(msg.Content)
		}
	case tea.MouseMsg:
		return a.point(msg)
	case uv.PrimaryDeviceAttributesEvent:
		a.pace.answered(msg)
	case task.Message:
		return msg.Take()
	case workspace.Answer:
		return msg.Take(a.ws)
	case ownAnswer:
		return msg.take(a)
	}
	return nil
}

// sync gives every pane and dialog its size, and lets it prepare what it draws.
func (a *App) sync() tea.Cmd {
	a.greet()
	s := a.screen()
	var cmds []tea.Cmd
	for _, p := range a.panes(s) {
		cmds = append(cmds, p.Sync(p.at.W, p.at.H))
	}
	for _, d := range a.dialogs {
		r := shell.Inner(d, s)
		cmds = append(cmds, d.Sync(r.W, r.H))
	}
	return tea.Batch(append(cmds, resume.Note(a.ws))...)
}

// pressOnTour handles a key of the user while the tour is played: Esc and Ctrl-C end the tour, every
// other key goes to its next stop.
func (a *App) pressOnTour(k tea.KeyPressMsg) tea.Cmd {
	if s := k.String(); s == "esc" || s == "ctrl+c" {
		a.tour.End()
		return nil
	}
	return a.tour.Next()
}

// press routes a key: to the dialog on top, or else to the focused pane, or else to the actions of
// the main screen.
func (a *App) press(k tea.KeyPressMsg) tea.Cmd {
	a.welcome.pressed = true
	act := a.ws.Keys.Meaning(shell.PlaceAlways, k.String())
	if act == nil || act.Name != workspace.ActionRedraw { // a redraw keeps the message in the status line
		a.ws.Log.Showing = false
	}
	if act != nil {
		return a.run(act, a)
	}
	if a.isHeld(k) {
		return nil
	}
	return a.act(k)
}

// act carries out the action of a key. The keys that always work have been handled before.
func (a *App) act(k tea.KeyPressMsg) tea.Cmd {
	key, m := k.String(), a.ws.Keys
	if top := a.dialogs.Top(); top != nil {
		if act := m.Meaning(top.Place(), key); act != nil {
			return a.run(act, top)
		}
		if t, ok := top.(shell.Typist); ok {
			return t.Typed(k)
		}
		return a.actBelow(key)
	}
	if act := m.Meaning(a.focused().Place(), key); act != nil {
		return a.run(act, a.focused().Pane)
	}
	if act := m.Meaning(shell.PlaceMain, key); act != nil {
		return a.run(act, a)
	}
	a.sayUnknown(key)
	return nil
}

// actBelow carries out what a key of the main screen does while a dialog without that key is open: help and
// palette open, and other keys are explained.
func (a *App) actBelow(key string) tea.Cmd {
	if act := a.ws.Keys.Meaning(shell.PlaceMain, key); act != nil {
		switch act.Name {
		case shell.ActionHelp:
			return a.Help()
		case workspace.ActionPalette:
			return a.openPalette()
		}
	}
	a.sayUnknown(key)
	return nil
}

// sayUnknown says that a key does nothing at the place where it was pressed, and what it does elsewhere.
func (a *App) sayUnknown(key string) {
	help := a.ws.Keys.Key(shell.PlaceMain, shell.ActionHelp) + " lists the keys"
	spelled := controls.Spell(key)
	if act := a.ws.Keys.Meaning(shell.PlaceMain, key); act != nil {
		a.ws.Log.Say(fmt.Sprintf("%s (%s) works on the main screen: close this first; %s", spelled, act.Help, help))
		return
	}
	a.ws.Log.Say(fmt.Sprintf("%s does nothing here; %s", spelled, help))
}

// Perform performs an action of a pane or dialog, or says why it is not possible.
func (a *App) Perform(p shell.Pane, name actions.Name) tea.Cmd {
	return a.run(a.ws.Keys.Find(p.Place(), name), p)
}

// run performs an action of a pane, a dialog or the main screen, or says why it is not possible.
func (a *App) run(act *actions.Action, owner any) tea.Cmd {
	if why := act.Refusal(owner); why != "" {
		a.ws.Log.Say(why)
		return nil
	}
	return act.Do(owner)
}
