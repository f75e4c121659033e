package forms

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

const (
	PlaceSteps actions.Place = "steps"

	ActionRetake actions.Name = "take-again"
)

// StepsActions are the actions of the list of steps.
func StepsActions() []actions.Action {
	type it = *StepsDialog
	return actions.Moving(func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q"), it.close),
		actions.New(shell.ActionEdit, "change", actions.Keys("enter", "e"), it.edit, it.undoneRefusal),
		actions.Now("remove-step", "take away", actions.Keys("x", "delete"), it.remove, it.undoneRefusal),
		actions.Now("move-step-down", "move down", actions.Keys("J"), func(d it) { d.swap(1) }, it.downRefusal),
		actions.Now("move-step-up", "move up", actions.Keys("K"), func(d it) { d.swap(-1) }, it.upRefusal),
		actions.New(ActionRetake, "take them again", actions.Keys("R"), it.retake, it.retakeRefusal),
		actions.Now(shell.ActionReset, "drop the changes", actions.Keys("r"), it.read, it.resetRefusal),
		actions.New("undo", "undo", actions.Keys("u"), func(d it) tea.Cmd { return workspace.UndoStep(d.WS) }, it.draftRefusal, func(d it) string { return workspace.UndoRefusal(d.WS) }),
		actions.New("redo", "redo", actions.Keys("ctrl+r"), func(d it) tea.Cmd { return workspace.RedoStep(d.WS) }, it.draftRefusal, func(d it) string { return workspace.RedoRefusal(d.WS) }),
		shell.HelpRow[it](),
	})
}

// StepsDialog lists the steps of the session and lets a person change the list. Changes are a draft
// until the steps are run again. If that fails, the session stays as it is.
type StepsDialog struct {
	workspace.Attached
	taken    []session.Past // the history from which the draft was made
	Draft    []session.Past
	Undone   []session.Past
	revision int   // revision of the session at that time
	err      error // why the draft could not be run
	Rows     list.Window
	w, h     int
}

// OpenSteps lists the steps that have been run on the model.
func OpenSteps(ws *workspace.Workspace) tea.Cmd {
	d := &StepsDialog{Attached: workspace.Attached{WS: ws}}
	d.read()
	d.Rows.Reset(d.count(), max(len(d.Draft)-1, 0))
	ws.Host.Open(d)
	return nil
}

// StepsRefusal says why there are no steps to list, or "".
func StepsRefusal(ws *workspace.Workspace) string {
	return actions.Unless(len(ws.Session.History())+len(ws.Session.Undone()) > 0, "no step has been taken yet")
}

// read copies the list from the session.
func (d *StepsDialog) read() {
	s := d.WS.Session
	d.taken, d.Undone, d.revision, d.err = s.History(), s.Undone(), s.Revision(), nil
	d.Draft = slices.Clone(d.taken)
	d.Rows.Reset(d.count(), d.Rows.Cursor)
}

func (d *StepsDialog) count() int { return len(d.Draft) + len(d.Undone) }

// kept returns how many steps at the beginning of the draft are unchanged, so that they need not be
// run again.
func (d *StepsDialog) kept() int {
	for i, p := range d.Draft {
		if i >= len(d.taken) || p.Changed != d.taken[i].Changed || !p.Call.Equal(d.taken[i].Call) {
			return i
		}
	}
	return len(d.Draft)
}

func (d *StepsDialog) isChanged() bool {
	return d.kept() < len(d.Draft) || len(d.Draft) < len(d.taken)
}

// Place implements shell.Pane.
func (d *StepsDialog) Place() actions.Place { return PlaceSteps }

// Box implements shell.Dialog.
func (d *StepsDialog) Box(s shell.Screen) cells.Rect { return s.Body }

// Title implements shell.Dialog.
func (d *StepsDialog) Title() string {
	out := text.Plural(len(d.Draft), "step")
	if d.isChanged() {
		out += ", changed"
	}
	return out
}

func (d *StepsDialog) undoneRefusal() string {
	return actions.Unless(d.Rows.Cursor < len(d.Draft), "this step is undone; only steps that are in effect can be changed")
}

func (d *StepsDialog) remove() {
	at := d.Rows.Cursor
	d.Draft = slices.Delete(slices.Clone(d.Draft), at, at+1)
	d.Rows.Reset(d.count(), at)
}

