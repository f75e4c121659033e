package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/runtime"
	"lathe/session/steps/edit"
	"lathe/tui/actions"
	"lathe/tui/config"
	"lathe/tui/controls/keytest"
	"lathe/tui/detail"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// desk is a workbench without a terminal: a test presses keys and looks at the screen. The commands
// that a key starts are run before the next key.
type desk struct {
	t                        testing.TB
	app                      *App
	quit, suspended, cleared bool
	// clipboard is what was copied last.
	clipboard string
	// waiting holds commands that are not run yet: with hold all of them, so that a test can
	// deliver answers out of order, otherwise those that check a job that only a key can end.
	hold    bool
	waiting []tea.Cmd
	judged  judged
	// slowest is the longest time that a message kept the workbench from answering others.
	slowest time.Duration
}

// judged caches the results of checks of drawn lines, because most of a screen does not change with
// a key.
type judged struct {
	styles theme.Styles // that the texts were drawn with
	texts  map[string]string
	widths map[string]int
}

// remembered returns f(line), and calls f only once for each line.
func remembered[T any](known *map[string]T, line string, f func(string) T) T {
	if v, ok := (*known)[line]; ok {
		return v
	}
	if *known == nil {
		*known = map[string]T{}
	}
	v := f(line)
	(*known)[line] = v
	return v
}

func newDesk(t testing.TB, m *graphops.Model, w, h int) *desk {
	t.Helper()
	return newDeskWith(t, testOptions(m), w, h)
}

func testOptions(m *graphops.Model) Options {
	return Options{
		Path: "model.onnx", Model: m, Steps: fakeSteps, Background: BackgroundDark,
		Env:      session.Env{Runtime: noRuntime{}},
		Now:      func() time.Time { return time.Unix(0, 0).UTC() },
		Settings: config.Config{Theme: config.ThemeAuto, AltScreen: true, Columns: []string{"op", "name", "type"}},
	}
}

// noRuntime is a runtime that knows no types.
type noRuntime struct{ runtime.Runtime }

func (noRuntime) Types(context.Context, *graphops.Model, []string) (map[string]graphops.Type, error) {
	return nil, errors.New("there is no runtime")
}

func newDeskWith(t testing.TB, o Options, w, h int) *desk {
	t.Helper()
	d := &desk{t: t, app: New(t.Context(), o)}
	d.app.ws.Pause, d.app.ws.Tasks.Look = 0, time.Millisecond
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	d.perform(d.app.Init())
	return d
}

// send gives the workbench a message and runs the commands that follow.
func (d *desk) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.QuitMsg:
		d.quit = true
		return
	case tea.SuspendMsg:
		d.suspended = true
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.perform(cmd)
		}
		return
	}
	switch fmt.Sprintf("%T", msg) {
	case "tea.setClipboardMsg":
		d.clipboard = reflect.ValueOf(msg).String()
	case "tea.clearScreenMsg":
		d.cleared = true
	}
	began := time.Now()
	_, cmd := d.app.Update(msg)
	d.slowest = max(d.slowest, time.Since(began))
	if tick, ok := msg.(workspace.JobTickMsg); ok && tick.Progress.Phase == endless && !d.ending() {
		d.waiting = append(d.waiting, cmd)
		return
	}
	d.perform(cmd)
}

// ending reports whether the running job was asked to stop.
func (d *desk) ending() bool {
	j := d.app.ws.Jobs.Running()
	return j != nil && j.Asked
}

// endless is the phase of a job that runs until it is canceled.
const endless = "measuring"

// resume runs the commands that were held back.
func (d *desk) resume() {
	cmds := d.waiting
	d.waiting, d.hold = nil, false
	for _, cmd := range cmds {
		d.perform(cmd)
	}
}

func (d *desk) perform(cmd tea.Cmd) {
	switch {
	case cmd == nil:
	case d.hold:
		d.waiting = append(d.waiting, cmd)
	default:
		d.send(cmd())
	}
}

// press presses keys, spelled as in the key table.
func (d *desk) press(keys ...string) *desk {
	d.t.Helper()
	for _, k := range keys {
		d.send(keytest.Press(d.t, k))
	}
	return d
}

// write types text.
func (d *desk) write(s string) *desk {
	d.t.Helper()
	for _, r := range s {
		d.send(keytest.Press(d.t, string(r)))
	}
	return d
}

// screen returns what is shown, without styles.
func (d *desk) screen() string {
	return ansi.Strip(d.app.View().Content)
}

