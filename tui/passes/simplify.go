package passes

import (
	"cmp"
	"fmt"
	"maps"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/simplify"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/search"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

const (
	PlaceSimplify actions.Place = "simplify"

	ActionSimplify actions.Name = "simplify"
)

// Actions are the actions of the list of passes.
func Actions() []actions.Action {
	type it = *Dialog
	return shell.Closable("cancel", it.close, func(d it, m list.Motion) { d.Rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionToggle, "tick", actions.Keys("space"), it.tick, it.tickRefusal),
		actions.New(shell.ActionAccept, "unfold, go to the node", actions.Keys("enter"), it.openLine, it.openRefusal),
		actions.New(shell.ActionTake, "do it", actions.Keys("a"), it.take, it.takeRefusal),
		actions.New(shell.ActionAside, "its nodes in the list", actions.Keys("v"), it.leave, it.leaveRefusal),
		actions.Now("unfold", "unfold", actions.Keys("right", "l"), func(d it) { d.unfoldHere(true) }, it.unfoldRefusal),
		actions.Now("fold", "fold", actions.Keys("left", "h"), func(d it) { d.unfoldHere(false) }, it.foldRefusal),
		actions.New(shell.ActionCopy, "copy the command", actions.Keys("y"), it.copy, it.copyRefusal),
		actions.New(shell.ActionEdit, "all options", actions.Keys("e"), it.edit, it.editRefusal),
		actions.New(shell.ActionCancel, "stop the preview, or start it again", actions.Keys("x"), it.stopOrAsk, it.stopRefusal),
	})
}

// SimplifySite is a node of the original model.
type SimplifySite = rewrite.Site

// Dialog lists the simplify passes and what each would do. Each pass can be switched on or
// off before anything is changed.
type Dialog struct {
	workspace.Attached
	Base   *graphops.Model // the model of the answers
	Passes []simplify.Pass // all passes
	Ticked map[string]bool // the passes that are on

	Question task.Task[*passesFound]
	stopped  bool                  // the person has stopped the preview
	Found    *passesFound          // the latest answer, or nil
	Seen     map[string]*passFound // what each pass found when it ran last
	err      error
	passLines
	W, h int
}

// selectedPasses has the passes of each model that were selected when the dialog was last closed.
var selectedPasses workspace.Slot[map[*graphops.Model]map[string]bool]

// Open shows the preview again if the person left it to look at a node, or else a new one
// with the last selection for this model.
func Open(ws *workspace.Workspace) tea.Cmd {
	if d, ok := workspace.PutAside(ws).(*Dialog); ok {
		ws.Host.Open(d)
		return nil
	}
	d := &Dialog{Attached: workspace.Attached{WS: ws}, Passes: simplify.Passes(), Ticked: map[string]bool{}}
	for _, p := range d.Passes {
		d.Ticked[p.Name] = !p.Optional
	}
	maps.Copy(d.Ticked, (*selectedPasses.In(ws))[ws.Model()])
	ws.Host.Open(d)
	return d.ask()
}

// Step returns the simplify step for the selected passes. If all optional passes are selected, it
// sets the option "fuse" instead of listing them.
func (d *Dialog) Step() (session.Step, error) {
	s := d.WS.NewStep("simplify")
	var without, with []string
	for _, p := range d.Passes {
		switch {
		case p.Optional && d.Ticked[p.Name]:
			with = append(with, p.Name)
		case !p.Optional && !d.Ticked[p.Name]:
			without = append(without, p.Name)
		}
	}
	if on, all := d.Count(true); on == all && all > 0 {
		return s, cmp.Or(workspace.SetOption(s, "exclude", without...), workspace.SetOption(s, "fuse", "true"))
	}
	return s, cmp.Or(workspace.SetOption(s, "exclude", without...), workspace.SetOption(s, "include", with...))
}

// Place implements shell.Pane.
func (d *Dialog) Place() actions.Place { return PlaceSimplify }

