package tui

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
	placeSteps actions.Place = "steps"

	actionRetake actions.Name = "take-again"
)

func stepsActions() []actions.Action {
	type it = *stepsDialog
	return actions.Moving(func(d it, m list.Motion) { d.rows.Act(m) }, []actions.Row[it]{
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q"), it.close),
		actions.New(shell.ActionEdit, "change", actions.Keys("enter", "e"), it.edit, it.undoneRefusal),
		actions.Now("remove-step", "take away", actions.Keys("x", "delete"), it.remove, it.undoneRefusal),
		actions.Now("move-step-down", "move down", actions.Keys("J"), func(d it) { d.swap(1) }, it.downRefusal),
		actions.Now("move-step-up", "move up", actions.Keys("K"), func(d it) { d.swap(-1) }, it.upRefusal),
		actions.New(actionRetake, "take them again", actions.Keys("R"), it.retake, it.retakeRefusal),
		actions.Now(shell.ActionReset, "drop the changes", actions.Keys("r"), it.read, it.resetRefusal),
		actions.New("undo", "undo", actions.Keys("u"), func(d it) tea.Cmd { return d.WS.UndoStep() }, it.draftRefusal, func(d it) string { return d.WS.UndoRefusal() }),
		actions.New("redo", "redo", actions.Keys("ctrl+r"), func(d it) tea.Cmd { return d.WS.RedoStep() }, it.draftRefusal, func(d it) string { return d.WS.RedoRefusal() }),
		shell.HelpRow[it](),
	})
}

// stepsDialog lists the steps of the session and lets a person change the list. Changes are a draft
// until the steps are run again. If that fails, the session stays as it is.
type stepsDialog struct {
	workspace.Attached
	taken    []session.Past // the history from which the draft was made
	draft    []session.Past
	undone   []session.Past
	revision int   // revision of the session at that time
	err      error // why the draft could not be run
	rows     list.Window
	w, h     int
}

func openSteps(ws *workspace.Workspace) tea.Cmd {
	d := &stepsDialog{Attached: workspace.Attached{WS: ws}}
	d.read()
	d.rows.Reset(d.count(), max(len(d.draft)-1, 0))
	ws.Host.Open(d)
	return nil
}

func stepsRefusal(ws *workspace.Workspace) string {
	return actions.Unless(len(ws.Session.History())+len(ws.Session.Undone()) > 0, "no step has been taken yet")
}

// read copies the list from the session.
func (d *stepsDialog) read() {
	s := d.WS.Session
	d.taken, d.undone, d.revision, d.err = s.History(), s.Undone(), s.Revision(), nil
	d.draft = slices.Clone(d.taken)
	d.rows.Reset(d.count(), d.rows.Cursor)
}

func (d *stepsDialog) count() int { return len(d.draft) + len(d.undone) }

// kept returns how many steps at the beginning of the draft are unchanged, so that they need not be
// run again.
func (d *stepsDialog) kept() int {
	for i, p := range d.draft {
		if i >= len(d.taken) || p.Changed != d.taken[i].Changed || !p.Call.Equal(d.taken[i].Call) {
			return i
		}
	}
	return len(d.draft)
}

func (d *stepsDialog) isChanged() bool {
	return d.kept() < len(d.draft) || len(d.draft) < len(d.taken)
}

func (d *stepsDialog) Place() actions.Place          { return placeSteps }
func (d *stepsDialog) Box(s shell.Screen) cells.Rect { return s.Body }

func (d *stepsDialog) Title() string {
	out := text.Plural(len(d.draft), "step")
	if d.isChanged() {
		out += ", changed"
	}
	return out
}

func (d *stepsDialog) undoneRefusal() string {
	return actions.Unless(d.rows.Cursor < len(d.draft), "this step is undone; only steps that are in effect can be changed")
}

