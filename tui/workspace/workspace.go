package workspace

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/scope"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/theme"
)

// Workspace is what the panes and dialogs share: the session, the rows of the current place, the
// selection, the marks, the search results, the jobs. Only Update's goroutine uses it; commands get
// snapshots. A method that starts something slow returns the command that does it.
type Workspace struct {
	Ctx     context.Context // ends with the program
	Options Options
	Session *session.Session
	Host    shell.Host // the workbench around it
	Styles  theme.Styles
	Keys    *actions.Keymap

	Outline *graph.Outline
	Wiring  *graph.Wiring // nil until it is known
	// functions holds the keys of the model's own functions.
	functions map[graphops.FunctionKey]bool
	Columns   []string // shown, in order
	// Constants is true if constants have rows of their own in the order of the graph, and revealed
	// if they have until another place is shown, because one of them was gone to.
	Constants, revealed bool
	// timesShown is true once the columns of times have been added to the list. They are added only
	// once, so that the user can hide them.
	timesShown bool
	// signalsShown is the same for the column of signal-to-noise ratios.
	signalsShown bool
	Rows         list.Window // over the lines of the listing; its cursor is the selection
	Listing      listing
	Span         Span
	Trail        graph.Trail
	Found        Found
	Marks        marks
	Jobs         jobs
	Log          shell.Log
	Pins         map[*graphops.Model][]graph.Finding // pins that a change of axes has left in a model
	Aside        leavable                            // the preview that was set aside to look at a node, or nil
	Sizes        map[string]int64                    // sizes of symbols, used to calculate costs
	Types        *graph.Typing
	// ModuleCosts holds the costs of the modules of the current place; nil until they are known.
	ModuleCosts *graph.ModuleCosts
	Typings     graph.Typings
	fitted      *graph.Typing // types of the model whose valid sizes are being or were computed, or nil
	Modules     *scope.Tree   // nil until it is known
	// HasModules is true if the left region is shown, because there are modules or other places to
	// go to. While the modules of a new place are being read, it keeps its value, so that the
	// layout of the screen does not change.
	HasModules bool

	// Tasks is where questions are answered in the background. Each look at the progress of one
	// redraws its line.
	Tasks *task.Runner
	// Pause is how long a form waits after the last key before it previews, and the tensor pane
	// after the last move before it reads.
	Pause time.Duration

	// What is asked about the model and the list.
	resolving task.Task[*graph.Wiring]
	scoping   task.Task[*scope.Tree]
	inferring task.Task[*graph.Inferred]
	measuring task.Task[*graph.Costs]
	summing   task.Task[*graph.ModuleCosts]
	examining task.Task[*graph.Checkup]
	fitting   task.Task[*graph.Fitting]
	arranging task.Task[[]graph.Group]
	pruning   task.Task[prunePreview]
	finding   task.Task[FoundAnswer]

	// TableOf returns a command that opens the tables of a report, or nil if the report has none. It
	// is called in the background.
	TableOf func(r session.Report, shown *graphops.Model, path, command string) tea.Cmd

	// OwnStep returns a step that only the workbench has, or nil.
	OwnStep func(ws *Workspace, name string) session.Step

	// slots holds what parts of the workbench keep for themselves.
	slots map[any]any

	// counterpart is the other model of the last comparison.
	counterpart counterpart

	// openedBroken is true if the checks found an error in the model as it was opened.
	openedBroken bool

	// InRecipe is the model whose steps were last saved as a recipe, nil for none.
	InRecipe *graphops.Model
}

// New makes the workspace of a model. keys says what the keys mean.
func New(ctx context.Context, o Options, keys *actions.Keymap) *Workspace {
	ws := &Workspace{
		Ctx: ctx, Options: o, Session: session.New(o.Path, o.Model),
		Keys: keys, Columns: o.Settings.Columns, Constants: o.Settings.Constants, slots: map[any]any{},
	}
	ws.Styles = theme.StylesOf(o.Theme(true))
	ws.Listing.Order = graph.Order{Column: o.Settings.Sort.Column, Descending: o.Settings.Sort.Descending}
	ws.takeModel()
	ws.Outline = graph.NewOutline(o.Model, o.Model.Places()[0])
	ws.Rows.Reset(ws.Outline.Len(), 0)
	if ws.FoldsConstants() {
		ws.lay(nil)
	}
	ws.Jobs.starter.Now = o.Now
	ws.Log.Now = o.Now
	for _, taken := range ws.Keys.Taken {
		ws.Log.Say(taken)
	}
	for _, err := range o.Notices {
		ws.Log.Fail(err)
	}
	if o.Beside != "" {
		ws.Session.AddFile(o.Beside)
	}
	ws.Pause = 200 * time.Millisecond
	ws.Tasks = &task.Runner{Ctx: ctx, Now: o.Now, After: time.After, Look: 200 * time.Millisecond}
	return ws
}

