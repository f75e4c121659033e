package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/list"
)

const (
	placeForm place = "form"

	actionRun       action = "run"
	actionPreview   action = "preview"
	actionNextField action = "next-field"
	actionPrevField action = "previous-field"
)

var formKeys = []binding{
	{actionRun, "run", keys("enter")},
	{actionPreview, "preview", keys("ctrl+p")},
	{actionClose, "cancel", keys("esc")},
	{actionCopy, "copy the command", keys("ctrl+y")},
	{actionNextField, "next field", keys("down", "tab")},
	{actionPrevField, "previous field", keys("up", "shift+tab")},
	{action(list.PageDown), "scroll the preview", keys("pgdown")},
	{action(list.PageUp), "scroll it back", keys("pgup")},
}

// form asks for a step's options. Its fields are made from Step.Options; what
// they hold goes through Option.Set of a fresh step at every change, so that
// the form refuses exactly what the command would.
type form struct {
	app    *App
	name   string
	fields []*field
	at     int // the focused line, over the lines of all fields
	first  int // the first line that shows
	// target is the step that the form changes, nil where it takes a new one.
	target *formTarget
	// command does the same as the form; note tells what must be done before.
	command, note string

	preview preview
	w, h    int
}

// formTarget is a step of a list that a form changes instead of taking it.
type formTarget struct {
	dialog *stepsDialog
	at     int
}

// openForm opens the form of a step, filled in as far as it can be guessed.
func (a *App) openForm(name string) tea.Cmd {
	step := a.ws.newStep(name)
	a.ws.prefill(step)
	return a.openFormOf(step, nil)
}

// openFormOf opens the form of a step with the values that it has.
func (a *App) openFormOf(step session.Step, target *formTarget) tea.Cmd {
	f := &form{app: a, name: step.Name(), target: target}
	for _, o := range step.Options() {
		f.fields = append(f.fields, newField(o))
	}
	a.dialogs.open(f)
	if target != nil {
		return f.changed()
	}
	return tea.Batch(f.changed(), f.avoidExisting())
}

// model is what the step would be taken on, nil where that is not known yet.
func (f *form) model() *graphops.Model {
	if f.target != nil {
		return f.target.dialog.base(f.target.at)
	}
	return f.app.ws.model()
}

func (f *form) place() place            { return placeForm }
func (f *form) title() string           { return f.name + ": " + f.app.ws.newStep(f.name).Summary() }
func (f *form) box(s screen) cells.Rect { return s.body }
func (f *form) refusal(a action) string { return "" }

// step is a fresh step with what the fields hold. A field that holds what its
// option does not take, or nothing where something must be, gets an error.
func (f *form) step() (s session.Step, ok bool) {
	s, ok = f.app.ws.newStep(f.name), true
	options := s.Options()
	for i, fl := range f.fields {
		fl.err = fl.apply(options[i])
		ok = ok && fl.err == nil
	}
	return s, ok
}

func (f *form) do(a action) tea.Cmd {
	switch a {
	case actionNextField:
		f.move(1)
	case actionPrevField:
		f.move(-1)
	case actionRun:
		return f.run()
	case actionPreview:
		return f.ask()
	case actionCopy:
		return f.app.ws.copy(f.command)
	case actionClose:
		f.close()
	default:
		f.preview.scroll.Act(list.Motion(a))
	}
	return nil
}

func (f *form) close() {
	f.preview.stop()
	f.app.dialogs.close(f)
}

// run starts the step and shows how it goes. What is missing or wrong is gone to
// instead.
func (f *form) run() tea.Cmd {
	s, ok := f.step()
	if !ok {
		f.goToError()
		return nil
	}
	if f.target != nil {
		f.close()
		f.target.dialog.replace(f.target.at, s)
		return nil
	}
	if why := f.app.ws.stepRefusal(f.name); why != "" {
		f.app.ws.log.say(why)
		return nil
	}
	f.close()
	cmd := f.app.ws.run(s)
	f.app.dialogs.open(newResultsDialog(f.app))
	return cmd
}

// goToError focuses the first field that has an error, and says it.
func (f *form) goToError() {
	line := 0
	for _, fl := range f.fields {
		if fl.err != nil {
			f.at = line
			f.app.ws.log.fail(fl.err)
			return
		}
		line += len(fl.lines)
	}
}

// move moves the focus by lines, around the ends.
func (f *form) move(by int) {
	n := f.lines()
	f.at = (f.at + by + n) % n
}

// lines is how many lines the fields take; a form has at least one.
func (f *form) lines() int {
	n := 0
	for _, fl := range f.fields {
		n += len(fl.lines)
	}
	return max(n, 1)
}

// focused is the field that has the focus, and which of its lines.
func (f *form) focused() (fl *field, line int) {
	line = f.at
	for _, fl := range f.fields {
		if line < len(fl.lines) {
			return fl, line
		}
		line -= len(fl.lines)
	}
	return nil, 0
}

func (f *form) typed(k tea.KeyPressMsg) tea.Cmd { return f.edit(k) }

func (f *form) pasted(s string) tea.Cmd { return f.edit(tea.PasteMsg{Content: s}) }

func (f *form) edit(msg tea.Msg) tea.Cmd {
	fl, line := f.focused()
	if fl == nil || !fl.typed(line, msg) {
		return nil
	}
	f.at = min(f.at, f.lines()-1)
	return f.changed()
}

// problem is the first error among the fields, as a line.
func (f *form) problem() string {
	for _, fl := range f.fields {
		if fl.err != nil {
			return fmt.Sprint(fl.err)
		}
	}
	return ""
}