func (d *stepsDialog) remove() {
	at := d.rows.Cursor
	d.draft = slices.Delete(slices.Clone(d.draft), at, at+1)
	d.rows.Reset(d.count(), at)
}

func (d *stepsDialog) upRefusal() string {
	at := d.rows.Cursor
	return actions.Unless(at > 0 && at < len(d.draft), "this is the first step; it cannot be moved up")
}

func (d *stepsDialog) retakeRefusal() string {
	return cmp.Or(actions.Unless(d.isChanged(), "the list is unchanged, so there is nothing to run again"), d.WS.Busy())
}

func (d *stepsDialog) resetRefusal() string {
	return actions.Unless(d.isChanged(), "nothing is changed")
}

// draftRefusal explains why the session cannot be changed while the list differs from it.
func (d *stepsDialog) draftRefusal() string {
	key := d.WS.Keys.Key
	return actions.Unless(!d.isChanged(), fmt.Sprintf("the list was changed; %s runs the steps again, %s drops the changes", key(placeSteps, actionRetake), key(placeSteps, shell.ActionReset)))
}

func (d *stepsDialog) downRefusal() string {
	return actions.Unless(d.rows.Cursor+1 < len(d.draft), "this is the last step; it cannot be moved down")
}

// swap exchanges the step at the cursor with the one before or after it. The cursor follows.
func (d *stepsDialog) swap(by int) {
	from, to := d.rows.Cursor, d.rows.Cursor+by
	d.draft = slices.Clone(d.draft)
	d.draft[from], d.draft[to] = d.draft[to], d.draft[from]
	d.rows.MoveTo(to)
}

// close closes the dialog. If changes would be lost, it asks first.
func (d *stepsDialog) close() {
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
func (d *stepsDialog) edit() tea.Cmd {
	ws, at := d.WS, d.rows.Cursor
	step := ws.NewStep(d.draft[at].Call.Step)
	if step == nil {
		ws.Log.Say(fmt.Sprintf("there is no step %q", d.draft[at].Call.Step))
		return nil
	}
	// Values that cannot be set are left empty, and the form then asks for them.
	_ = d.draft[at].Call.Apply(step, "")
	return openFormOf(d.WS, step, &formTarget{dialog: d, at: at})
}

// base returns the model that a step of the draft would run on. It is nil if an earlier step of the
// draft was changed, because the model is known only after that step has run.
func (d *stepsDialog) base(at int) *graphops.Model {
	if s := d.WS.Session; d.kept() >= at && s.Revision() == d.revision && at < len(d.taken) {
		return s.Before(at)
	}
	return nil
}

// replace replaces a step by one with other options.
func (d *stepsDialog) replace(at int, s session.Step) {
	d.draft = slices.Clone(d.draft)
	d.draft[at].Call = session.CallOf(s)
}

// retake runs the steps again, beginning with the first changed one.
func (d *stepsDialog) retake() tea.Cmd {
	ws, draft := d.WS, d.draft
	begun, rest := ws.Session.Begin(draft)
	d.err = nil
	cmd := startRewriting(ws, &rewriting{begun: begun, further: rest}, func(err error) tea.Cmd {
		if err != nil {
			d.err = err
			return nil
		}
		ws.Session.Adopt(begun)
		d.read()
		return ws.ShowModel()
	})
	d.WS.Host.Open(newResultsDialog(d.WS))
	return cmd
}

func (d *stepsDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	if d.revision != d.WS.Session.Revision() && !d.isChanged() {
		d.read()
	}
	d.rows.Resize(max(h-stepsFoot, 0))
	return nil
}

// Clicked implements pointed. It selects the step under the mouse.
func (d *stepsDialog) Clicked(_, y int) tea.Cmd {
	if from, to := d.rows.Visible(); from+y < to {
		d.rows.MoveTo(from + y)
	}
	return nil
}

// Wheeled implements pointed.
func (d *stepsDialog) Wheeled(by int) { d.rows.Scroll(by) }
