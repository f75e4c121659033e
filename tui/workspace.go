package tui

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

// workspace is what the panes and dialogs share: the session, the rows of the current place, the
// selection, the marks, the search results, the jobs. Only Update's goroutine uses it; commands get
// snapshots. A method that starts something slow returns the command that does it.
type workspace struct {
	ctx     context.Context // ends with the program
	o       Options
	session *session.Session
	host    shell.Host // the workbench around it
	styles  theme.Styles
	keys    *actions.Keymap

	outline *graph.Outline
	wiring  *graph.Wiring // nil until it is known
	// functions holds the keys of the model's own functions.
	functions map[graphops.FunctionKey]bool
	columns   []string // shown, in order
	// timesShown is true once the columns of times have been added to the list. They are added only
	// once, so that the user can hide them.
	timesShown bool
	rows       list.Window // over the lines of the listing; its cursor is the selection
	listing    listing
	span       span
	trail      graph.Trail
	found      found
	marks      marks
	jobs       jobs
	log        shell.Log
	pins       map[*graphops.Model][]graph.Finding // pins that a change of axes has left in a model
	aside      leavable                            // the preview that was set aside to look at a node, or nil
	sizes      map[string]int64                    // sizes of symbols, used to calculate costs
	types      *graph.Typing
	// moduleCosts holds the costs of the modules of the current place; nil until they are known.
	moduleCosts *graph.ModuleCosts
	typings     graph.Typings
	fitted      *graph.Typing // types of the model whose valid sizes are being or were computed, or nil
	modules     *scope.Tree   // nil until it is known
	// hasModules is true if the left region is shown, because there are modules or other places to
	// go to. While the modules of a new place are being read, it keeps its value, so that the
	// layout of the screen does not change.
	hasModules bool

	// tasks is where questions are answered in the background. Each look at the progress of one
	// redraws its line.
	tasks *task.Runner
	// pause is how long a form waits after the last key before it previews, and the tensor pane
	// after the last move before it reads.
	pause time.Duration

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
	finding   task.Task[foundAnswer]

	// tableOf returns a command that opens the tables of a report, or nil if the report has none. It
	// is called in the background.
	tableOf func(r session.Report, shown *graphops.Model, path, command string) tea.Cmd

	// ownStep returns a step that only the workbench has, or nil.
	ownStep func(ws *workspace, name string) session.Step

	// slots holds what parts of the workbench keep for themselves.
	slots map[any]any

	// inRecipe is the model whose steps were last saved as a recipe, nil for none.
	inRecipe *graphops.Model
}

func newWorkspace(ctx context.Context, o Options, keys *actions.Keymap) *workspace {
	ws := &workspace{
		ctx: ctx, o: o, session: session.New(o.Path, o.Model),
		keys: keys, columns: o.Settings.Columns, slots: map[any]any{},
	}
	ws.styles = theme.StylesOf(o.theme(true))
	ws.listing.order = graph.Order{Column: o.Settings.Sort.Column, Descending: o.Settings.Sort.Descending}
	ws.takeModel()
	ws.outline = graph.NewOutline(o.Model, o.Model.Places()[0])
	ws.rows.Reset(ws.outline.Len(), 0)
	ws.jobs.starter.Now = o.Now
	ws.log.Now = o.Now
	for _, taken := range ws.keys.Taken {
		ws.log.Say(taken)
	}
	for _, err := range o.Notices {
		ws.log.Fail(err)
	}
	if o.Beside != "" {
		ws.session.AddFile(o.Beside)
	}
	ws.pause = 200 * time.Millisecond
	ws.tasks = &task.Runner{Ctx: ctx, Now: o.Now, After: time.After, Look: 200 * time.Millisecond}
	return ws
}

func (ws *workspace) model() *graphops.Model { return ws.session.Model() }

// takeModel stores facts about the session's current model, and stops work about the earlier one.
func (ws *workspace) takeModel() {
	ws.fitting.Stop()
	ws.fitted = nil
	ws.types = ws.typings.Of(ws.model())
	ws.functions = map[graphops.FunctionKey]bool{}
	for _, f := range ws.model().Functions() {
		ws.functions[f.Key()] = true
	}
}

// showModel shows the session's model after it has changed. The selection stays on its node if that
// still exists.
func (ws *workspace) showModel() tea.Cmd {
	old, row := ws.outline, ws.row()
	ws.takeModel()
	place, err := ws.model().FindPlace(old.Place.Hops())
	if err != nil {
		place = ws.model().Places()[0]
	}
	ws.trail = graph.Trail{}
	cmd := ws.show(graph.Spot{Place: place, Row: graph.NewOutline(ws.model(), place).Find(old, row)})
	ws.keepMarks()
	return tea.Batch(cmd, ws.infer(), ws.previewPrune(), ws.findAgain())
}

// resolve computes the wiring of the outline: which rows make and read each value.
func (ws *workspace) resolve() tea.Cmd {
	o, types := ws.outline, ws.types
	return ask(ws, &ws.resolving, "reading the graph", func(context.Context) *graph.Wiring { return graph.NewWiring(o, types) }, func(w *graph.Wiring) tea.Cmd {
		ws.wiring = w
		return tea.Batch(ws.arrange(), readModules(ws))
	})
}

// newStep returns a new step with a name, or nil.
func (ws *workspace) newStep(name string) session.Step {
	if s := ws.ownStep(ws, name); s != nil {
		return s
	}
	for _, s := range ws.o.Steps() {
		if s.Name() == name {
			return s
		}
	}
	return nil
}

// setOutput sets the file to which a step writes its model.
func setOutput(s session.Step, path string) error {
	o, ok := session.WithRole(s, session.RoleModel)
	if !ok {
		return fmt.Errorf("step %s writes no model", s.Name())
	}
	o.Reset()
	return o.Set(path)
}

// optionNamed returns the option of a step with a name, or false if it has none.
func optionNamed(s session.Step, name string) (session.Option, bool) {
	options := s.Options()
	i := slices.IndexFunc(options, func(o session.Option) bool { return o.Name == name })
	if i < 0 {
		return session.Option{}, false
	}
	return options[i], true
}

func hasOption(s session.Step, name string) bool {
	_, ok := optionNamed(s, name)
	return ok
}

// setOption sets the values of an option of a step. Earlier values are dropped.
func setOption(s session.Step, name string, values ...string) error {
	o, ok := optionNamed(s, name)
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

// quietEnv returns an environment for previews that shows no progress.
func (ws *workspace) quietEnv() session.Env {
	env := ws.o.Env
	env.Progress = func(session.Progress) {}
	return env
}