// Title implements shell.Dialog.
func (d *Dialog) Title() string { return "simplify: what each pass would change" }

// Box implements shell.Dialog.
func (d *Dialog) Box(s shell.Screen) cells.Rect { return s.Body }

// Wheeled implements shell.Pointed.
func (d *Dialog) Wheeled(by int) { d.Rows.Scroll(by) }

// About implements workspace.Leavable.
func (d *Dialog) About() *graphops.Model { return d.Base }

func (d *Dialog) tickRefusal() string {
	e, _ := d.At()
	return actions.Unless(e.isPass() || e.heading != "", "this line is not a pass")
}

// tick switches the pass at the cursor on or off. On a heading it switches the whole group on, or
// off if all are on.
func (d *Dialog) tick() tea.Cmd {
	e, _ := d.At()
	if e.isPass() {
		d.Ticked[e.Name] = !d.Ticked[e.Name]
		return d.ask()
	}
	on, all := d.Count(e.Optional)
	for _, p := range d.Passes {
		if p.Optional == e.Optional {
			d.Ticked[p.Name] = on < all
		}
	}
	return d.ask()
}

func (d *Dialog) openRefusal() string {
	e, child := d.At()
	if child < 0 {
		return d.unfoldRefusal()
	}
	return actions.Unless(d.Seen[e.Name].finding(child).Leads(), "this is not about a node of the model")
}

func (d *Dialog) foldRefusal() string {
	e, _ := d.At()
	return actions.Unless(d.isOpen(e), "this line is not unfolded")
}

func (d *Dialog) leaveRefusal() string {
	return actions.Unless(len(d.spots(d.At())) > 0, "there is no node that this would change")
}

func (d *Dialog) copyRefusal() string {
	return actions.Unless(d.WS.Session.CanUndo() == "", "no command does this to the file, because the model has been changed here")
}

func (d *Dialog) stopRefusal() string {
	return actions.Unless(d.isStale(), "the preview is finished and up to date")
}

func (d *Dialog) editRefusal() string { return d.WS.StepRefusal("simplify") }

func (d *Dialog) unfoldRefusal() string {
	e, _ := d.At()
	f := d.Seen[e.Name]
	switch {
	case e.isIdle:
		return ""
	case !e.isPass():
		return "there is nothing to unfold here"
	case f == nil && d.Question.IsOpen():
		return "the preview is still running"
	case f == nil:
		return "tick the pass to see what it would change"
	}
	return actions.Unless(f.len() > 0, "this pass finds nothing in this model")
}

func (d *Dialog) takeRefusal() string {
	switch {
	case d.Question.IsOpen():
		return "the preview is still running"
	case d.err != nil:
		return "simplifying is not possible: " + d.err.Error()
	case d.stopped:
		return fmt.Sprintf("the preview was stopped; %s starts it again", d.WS.Keys.Key(PlaceSimplify, shell.ActionCancel))
	case d.Found != nil && !d.Found.Changed():
		return "these passes find nothing to simplify"
	}
	return d.WS.StepRefusal("simplify")
}

// openLine unfolds or folds the pass at the cursor. From a change, it goes to the node.
func (d *Dialog) openLine() tea.Cmd {
	e, child := d.At()
	if child >= 0 {
		return d.leave()
	}
	d.unfold(e, !d.isOpen(e))
	return nil
}

func (d *Dialog) unfoldHere(open bool) {
	e, _ := d.At()
	d.unfold(e, open)
}

// Count returns how many passes of a group are on, and how many there are.
func (d *Dialog) Count(optional bool) (on, all int) {
	for _, p := range d.Passes {
		if p.Optional == optional {
			all++
			if d.Ticked[p.Name] {
				on++
			}
		}
	}
	return on, all
}

// take runs the step and shows its progress.
func (d *Dialog) take() tea.Cmd {
	s, err := d.Step()
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.close()
	cmd := d.WS.Run(s)
	d.WS.Host.Open(forms.NewResultsDialog(d.WS))
	return cmd
}