// sees checks that a text is on the screen.
func (d *desk) sees(want ...string) {
	d.t.Helper()
	s := d.screen()
	for _, w := range want {
		if !strings.Contains(s, w) {
			d.t.Errorf("the screen does not show %q:\n%s", w, s)
		}
	}
}

// lacks checks that a text is not on the screen.
func (d *desk) lacks(unwanted string) {
	d.t.Helper()
	if s := d.screen(); strings.Contains(s, unwanted) {
		d.t.Errorf("the screen shows %q:\n%s", unwanted, s)
	}
}

// selected returns the name of the selected row.
func (d *desk) selected() string { return d.app.ws.Outline.Name(d.app.ws.Row()) }

// branchy is a small model with a branch, two inputs and two outputs. The file declares its types.
const branchy = `
input x f32[1,4]
input mask f32[1,4]
init w f32[4,4] 1
value h f32[1,4]
value a f32[1,4]
value b f32[1,4]
fc: h = MatMul(x, w)
left: a = Relu(h)
right: b = Sigmoid(h)
join: c = Add(a, b)
masked: y = Mul(c, mask)
halves: p, q = Split(c) axis=1
output y f32[1,4]
output p f32[1,2]
`

func branchyDesk(t testing.TB, w, h int) *desk {
	t.Helper()
	return newDesk(t, graphtest.Model(t, branchy), w, h)
}

// fakeStep is a step whose behavior the test defines.
type fakeStep struct {
	name    string
	options []session.Option
	preview func(context.Context, session.Env, *graphops.Model) (session.Preview, error)
	run     func(context.Context, session.Env, *graphops.Model) (session.Result, error)
}

func (s *fakeStep) Name() string              { return s.name }
func (s *fakeStep) Summary() string           { return "does " + s.name }
func (s *fakeStep) Options() []session.Option { return s.options }

func (s *fakeStep) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	if s.preview == nil {
		r, err := s.run(ctx, env, m)
		return session.Preview{Report: r.Report}, err
	}
	return s.preview(ctx, env, m)
}

func (s *fakeStep) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	return s.run(ctx, env, m)
}

// words is a report of some lines.
type words string

func (r words) WriteText(w io.Writer) error { _, err := io.WriteString(w, string(r)+"\n"); return err }

// fakeSteps returns steps under the names for which the workbench has keys.
func fakeSteps() []session.Step {
	return []session.Step{fakePrune(), fakeAxes(), fakeExport(), fakeQuantize(), fakeValidate(), fakeBench(), fakeProfile(), fakeBroken(), fakePanic(), fakeRunModel(), new(edit.Attribute), new(edit.Rename), new(edit.Annotate), new(edit.Insert)}
}

// fakePrune really prunes, because marks and previews depend on the result.
func fakePrune() session.Step {
	s := &fakeStep{name: "prune"}
	inputs, outputs := new([]string), new([]string)
	s.options = []session.Option{session.List(outputs, "output", "keep `NAME`").AsRequired(), session.List(inputs, "input", "cut at `NAME`")}
	prune := func(m *graphops.Model) (*graphops.Model, *graphops.Pruning, session.Report, error) {
		pruned, p, err := graphops.Prune(m, graphops.PruneOptions{Outputs: *outputs, Inputs: *inputs})
		if err != nil {
			return nil, nil, nil, err
		}
		return pruned, p, words(fmt.Sprintf("keeps %d of %d\noutputs\n  %s\nloses %v", p.KeptNodes, len(p.Keep), *outputs, p.LostInputs)), nil
	}
	s.preview = func(_ context.Context, _ session.Env, m *graphops.Model) (session.Preview, error) {
		_, p, r, err := prune(m)
		if err != nil {
			return session.Preview{}, err
		}
		return session.Preview{Report: r, Keep: p.Keep}, nil
	}
	s.run = func(_ context.Context, _ session.Env, m *graphops.Model) (session.Result, error) {
		pruned, _, r, err := prune(m)
		return session.Result{Model: pruned, Report: r}, err
	}
	return s
}

// failing is a preview that fails.
func failing(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
	return session.Preview{}, errLuck
}

// fakeAxes changes nothing but returns a new model.
func fakeAxes() session.Step {
	s := &fakeStep{name: "axes"}
	dynamic, out := new([]string), new(string)
	s.options = []session.Option{session.List(dynamic, "dynamic", "free `NAME:AXIS`"), session.Path(out, "out", "write to `FILE`").AsTarget().As(session.RoleModel)}
	s.run = func(_ context.Context, _ session.Env, m *graphops.Model) (session.Result, error) {
		return session.Result{Model: graphops.Edit(m).Model(), Report: words("frees " + strings.Join(*dynamic, " "))}, nil
	}
	return s
}

