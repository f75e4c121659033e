package files

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/comparison"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// PlaceLeave is the place of the question before leaving.
const PlaceLeave actions.Place = "leave"

// LeaveActions are the actions of the question before leaving.
func LeaveActions() []actions.Action {
	type it = *leaveDialog
	return actions.Of([]actions.Row[it]{
		actions.Now(shell.ActionNext, "next", actions.Keys("down", "j"), func(d it) { d.rows.Act(list.Down) }),
		actions.Now(shell.ActionPrev, "previous", actions.Keys("up", "k"), func(d it) { d.rows.Act(list.Up) }),
		actions.New(shell.ActionAccept, "do it", actions.Keys("enter"), it.accept),
		actions.New("write", "write the model and leave", actions.Keys("w"), it.write, it.writeRefusal),
		actions.New("recipe", "save the steps as a recipe and leave", actions.Keys("s"), it.recipe, it.recipeRefusal),
		actions.New("leave", "leave without saving", actions.Keys("y"), it.leave),
		actions.Now(shell.ActionClose, "stay", actions.Keys("esc", "n", "q"), shell.Shut[it]),
	})
}

// Leave calls end. If something would be lost, it asks first and offers to save it.
func Leave(ws *workspace.Workspace, what string, end func() tea.Cmd) tea.Cmd {
	why := losses(ws)
	if len(why) == 0 {
		return end()
	}
	if top := ws.Host.Top(); top == nil || top.Place() != PlaceLeave {
		d := &leaveDialog{Attached: workspace.Attached{WS: ws}, what: what, why: why, end: end}
		d.offered = d.offers()
		d.rows.N = len(d.offered)
		ws.Host.Open(d)
	}
	return nil
}

// leaveDialog asks what to do with work that would be lost.
type leaveDialog struct {
	workspace.Attached
	what    string
	why     []string
	end     func() tea.Cmd
	offered []actions.Name
	rows    list.Window
	w, h    int
}

// offers returns what the dialog lists: what can be saved, then leaving.
func (d *leaveDialog) offers() []actions.Name {
	var out []actions.Name
	if d.writeRefusal() == "" {
		out = append(out, "write")
	}
	if d.recipeRefusal() == "" {
		out = append(out, "recipe")
	}
	return append(out, "leave", shell.ActionClose)
}

// Place implements shell.Pane.
func (d *leaveDialog) Place() actions.Place { return PlaceLeave }

// Title implements shell.Dialog.
func (d *leaveDialog) Title() string { return d.what + "?" }

// Box implements shell.Dialog.
func (d *leaveDialog) Box(s shell.Screen) cells.Rect {
	return s.Body.Centred(60, len(d.words(60-2*shell.FramePad))+len(d.offered)+3)
}

// Said implements shell.Pane.
func (d *leaveDialog) Said() string {
	return d.Title() + " " + strings.Join(d.why, " ") + " " + d.help(d.offered[d.rows.Cursor])
}

// Sync implements shell.Pane.
func (d *leaveDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.rows.Resize(len(d.offered))
	return nil
}

func (d *leaveDialog) words(w int) []string {
	var out []string
	for _, line := range d.why {
		out = append(out, cells.Wrap(line, w)...)
	}
	return out
}

func (d *leaveDialog) help(n actions.Name) string { return d.WS.Keys.Find(PlaceLeave, n).Help }

// View implements shell.Pane.
func (d *leaveDialog) View(bool) []string {
	lines := append(d.words(d.w), "")
	for i, n := range d.offered {
		looks, lead := theme.Paint(""), "  "
		if i == d.rows.Cursor {
			looks, lead = d.WS.Styles.Selected, "› "
		}
		lines = append(lines, looks.On(cells.Fit(lead+cells.Fit(d.WS.Keys.Key(PlaceLeave, n), 5)+d.help(n), d.w)))
	}
	return cells.Block(lines, d.w, d.h)
}

// Clicked implements shell.Pointed. It does what is under the mouse.
func (d *leaveDialog) Clicked(_, y int) tea.Cmd {
	if i := y - len(d.words(d.w)) - 1; i >= 0 && i < len(d.offered) {
		return d.WS.Host.Perform(d, d.offered[i])
	}
	return nil
}

// At returns the position of the selected choice.
func (d *leaveDialog) At() int { return d.rows.Cursor }

// Wheeled implements shell.Pointed.
func (d *leaveDialog) Wheeled(by int) { d.rows.Scroll(by) }

func (d *leaveDialog) accept() tea.Cmd { return d.WS.Host.Perform(d, d.offered[d.rows.Cursor]) }

// leave leaves without saving. Marks are part of what is given up: the next start should not cut there.
func (d *leaveDialog) leave() tea.Cmd {
	d.WS.Marks.Names = nil
	d.WS.Host.Close(d)
	return d.end()
}

func (d *leaveDialog) write() tea.Cmd {
	d.WS.Host.Close(d)
	return WriteThen(d.WS, d.end)
}

func (d *leaveDialog) recipe() tea.Cmd {
	d.WS.Host.Close(d)
	return saveRecipeThen(d.WS, d.end)
}

func (d *leaveDialog) writeRefusal() string {
	if IsKept(d.WS) {
		return "the model is in a file already"
	}
	return WriteRefusal(d.WS)
}

func (d *leaveDialog) recipeRefusal() string {
	if IsKept(d.WS) {
		return "the model is in a file already"
	}
	return RecipeRefusal(d.WS)
}

// losses describes what is lost when the workbench ends.
func losses(ws *workspace.Workspace) []string {
	var out []string
	if j := ws.Jobs.Running(); j != nil && j.Name != values.StepName && j.Name != comparison.BesideName {
		out = append(out, fmt.Sprintf("%s is still running; it will be cancelled.", j.Name))
	}
	if !IsKept(ws) {
		out = append(out, "The model as it is now is in no file and no recipe.")
	}
	return out
}

// IsKept reports whether the current model can be had again after the workbench ends: it is the
// opened model, it is in a file, or its steps are in a saved recipe.
func IsKept(ws *workspace.Workspace) bool {
	m := ws.Model()
	return m == ws.Session.Original() || m == ws.InRecipe || ws.Session.FileOf(m) != ""
}