// copy copies the command that does the same to the file.
func (d *Dialog) copy() tea.Cmd {
	ws := d.WS
	s, err := d.Step()
	if err := cmp.Or(err, workspace.SetOutput(s, workspace.OutputName(ws, "simple"))); err != nil {
		ws.Log.Fail(err)
		return nil
	}
	return ws.Copy(session.CommandOf(s, ws.Options.Path))
}

// edit opens the form of the step with the selection filled in, for options that the dialog does
// not have. The person can return to the dialog.
func (d *Dialog) edit() tea.Cmd {
	s, err := d.Step()
	if err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.WS.Host.Close(d)
	d.WS.Aside = d
	_, cmd := forms.NewForm(d.WS, s, nil)
	return cmd
}

// stopOrAsk cancels a running preview; otherwise it starts one.
func (d *Dialog) stopOrAsk() tea.Cmd {
	if !d.Interrupted() {
		return d.ask()
	}
	return nil
}

// Interrupted implements shell.Worker.
func (d *Dialog) Interrupted() bool {
	if !d.Question.Stop() {
		return false
	}
	d.stopped = true
	return true
}

func (d *Dialog) close() {
	d.Question.Stop()
	selected := selectedPasses.In(d.WS)
	if *selected == nil {
		*selected = map[*graphops.Model]map[string]bool{}
	}
	(*selected)[d.WS.Model()] = d.Ticked
	workspace.Dismiss(d.WS, d)
}

// spots returns the nodes that are highlighted for a line of the list: the nodes that the pass
// changes, or the near misses if the line is one or if the pass changes nothing.
func (d *Dialog) spots(e PassEntry, child int) []graph.Spot {
	f := d.Seen[e.Name]
	switch {
	case f == nil:
		return nil
	case child >= 0 && f.isMiss(child), child < 0 && len(f.spots) == 0:
		return f.missed
	}
	return f.spots
}

// leave goes to the node of a change, or to the first node of its pass, and highlights all of them.
// The dialog is kept, so that the person can return to it.
func (d *Dialog) leave() tea.Cmd {
	e, child := d.At()
	ws, f, spots := d.WS, d.Seen[e.Name], d.spots(e, child)
	goal := graph.Finding{Spot: spots[0]}
	if child >= 0 {
		goal = *f.finding(child)
	}
	what := e.Name
	if goal.Looks != 0 || len(f.spots) == 0 {
		what = "near misses of " + e.Name
	}
	cmd := tea.Batch(ws.StandOut(what, spots), workspace.GoToFinding(d.WS, d, &goal))
	ws.Aside = d
	ws.Log.Say(fmt.Sprintf("%s leads back, %s to the next", ws.Keys.Key(shell.PlaceMain, ActionSimplify), ws.Keys.Key(shell.PlaceMain, search.ActionNextMatch)))
	return cmd
}

// Clicked implements shell.Pointed. A click on the box switches the pass on or off. A click on the line
// selects it, and on the selected line it unfolds it or goes to its node.
func (d *Dialog) Clicked(x, y int) tea.Cmd {
	from, to := d.Rows.Visible()
	row := from + y - len(d.Head(d.W))
	if row < from || row >= to {
		return nil
	}
	again := d.Rows.Cursor == row
	d.Rows.MoveTo(row)
	e, child := d.At()
	switch {
	case child < 0 && e.isPass() && x >= TickAt && x < TickAt+len("[x]"):
		return d.WS.Host.Perform(d, shell.ActionToggle)
	case again:
		return d.WS.Host.Perform(d, shell.ActionAccept)
	}
	return nil
}

// Sync implements shell.Dialog. It makes a new preview if the visible model has changed.
func (d *Dialog) Sync(w, h int) tea.Cmd {
	var cmd tea.Cmd
	if d.Base != d.WS.Model() {
		cmd = d.ask()
	}
	d.W, d.h = w, h
	d.Rows.Resize(max(d.h-len(d.Head(w))-d.foot(), 1))
	return cmd
}
