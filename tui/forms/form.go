package forms

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

const (
	PlaceForm actions.Place = "form"

	ActionRun     actions.Name = "run"
	ActionPreview actions.Name = "preview"
)

// FormActions are the actions of a form.
func FormActions() []actions.Action {
	type it = *Form
	scroll := func(f it, m list.Motion) { f.Preview.Scroll.Act(m) }
	return actions.Of([]actions.Row[it]{
		actions.New(ActionRun, "run", actions.Keys("enter"), it.acceptOrRun),
		actions.New(shell.ActionComplete, "complete, next", actions.Keys("tab"), it.complete),
		actions.New("offer", "list", actions.Keys("ctrl+n"), it.list, it.listRefusal),
		actions.Now(shell.ActionClose, "back, keeps what was typed", actions.Keys("esc"), it.cancel),
		actions.New(ActionPreview, "preview", actions.Keys("ctrl+p"), it.askPreview, it.previewRefusal),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("ctrl+y"), func(f it) tea.Cmd { return f.WS.Copy(f.Command) }),
		actions.New(shell.ActionReset, "all to defaults", actions.Keys("ctrl+r"), it.reset, it.resetRefusal),
		actions.New("next-field", "next field", actions.Keys("down"), func(f it) tea.Cmd { return f.choose(1) }),
		actions.New("previous-field", "previous field", actions.Keys("up", "shift+tab"), func(f it) tea.Cmd { return f.choose(-1) }),
		actions.Motion(list.PageDown, "scroll the preview", actions.Keys("pgdown"), scroll),
		actions.Motion(list.PageUp, "scroll it back", actions.Keys("pgup"), scroll),
	})
}

// Form asks for the options of a step. Its fields are made from Step.Options. At every change, the
// values are set in a new step with Option.Set, so that the form rejects exactly what the command
// would reject.
type Form struct {
	workspace.Attached
	name     string
	Fields   []*field   // in the order of the options
	hasCache bool       // the model has one, which decides about that order
	begun    [][]string // the values with which the form was opened
	offered  [][]string // the same, with the free file name that was found later
	unfolded bool       // rare fields are visible
	Filter   string     // of the folded fields, as it was typed on the fold
	At       int        // the focused line, counted over all visible fields
	first    int        // the first visible row
	// target is the step that the form changes. It is nil if the form runs a new step.
	target *formTarget
	// LeadsBack is true if the form was opened from a dialog that shows the result itself.
	LeadsBack bool
	// Command is the command line that does the same as the form. note is a text before it, such as
	// the steps that must be taken first.
	Command, note string
	Preview       preview
	names         map[namesKey]*names // nil while they are collected
	introspects   bool                // a preview finds the names, not the model
	introspected  session.Introspected
	Offer         offer
	pausing       task.Task[struct{}]
	checking      task.Task[map[string]map[string]string] // what is wrong, by field and value
	checked       bool                                    // the check was for the present values
	w, h          int
	help          []string // of the focused field, wrapped
	helpRows      int
}

// formTarget is the step in the list of steps that a form changes: the step at position at of the
// dialog.
type formTarget struct {
	dialog *StepsDialog
	at     int
}

// OpenForm opens the form of a step with suggested values.
func OpenForm(ws *workspace.Workspace, name string) tea.Cmd {
	return OpenFormFilled(ws, name, nil)
}

// OpenFormWith opens the form of a step with suggested values, and one that was typed already.
func OpenFormWith(ws *workspace.Workspace, name, option, value string) tea.Cmd {
	step := ws.NewStep(name)
	prefill(ws, step, nil)
	if err := workspace.SetOption(step, option, value); err != nil {
		ws.Log.Fail(err)
		return nil
	}
	_, cmd := NewForm(ws, step, nil)
	return cmd
}

// OpenFormFilled opens the form of a step with suggested values. For the options in values, these
// are suggested.
func OpenFormFilled(ws *workspace.Workspace, name string, values map[string][]string) tea.Cmd {
	step := ws.NewStep(name)
	prefill(ws, step, values)
	f, cmd := NewForm(ws, step, nil)
	return tea.Batch(cmd, f.AvoidExisting())
}