// fakeExport says that it wrote a file.
func fakeExport() session.Step {
	s := &fakeStep{name: "export"}
	outputs, out, min := new([]string), new(string), new(int64)
	s.options = []session.Option{
		session.List(outputs, "output", "export `NAME`").Naming(session.NamesValue, ""),
		session.Int(min, "external-data", "bytes", 1),
		session.Path(out, "out", "write to `FILE`").AsTarget().As(session.RoleModel).AsRequired(),
	}
	s.run = func(_ context.Context, _ session.Env, m *graphops.Model) (session.Result, error) {
		return session.Result{Model: graphops.Edit(m).Model(), Report: words("exports to " + *out), Files: []string{*out}}, nil
	}
	return s
}

func fakeQuantize() session.Step {
	s := &fakeStep{name: "quantize dynamic"}
	typ, wide, out := new(string), new(bool), new(string)
	s.options = []session.Option{
		session.Choice(typ, "weight-type", "of weights", "int8", "uint8").WithDefault("int8"),
		session.Switch(wide, "per-channel", "each its own"),
		session.Path(out, "out", "write to `FILE`").AsTarget().As(session.RoleModel).AsRequired(),
	}
	s.run = func(_ context.Context, _ session.Env, m *graphops.Model) (session.Result, error) {
		return session.Result{Model: graphops.Edit(m).Model(), Report: words(fmt.Sprintf("dynamic %s %v", *typ, *wide)), Files: []string{*out}}, nil
	}
	return s
}

// fakeValidate reports a failure.
func fakeValidate() session.Step {
	s := &fakeStep{name: "validate"}
	a, b := new(string), new(string)
	s.options = []session.Option{session.Path(a, "a", "one").AsOperand().AsRequired(), session.Path(b, "b", "other").AsOperand().AsRequired()}
	s.run = func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		return session.Result{Report: words(*a + " differs from " + *b), No: true}, nil
	}
	return s
}

// fakeBench reports progress and runs until it is canceled.
// fakeProfile names two nodes in its report.
func fakeProfile() session.Step {
	s := &fakeStep{name: "profile"}
	s.run = func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		return session.Result{Report: words("takes 3 ms\n\nnode    time\nmasked  2 ms\nright   1 ms")}, nil
	}
	return s
}

func fakeBench() session.Step {
	s := &fakeStep{name: "bench"}
	models := new([]string)
	s.options = []session.Option{session.Paths(models, "models", "to measure").AsOperand().AsRequired()}
	s.run = func(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
		env.Progress(session.Progress{Phase: endless, Done: 25, Total: 100, Unit: "B"})
		<-ctx.Done()
		return session.Result{}, ctx.Err()
	}
	s.preview = func(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
		return session.Preview{Report: words("would measure " + strings.Join(*models, " "))}, nil
	}
	return s
}

// fakeBroken fails with an error of several lines.
func fakeBroken() session.Step {
	return &fakeStep{name: "broken", run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		return session.Result{}, fmt.Errorf("model.onnx: node \"a\x1b[2J\": no such thing\nsecond line")
	}}
}

// fakePanic panics in its preview and in its run.
func fakePanic() session.Step {
	out := new(string)
	return &fakeStep{
		name: "panic", options: []session.Option{session.Path(out, "out", "to `FILE`").AsTarget().As(session.RoleModel)},
		run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) { panic("out of order") },
	}
}

// outlineOf returns the outline of a model's main graph.
func outlineOf(m *graphops.Model) *graph.Outline { return graph.NewOutline(m, m.Places()[0]) }

// paneOf returns the pane of a place.
func (d *desk) paneOf(p actions.Place) shell.Pane {
	for _, m := range d.app.members {
		if m.Panel.Place == p {
			return m.Pane
		}
	}
	return nil
}

func detailOf(d *desk) *detail.Pane {
	return d.paneOf(workspace.PlaceDetail).(*detail.Pane)
}

// lookAt asks a question whose work reports some progress and then goes on until it is cancelled. It
// returns the message that it is time to look at the progress.
func lookAt[T any](d *desk, t *task.Task[T], p session.Progress) tea.Msg {
	reported := make(chan struct{})
	batch := t.Ask(d.app.ws.Tasks, task.Question[T]{Watched: true, Work: func(ctx context.Context, report task.Report) (answer T, err error) {
		report(p)
		close(reported)
		<-ctx.Done()
		return answer, ctx.Err()
	}})().(tea.BatchMsg)
	go batch[0]()
	<-reported
	return batch[1]()
}
