package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/guide"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// Help opens the help for the present place, unless it is open.
func (a *App) Help() tea.Cmd {
	top := a.dialogs.Top()
	switch {
	case top == nil:
		a.dialogs.Open(guide.NewHelp(a.ws, a.entries(), nil, a.perform))
	case top.Place() != guide.PlaceHelp:
		var page []string
		if e, ok := top.(shell.Explained); ok {
			page = e.Page()
		}
		a.dialogs.Open(guide.NewHelp(a.ws, a.dialogEntries(top), page, a.perform))
	}
	return nil
}

// openPalette opens the palette. Over a dialog it also has the actions of the dialog.
func (a *App) openPalette() tea.Cmd {
	var all []guide.Entry
	if top := a.dialogs.Top(); top != nil {
		all = a.dialogEntries(top)
	}
	named := map[actions.Name]bool{workspace.ActionPalette: true}
	var entries []guide.Entry
	for _, e := range append(all, a.entries()...) {
		if !e.Name.IsMotion() && !named[e.Name] {
			named[e.Name] = true
			entries = append(entries, e)
		}
	}
	entries = append(entries, a.optionEntries()...)
	a.dialogs.Open(guide.NewPalette(a.ws, entries, a.performFrom(a.dialogs.Top())))
	return nil
}

// performFrom returns what performs an action that was found over a dialog. Actions of the main screen close
// the dialogs first, as their own key does.
func (a *App) performFrom(top shell.Dialog) guide.Run {
	return func(act *actions.Action, owner any, word string) tea.Cmd {
		if top == nil || owner == any(top) || a.ws.Keys.Find(shell.PlaceAlways, act.Name) != nil {
			return a.perform(act, owner, word)
		}
		if why := act.Refusal(owner); why != "" {
			a.ws.Log.Say(why)
			return nil
		}
		var cmds []tea.Cmd
		for d := a.dialogs.Top(); d != nil; d = a.dialogs.Top() {
			if cmds = append(cmds, a.Perform(d, shell.ActionClose)); a.dialogs.Top() == d {
				return tea.Batch(cmds...) // it stays, and has said why
			}
		}
		return tea.Batch(append(cmds, a.perform(act, owner, word))...)
	}
}

// perform performs an action of the help or the palette.
func (a *App) perform(act *actions.Action, owner any, word string) tea.Cmd {
	if word == "" {
		return a.run(act, owner)
	}
	if why := act.Refusal(owner); why != "" {
		a.ws.Log.Say(why)
		return nil
	}
	return act.DoWith(owner, word)
}

// dialogEntries returns the actions of a dialog, and those that work everywhere.
func (a *App) dialogEntries(d shell.Dialog) []guide.Entry {
	var out []guide.Entry
	for _, act := range a.ws.Keys.Of(d.Place()) {
		e := guide.NewEntry(a.ws, &act, d)
		e.Where = string(d.Place())
		out = append(out, e)
	}
	for _, act := range a.ws.Keys.Of(shell.PlaceAlways) {
		out = append(out, guide.NewEntry(a.ws, &act, a))
	}
	return out
}

// entries returns the actions of the focused pane, then those of the main screen, then the steps
// without a key and the columns of the list. An action that several places have is listed once.
func (a *App) entries() []guide.Entry {
	var out []guide.Entry
	named := map[actions.Name]bool{}
	pane := a.focused()
	add := func(act actions.Action, owner any, where string) {
		if named[act.Name] {
			return
		}
		named[act.Name] = true
		e := guide.NewEntry(a.ws, &act, owner)
		e.Where = where
		if where == "" && len(act.Keys) > 0 {
			if other := a.ws.Keys.Meaning(pane.Place(), act.Keys[0]); other != nil {
				e.Instead = other.Help
			}
		}
		out = append(out, e)
	}
	for _, act := range a.ws.Keys.Of(pane.Place()) {
		add(act, pane.Pane, pane.Title)
	}
	for _, where := range []actions.Place{shell.PlaceMain, shell.PlaceAlways} {
		for _, act := range a.ws.Keys.Of(where) {
			add(act, a, "")
		}
	}
	for _, act := range a.keyless() {
		add(act, a, "")
	}
	return out
}

// keyless returns actions of the main screen that have no key: the forms of all steps, and the
// columns of the list.
func (a *App) keyless() []actions.Action {
	var rows []actions.Row[*workspace.Workspace]
	for _, s := range a.ws.Options.Steps() {
		rows = append(rows, formAction(s.Name()))
	}
	for _, c := range graph.AllColumns {
		rows = append(rows, columnAction(c))
	}
	return actions.Of(onWorkspace(rows))
}

// optionEntries returns an entry for each option of each step: it opens the form of the step at the
// option. Options that most people set come first, and of those the ones of steps with a key.
func (a *App) optionEntries() []guide.Entry {
	var main, other []guide.Entry
	refusal := a.ws.Busy() // the same for all: the steps exist
	for _, s := range a.ws.Options.Steps() {
		hasKey := a.ws.Keys.Key(shell.PlaceMain, workspace.StepAction(s.Name())) != ""
		options := forms.Reachable(s)
		acts := optionActions(s.Name(), options)
		for i, o := range options {
			e := guide.Entry{Action: &acts[i], Owner: a, Help: acts[i].Help, Refusal: refusal, Option: o.Name}
			if hasKey && o.Standing == session.Main {
				main = append(main, e)
				continue
			}
			other = append(other, e)
		}
	}
	return append(main, other...)
}

// optionActions open the form of a step at each of the options.
func optionActions(step string, options []session.Option) []actions.Action {
	rows := make([]actions.Row[*workspace.Workspace], len(options))
	for i, o := range options {
		help := step + ": " + o.Name + ": " + strings.ReplaceAll(o.Usage, "`", "")
		rows[i] = actions.New(actions.Name("option-"+step+" "+o.Name), help, nil, func(ws *workspace.Workspace) tea.Cmd {
			return forms.OpenFormAt(ws, step, o.Name)
		}, noStep(step))
	}
	return actions.Of(onWorkspace(rows))
}