// OpenFormAs opens the form of a step with suggested values. For the options in values, these are
// suggested. Values of the last run are not filled in, because values describes a whole run.
func OpenFormAs(ws *workspace.Workspace, name string, values map[string][]string) tea.Cmd {
	step := ws.NewStep(name)
	suggest(ws, step, values)
	f, cmd := NewForm(ws, step, nil)
	return tea.Batch(cmd, f.AvoidExisting())
}

// FillWith opens the form of the step that fills an empty view, and says why the view is empty.
func FillWith(ws *workspace.Workspace, step, why string) tea.Cmd {
	cmd := OpenForm(ws, step)
	ws.Log.Say(fmt.Sprintf("%s; %s runs %s", why, ws.Keys.Key(PlaceForm, ActionRun), step))
	return cmd
}

// openFormOf opens the form of a step with the values that it has.
func openFormOf(ws *workspace.Workspace, step session.Step, target *formTarget) tea.Cmd {
	_, cmd := NewForm(ws, step, target)
	return cmd
}

// NewForm makes a form and opens it.
func NewForm(ws *workspace.Workspace, step session.Step, target *formTarget) (*Form, tea.Cmd) {
	f := &Form{Attached: workspace.Attached{WS: ws}, name: step.Name(), target: target, names: map[namesKey]*names{}}
	_, f.introspects = step.(session.Introspecting)
	if s := ws.Types.Summary; s != nil && s.Roles != nil {
		f.hasCache = len(s.Roles.Pairs) > 0
	}
	for _, o := range session.OptionsFor(step, f.hasCache) {
		f.Fields = append(f.Fields, newField(o))
	}
	f.begun, f.offered = f.values(), f.values()
	if target == nil {
		f.takeDraft()
	}
	f.foldRare()
	ws.Host.Open(f)
	return f, tea.Batch(f.Changed(), f.Collect())
}

// model returns the model that the step would run on, or nil if it is not known yet.
func (f *Form) model() *graphops.Model {
	if f.target != nil {
		return f.target.dialog.base(f.target.at)
	}
	return f.WS.Model()
}

// Place implements shell.Pane.
func (f *Form) Place() actions.Place { return PlaceForm }

// Title implements shell.Dialog.
func (f *Form) Title() string { return f.name + ": " + f.WS.NewStep(f.name).Summary() }

// Box implements shell.Dialog.
func (f *Form) Box(s shell.Screen) cells.Rect { return s.Body }

// step returns a new step with the values of the fields. Fields whose value is rejected, and
// required fields without a value, get an error. ok is false if there is any error.
func (f *Form) step() (s session.Step, ok bool) {
	s, ok = f.WS.NewStep(f.name), true
	options := session.OptionsFor(s, f.hasCache)
	for i, fl := range f.Fields {
		fl.err = fl.apply(options[i])
		ok = ok && fl.err == nil
	}
	return s, ok
}

// Draft returns the step for a preview. Unlike step it accepts an empty output file, because a
// preview writes nothing.
func (f *Form) draft() (s session.Step, ok bool) {
	s, ok = f.step()
	for _, fl := range f.Fields {
		if fl.err != nil && fl.option.Target && fl.isEmpty() {
			fl.err = nil
		}
	}
	return s, ok || !slices.ContainsFunc(f.Fields, func(fl *field) bool { return fl.err != nil })
}

// list lists the names or files that the focused line may have. If they are listed, it selects the
// next one.
func (f *Form) list() tea.Cmd {
	if f.Offer.IsOpen() {
		f.Offer.Move(1)
		return nil
	}
	return f.ask(true)
}

// resetRefusal says why the fields cannot be set to what they are at first, or "".
func (f *Form) resetRefusal() string {
	return actions.Unless(f.target == nil, "the form shows a step that was taken; Esc leaves it as it was")
}

// listRefusal says why nothing can be listed for the focused line, or "".
func (f *Form) listRefusal() string {
	fl, _ := f.Focused()
	_, hasNames := f.keyOf(fl)
	return actions.Unless(hasNames || fl != nil && fl.option.IsPath(), "there are no names or files to list for this field")
}