// Model returns the current model.
func (ws *Workspace) Model() *graphops.Model { return ws.Session.Model() }

// takeModel stores facts about the session's current model, and stops work about the earlier one.
func (ws *Workspace) takeModel() {
	ws.fitting.Stop()
	ws.fitted = nil
	ws.Types = ws.Typings.Of(ws.Model())
	ws.functions = map[graphops.FunctionKey]bool{}
	for _, f := range ws.Model().Functions() {
		ws.functions[f.Key()] = true
	}
}

// ShowModel shows the session's model after it has changed. The selection stays on its node if that
// still exists.
func (ws *Workspace) ShowModel() tea.Cmd {
	old, row := ws.Outline, ws.Row()
	ws.takeModel()
	place, err := ws.Model().FindPlace(old.Place.Hops())
	if err != nil {
		place = ws.Model().Places()[0]
	}
	ws.Trail = graph.Trail{}
	o := graph.NewOutline(ws.Model(), place)
	found := o.Find(old, row)
	if ws.FoldsConstants() {
		found = o.Standing(found)
	}
	revealed := ws.revealed
	cmd := ws.Show(graph.Spot{Place: place, Row: found})
	if revealed && slices.Equal(place.Hops(), old.Place.Hops()) {
		ws.reveal(found)
	}
	ws.KeepMarks()
	return tea.Batch(cmd, ws.Infer(), ws.PreviewPrune(), ws.findAgain())
}

// Resolve computes the wiring of the outline: which rows make and read each value.
func (ws *Workspace) Resolve() tea.Cmd {
	o, types := ws.Outline, ws.Types
	return Ask(ws, &ws.resolving, "reading the graph", func(context.Context) *graph.Wiring { return graph.NewWiring(o, types) }, func(w *graph.Wiring) tea.Cmd {
		ws.Wiring = w
		return tea.Batch(ws.Arrange(), readModules(ws))
	})
}

// NewStep returns a new step with a name, or nil.
func (ws *Workspace) NewStep(name string) session.Step {
	if s := ws.OwnStep(ws, name); s != nil {
		return s
	}
	for _, s := range ws.Options.Steps() {
		if s.Name() == name {
			return s
		}
	}
	return nil
}

// SetOutput sets the file to which a step writes its model.
func SetOutput(s session.Step, path string) error {
	o, ok := session.WithRole(s, session.RoleModel)
	if !ok {
		return fmt.Errorf("step %s writes no model", s.Name())
	}
	o.Reset()
	return o.Set(path)
}

// OptionNamed returns the option of a step with a name, or false if it has none.
func OptionNamed(s session.Step, name string) (session.Option, bool) {
	options := s.Options()
	i := slices.IndexFunc(options, func(o session.Option) bool { return o.Name == name })
	if i < 0 {
		return session.Option{}, false
	}
	return options[i], true
}

// HasOption reports whether a step has an option.
func HasOption(s session.Step, name string) bool {
	_, ok := OptionNamed(s, name)
	return ok
}

// SetOption sets the values of an option of a step. Earlier values are dropped.
func SetOption(s session.Step, name string, values ...string) error {
	o, ok := OptionNamed(s, name)
	if !ok {
		return fmt.Errorf("step %s has no option %q", s.Name(), name)
	}
	o.Reset()
	for _, v := range values {
		if err := o.Set(v); err != nil {
			return err
		}
	}
	return nil
}

// QuietEnv returns an environment for previews that shows no progress.
func (ws *Workspace) QuietEnv() session.Env {
	env := ws.Env()
	env.Progress = func(session.Progress) {}
	return env
}