func (d *StepsDialog) upRefusal() string {
	at := d.Rows.Cursor
	return actions.Unless(at > 0 && at < len(d.Draft), "this is the first step; it cannot be moved up")
}

func (d *StepsDialog) retakeRefusal() string {
	return cmp.Or(actions.Unless(d.isChanged(), "the list is unchanged, so there is nothing to run again"), d.WS.Busy())
}

func (d *StepsDialog) resetRefusal() string {
	return actions.Unless(d.isChanged(), "nothing is changed")
}

// draftRefusal explains why the session cannot be changed while the list differs from it.
func (d *StepsDialog) draftRefusal() string {
	key := d.WS.Keys.Key
	return actions.Unless(!d.isChanged(), fmt.Sprintf("the list was changed; %s runs the steps again, %s drops the changes", key(PlaceSteps, ActionRetake), key(PlaceSteps, shell.ActionReset)))
}

func (d *StepsDialog) downRefusal() string {
	return actions.Unless(d.Rows.Cursor+1 < len(d.Draft), "this is the last step; it cannot be moved down")
}

// swap exchanges the step at the cursor with the one before or after it. The cursor follows.
func (d *StepsDialog) swap(by int) {
	from, to := d.Rows.Cursor, d.Rows.Cursor+by
	d.Draft = slices.Clone(d.Draft)
	d.Draft[from], d.Draft[to] = d.Draft[to], d.Draft[from]
	d.Rows.MoveTo(to)
}

// close closes the dialog. If changes would be lost, it asks first.
func (d *StepsDialog) close() {
	shut := func() tea.Cmd {
		d.WS.Host.Close(d)
		return nil
	}
	if !d.isChanged() {
		shut()
		return
	}
	d.WS.Host.Open(shell.NewConfirmDialog(d.WS.Host, "drop the changes", []string{"The changes to the list are lost unless the steps are run again."}, shut))
}

// edit opens the form of the step at the cursor with its values.
func (d *StepsDialog) edit() tea.Cmd {
	ws, at := d.WS, d.Rows.Cursor
	step := ws.NewStep(d.Draft[at].Call.Step)
	if step == nil {
		ws.Log.Say(fmt.Sprintf("there is no step %q", d.Draft[at].Call.Step))
		return nil
	}
	// Values that cannot be set are left empty, and the form then asks for them.
	_ = d.Draft[at].Call.Apply(step, "")
	return openFormOf(d.WS, step, &formTarget{dialog: d, at: at})
}

// base returns the model that a step of the draft would run on. It is nil if an earlier step of the
// draft was changed, because the model is known only after that step has run.
func (d *StepsDialog) base(at int) *graphops.Model {
	if s := d.WS.Session; d.kept() >= at && s.Revision() == d.revision && at < len(d.taken) {
		return s.Before(at)
	}
	return nil
}

// replace replaces a step by one with other options.
func (d *StepsDialog) replace(at int, s session.Step) {
	d.Draft = slices.Clone(d.Draft)
	d.Draft[at].Call = session.CallOf(s)
}

// retake runs the steps again, beginning with the first changed one.
func (d *StepsDialog) retake() tea.Cmd {
	ws, draft := d.WS, d.Draft
	begun, rest := ws.Session.Begin(draft)
	d.err = nil
	cmd := StartRewriting(ws, &Rewriting{Begun: begun, Further: rest}, func(err error) tea.Cmd {
		if err != nil {
			d.err = err
			return nil
		}
		ws.Session.Adopt(begun)
		d.read()
		return ws.ShowModel()
	})
	d.WS.Host.Open(NewResultsDialog(d.WS))
	return cmd
}

// Sync implements shell.Pane.
func (d *StepsDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	if d.revision != d.WS.Session.Revision() && !d.isChanged() {
		d.read()
	}
	d.Rows.Resize(max(h-stepsFoot, 0))
	return nil
}

// Clicked implements shell.Pointed. It selects the step under the mouse.
func (d *StepsDialog) Clicked(_, y int) tea.Cmd {
	if from, to := d.Rows.Visible(); from+y < to {
		d.Rows.MoveTo(from + y)
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (d *StepsDialog) Wheeled(by int) { d.Rows.Scroll(by) }