// complete completes a path, or takes the selected name. If nothing is listed, it goes to the next
// field.
func (f *Form) complete() tea.Cmd {
	switch o := &f.Offer; {
	case o.isFiles && (o.Awaits() || o.IsOpen()):
		fl, line := f.Focused()
		_, typed, _ := fl.option.PathPart(fl.Lines[line].Value())
		return o.Complete(typed, f.writePath)
	case o.IsOpen():
		return f.accept()
	}
	if fl, _ := f.Focused(); fl != nil && f.offersStored(fl) && fl.isEmpty() {
		return f.ask(true)
	}
	return f.move(1)
}

// acceptOrRun takes a name that was selected in the list, goes from the filter to the first field that
// matches, or else runs the step.
func (f *Form) acceptOrRun() tea.Cmd {
	if f.Offer.IsOpen() && f.Offer.Picked {
		return f.accept()
	}
	if f.toMatch() {
		return nil
	}
	return f.run()
}

// choose selects the next or previous name in the list. If no names are listed, it goes to the next or
// previous field.
func (f *Form) choose(by int) tea.Cmd {
	if f.Offer.IsOpen() {
		f.Offer.Move(by)
		return nil
	}
	return f.move(by)
}

// cancel closes the list of names, or clears the filter. If there is neither, it closes the form and keeps what was typed
// for the next time.
func (f *Form) cancel() {
	if f.Offer.IsOpen() {
		f.Offer.close()
		return
	}
	if f.isFold() && f.Filter != "" {
		f.Filter = ""
		return
	}
	f.keepDraft()
	f.close()
}

// IsOpen reports whether the form is on screen, perhaps behind other dialogs.
func (f *Form) isOpen() bool { return slices.Contains(f.WS.Host.Opened(), shell.Dialog(f)) }

func (f *Form) close() {
	f.Preview.stop()
	f.pausing.Stop()
	f.checking.Stop()
	f.Offer.close()
	f.WS.Host.Close(f)
}

// run starts the step and shows its progress. If a value is missing or wrong, it moves the focus
// there instead.
func (f *Form) run() tea.Cmd {
	s, ok := f.step()
	if cmd, stays := f.stays(ok, s); stays {
		return cmd
	}
	if f.target != nil {
		f.close()
		f.target.dialog.replace(f.target.at, s)
		return nil
	}
	v, isValue := s.(*values.Step)
	why := f.WS.StepRefusal(f.name)
	if isValue {
		why = values.ShowRefusal(f.WS) // it may replace another message
	}
	if why != "" {
		f.WS.Log.Say(why)
		return nil
	}
	f.keepFocus()
	f.close()
	if isValue {
		return values.TakeValueForm(f.WS, v)
	}
	remember(f.WS, s)
	if f.LeadsBack {
		return f.WS.Run(s)
	}
	j := f.WS.JobOf(s)
	cmd := f.WS.Start(s, j)
	d := NewResultsDialog(f.WS)
	j.After = d.reopen
	f.WS.Host.Open(d)
	return cmd
}

// move moves the focus by lines and wraps around. The field that it leaves is checked.
func (f *Form) move(by int) tea.Cmd {
	f.Offer.close()
	left, _ := f.Focused()
	n := f.Lines()
	f.At = (f.At + by + n) % n
	if now, _ := f.Focused(); left == nil || now == left {
		return f.Collect()
	}
	left.tell()
	return tea.Batch(f.check(), f.Collect())
}

// Typed implements shell.Typist.
func (f *Form) Typed(k tea.KeyPressMsg) tea.Cmd { return f.edit(k) }

// Pasted implements shell.Typist.
func (f *Form) Pasted(s string) tea.Cmd { return f.edit(tea.PasteMsg{Content: s}) }

func (f *Form) edit(msg tea.Msg) tea.Cmd {
	fl, line := f.Focused()
	if fl == nil {
		if f.isFold() {
			f.typeFilter(msg)
		}
		return nil
	}
	if !fl.Typed(line, msg) {
		return nil
	}
	f.At = min(f.At, f.Lines()-1)
	return tea.Batch(f.Changed(), f.Collect(), f.ask(false))
}
