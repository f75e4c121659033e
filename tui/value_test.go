package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/reporting"
	"lathe/session/runtime"
	"lathe/tui/shell"
	"lathe/tui/values"
)

// fakeProber is run-model with made-up values: those that a test defines by name, or else four
// numbers.
type fakeProber struct {
	session.Step
	seed   *int64
	values map[string]graphops.Value
	// fails are errors of a run, and of a look, by name of a value.
	fails, blind map[string]error
	// endless values are run for until the run is cancelled.
	endless string
	closed  *atomic.Int64
}

func fakeRunModel() session.Step { return newFakeProber() }

func newFakeProber() *fakeProber {
	p := &fakeProber{closed: new(atomic.Int64), values: map[string]graphops.Value{}, fails: map[string]error{"y": errCrash}, blind: map[string]error{}}
	return p.fresh()
}

// fresh returns the same prober as a new step.
func (p *fakeProber) fresh() *fakeProber {
	q := *p
	q.seed = new(int64)
	names, seed := new([]string), q.seed
	q.Step = &fakeStep{name: values.ProberName, options: []session.Option{
		session.List(names, "value", "describe `NAME`"), session.Int(seed, "seed", "of generated values", 0),
		session.Path(new(string), "save", "write to `FILE`").AsTarget(),
	}, run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		return session.Result{Report: words("ran")}, nil
	}}
	return &q
}

var errCrash = &ort.CrashError{Phase: ort.Running, Model: "model.onnx", Signal: syscall.SIGSEGV, Stderr: "first words\nlast words\n"}

func (p *fakeProber) ProbeOptions() []session.Option {
	return []session.Option{session.Int(p.seed, "seed", "of generated values", 0)}
}

func (p *fakeProber) Probe(ctx context.Context, env session.Env, m *graphops.Model, names []string) (*reporting.Probe, error) {
	l := &fakeLoaded{prober: p, values: map[string]graphops.Value{}}
	probe := reporting.NewProbe(l)
	probe.Case = fmt.Sprintf("seed %d", *p.seed)
	probe.Fed = []inputs.Fed{{Name: "x", Type: "f32", Shape: graphops.FixedShape([]int64{1, 4}), Source: "generated", What: "normal"}}
	probe.Facts = runtime.Facts{Provider: "cpu", LibraryVersion: "1.30.0", LoadTime: 7 * time.Millisecond}
	probe.Opt, probe.IsProbing = "disable", true
	for _, name := range names {
		if slices.ContainsFunc(m.Graph().FeedInputs(), func(v *graphops.ValueInfo) bool { return v.Name() == name }) {
			*probe = reporting.Probe{Case: probe.Case, Fed: probe.Fed}
		}
		if err := p.fails[name]; err != nil {
			return nil, err
		}
		if name == p.endless {
			env.Progress(session.Progress{Phase: endless})
			<-ctx.Done()
			return nil, ctx.Err()
		}
		v, ok := p.values[name]
		if !ok {
			v = graphops.TensorValue(tensor.FromSlice([]float32{-1.5, 0, 2, 4}, 1, 4))
		}
		l.values[name] = v
		probe.Values = append(probe.Values, graphops.Got{Name: name, Value: v})
	}
	return probe, nil
}

// fakeLoaded holds values as a worker does.
type fakeLoaded struct {
	runtime.Loaded
	prober *fakeProber
	values map[string]graphops.Value
}

func (l *fakeLoaded) Close() error {
	l.prober.closed.Add(1)
	return nil
}

func (l *fakeLoaded) Look(_ context.Context, want []graphops.Want, yield func(graphops.Got) error) error {
	for _, w := range want {
		if err := l.prober.blind[w.Name]; err != nil {
			return err
		}
		g := graphops.Got{Name: w.Name}
		for _, t := range l.values[w.Name].Tensors() {
			g.Parts = append(g.Parts, partOf(t, w))
		}
		if err := yield(g); err != nil {
			return err
		}
	}
	return nil
}

// partOf computes the wanted part of a tensor.
func partOf(t tensor.Tensor, w graphops.Want) (p graphops.Part) {
	unable := func(err error) {
		if err != nil {
			p.Unable = err.Error()
		}
	}
	switch {
	case w.Profile && t.DType == tensor.String:
		s := tensor.ProfileStrings(t.Strings)
		p.Strings = &s
	case w.Profile:
		s, err := tensor.ProfileOf(t)
		p.Profile = &s
		unable(err)
	case w.Grid != nil:
		s, err := t.Stored()
		unable(err)
		g, err := s.Grid(w.Grid.View, w.Grid.Rows, w.Grid.Columns)
		p.Grid = &g
		unable(err)
	case w.Window != nil:
		part, err := t.Window(w.Window.View, w.Window.Window)
		p.Window = &part
		unable(err)
	}
	return p
}

// probingDesk is a desk whose runs are made by a fake prober.
func probingDesk(t testing.TB, p *fakeProber, m *graphops.Model, w, h int) *desk {
	t.Helper()
	o := testOptions(m)
	o.Steps = func() []session.Step { return []session.Step{fakePrune(), fakeBench(), p.fresh()} }
	d := newDeskWith(t, o, w, h)
	values.Of(d.app.ws).Idle = time.Hour
	return d
}

func branchyProbe(t testing.TB) (*fakeProber, *desk) {
	p := newFakeProber()
	return p, probingDesk(t, p, graphtest.Model(t, branchy), 120, 40)
}

func init() {
	views = append(views, []struct{ name, keys string }{
		{"value", "j j ="}, {"value-elements", "j j = E"}, {"value-several", "j j j j j j j ="}, {"value-crashed", "j j j j j j ="}, {"value-form", "j j I"},
	}...)
	effects[shell.PlaceMain][values.ActionValue] = effect{press("j", "j"), shows("computed from")}
	effects[shell.PlaceMain]["value-before"] = effect{press("j", "j", "j"), shows("output 0  h")}
	effects[shell.PlaceMain]["value-after"] = effect{press("j", "j", "j"), shows("c  output 0")}
	effects[shell.PlaceMain][values.ActionValueForm] = effect{press("j", "j"), shows("value: runs up to")}
}

// TestValue computes the values of a node and looks at them in every way.
func TestValue(t *testing.T) {
	_, d := branchyProbe(t)
	d.press("j", "j", "=")
	d.sees("output 0  h", "f32 1×4, 4 elements, 16 B, computed from", "NaN          none", "made from    seed 0",
		"x  f32 1×4: generated normal", "cpu, ONNX Runtime 1.30.0", "disable: fused nodes", "input 1  w", "value: ok; h  f32 1×4")
	d.press("H")
	d.sees("numbers, ")
	d.press("T")
	d.sees("magnitude, each element a cell")
	d.press("E", "l", "l")
	d.sees("[0, 2] = 2")
	d.press("D")
	d.sees("this tensor was computed")
	d.press("S", "J")
	d.sees("›input 1  w", "4×4")
}

// TestValueOfInput shows what an input is fed, for which nothing is run.
func TestValueOfInput(t *testing.T) {
	_, d := branchyProbe(t)
	d.press("=")
	d.sees("x  input", "fed from seed 0", "max          4")
	d.lacks("ONNX Runtime")
}

// TestValueKinds looks at every kind of value in every view.
func TestValueKinds(t *testing.T) {
	f := func(values ...float32) graphops.Value {
		return graphops.TensorValue(tensor.FromSlice(values, int64(len(values))))
	}
	text := graphops.TensorValue(tensor.FromStrings([]string{"a\x1b[2J", "b"}, 2))
	for name, c := range map[string]struct {
		value graphops.Value
		want  []string
	}{
		"scalar":         {graphops.TensorValue(tensor.FromSlice([]float64{5})), []string{"f64 scalar", "min          5"}},
		"none":           {f(), []string{"f32 0", "no elements"}},
		"strings":        {text, []string{"str 2", "strings      2"}},
		"sequence":       {graphops.SequenceValue(f(1).Type, f(1, 2), f(3)), []string{"h[0]", "h[1]", "of 2 items", "max          2"}},
		"empty sequence": {graphops.SequenceValue(f(1).Type), []string{"of 0 items"}},
		"map": {
			graphops.MapValue(tensor.FromSlice([]int64{7, 9}, 2), tensor.FromSlice([]float32{1, 2}, 2)),
			[]string{"h.keys", "h.values", "max          9"},
		},
		"optional":       {graphops.OptionalValue(f(1).Type, f(8)), []string{"with a value", "max          8"}},
		"empty optional": {graphops.OptionalValue(f(1).Type), []string{"without a value"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, d := branchyProbe(t)
			p.values["h"] = c.value
			d.press("j", "j", "=")
			d.sees(c.want...)
			for range 3 {
				d.walk([]string{"H", "T", "E l j", "i esc", "D", "S J"})
			}
			if failed := d.app.ws.Log.Entries; failed[0].Failed {
				t.Errorf("the log says %q", failed[0].Lines)
			}
		})
	}
}

// TestValueWalk follows the graph by values.
func TestValueWalk(t *testing.T) {
	p, d := branchyProbe(t)
	p.fails = nil
	d.press("G", "k", "{")
	if d.selected() != "masked" {
		t.Fatalf("the selection is at %q", d.selected())
	}
	d.sees("y  output 0")
	d.press("{")
	if !opens(shell.PlaceChoose)(d) {
		t.Fatal("nobody asks which of the two producers is meant")
	}
	d.press("enter") // the first input
	d.sees("c  output 0")
	d.press("[")
	if d.selected() != "masked" {
		t.Errorf("back leads to %q", d.selected())
	}
	d.press("}")
	d.sees("y  output")
	if n := p.closed.Load(); n != 2 {
		t.Errorf("%d workers have ended, want all but the last of three", n)
	}
	if n := len(d.app.ws.Session.History()); n > 0 {
		t.Errorf("%d steps are in the history", n)
	}
}

// TestValueStays leaves a row and comes back.
func TestValueStays(t *testing.T) {
	p, d := branchyProbe(t)
	d.press("j", "j", "=", "2", "j")
	d.lacks("computed from")
	d.press("k")
	d.sees("output 0  h", "computed from")
	if len(d.app.ws.Jobs.List) != 1 || p.closed.Load() != 0 {
		t.Error("it has been computed again")
	}
	d.press("space", "p")
	d.lacks("computed from") // the model is another one
	d.press("u")
	d.sees("output 0  h", "computed from")
}

// TestValueFails shows the whole error, and tries again.
func TestValueFails(t *testing.T) {
	p, d := branchyProbe(t)
	d.press("G", "k", "k", "k", "=")
	d.sees("crashed with SIGSEGV", "the last that it wrote:", "first words", "= runs it again", "y  output 0", "not computed")
	p.fails = nil
	d.press("=")
	d.sees("y  output 0", "max          4")
	p.blind["y"] = errors.New("no luck\nat all")
	d.press("E")
	d.sees("no luck", "at all", "A reads it again", "= runs it again")
	delete(p.blind, "y")
	d.press("A")
	d.sees("[0, 0] = -1.5")
}

// TestValueStopped cancels a run, and replaces a run by another.
func TestValueStopped(t *testing.T) {
	p, d := branchyProbe(t)
	p.endless = "h"
	d.press("j", "j", "=")
	d.sees(endless, "Esc stops it", "being computed", "value ")
	d.press("esc")
	d.sees("ending")
	d.resume()
	d.sees("the run was stopped before it had values", "= runs it again")
	d.press("=")
	d.sees("Esc stops it")
	d.press("2", "j", "=")
	d.sees("a  output 0", "waiting for the previous run to end")
	d.resume()
	d.sees("a  output 0", "max          4")
	d.press("ctrl+c")
	if !d.quit {
		t.Error("Ctrl-C finds something that runs")
	}
}

// TestValueFormWhileRunning gives other inputs to a run in progress.
func TestValueFormWhileRunning(t *testing.T) {
	p, d := branchyProbe(t)
	p.endless = "h"
	d.press("j", "j", "=")
	p.endless = ""
	d.press("I", "7", "enter")
	d.sees("waiting for the previous run to end")
	d.resume()
	d.sees("made from    seed 7")
}

// TestJobsKeepNoValues checks that the list of jobs holds only text.
func TestJobsKeepNoValues(t *testing.T) {
	_, d := branchyProbe(t)
	d.press("=", "2", "j", "=", "2", "j", "=")
	for _, j := range d.app.ws.Jobs.List {
		if s := j.Step.(*values.Step); s.Result != nil || j.Settle != nil {
			t.Error("a job that has ended keeps its values")
		}
	}
	for _, a := range tensorOf(d).Passes.Kept {
		if _, isInput := a.Of.(values.Fed); isInput {
			t.Error("the values of an input are kept")
		}
	}
}

// TestLongSequences lists some of many tensors.
func TestLongSequences(t *testing.T) {
	p, d := branchyProbe(t)
	one := graphops.TensorValue(tensor.FromSlice([]float32{1}))
	p.values["h"] = graphops.SequenceValue(one.Type, slices.Repeat([]graphops.Value{one}, 2*values.MaxParts)...)
	d.press("j", "j", "=")
	d.sees("h[0]", "of 2,000 items")
	tensorOf(d).Choose(values.MaxParts)
	d.send(nudge{})
	d.sees("further tensors of this value are not listed")
}

// TestValueWaitsForOthers refuses to run beside a measurement.
func TestValueWaitsForOthers(t *testing.T) {
	_, d := branchyProbe(t)
	d.press("b", "enter", "esc", "j", "j", "=")
	d.sees("bench is running; Ctrl-C cancels it")
}

func TestValueRefusals(t *testing.T) {
	d := probingDesk(t, newFakeProber(), graphtest.Model(t, branchy+branchyBody), 120, 40)
	toBody(d)
	d.press("o", "enter", "=")
	d.sees("the values in a body or function cannot be shown")
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = func() []session.Step { return nil }
	d = newDeskWith(t, o, 120, 40)
	d.press("=")
	d.sees("there is no step that runs models")
	d.press("I")
	d.sees("there is no step that runs models")
	d = probingDesk(t, newFakeProber(), graphtest.Model(t, ""), 120, 40)
	d.press("=")
	d.sees("this row makes no value")
}

// TestValueInputs changes what values are run on; so does the form of run-model.
func TestValueInputs(t *testing.T) {
	_, d := branchyProbe(t)
	d.press("j", "j", "I")
	d.lacks("save")
	d.press("5")
	d.sees("lathe run-model model.onnx --value=h --seed=5")
	d.press("enter")
	d.sees("made from    seed 5")
	d.press("2", "j", "=")
	d.sees("made from    seed 5", "a  output 0")
	d.press("y")
	if want := "lathe run-model model.onnx --value=a --seed=5"; d.clipboard != want {
		t.Errorf("copied %q, want %q", d.clipboard, want)
	}
	d.press(":").write("run-model").press("enter")
	d.press("down").write("9").press("enter", "esc", "=")
	d.sees("made from    seed 9")
	d.press("2", "r")
	d.sees("value: ok", "lathe run-model model.onnx --value=a --seed=9")
}

// TestOddValues marks rows with a value that is not finite.
func TestOddValues(t *testing.T) {
	p, d := branchyProbe(t)
	nan := float32(0)
	p.values["a"] = graphops.TensorValue(tensor.FromSlice([]float32{1, nan / nan}, 2))
	d.press("j", "j", "j", "=")
	d.sees("NaN          1  50.0 %")
	d.press("2", "j")
	if !strings.Contains(d.screen(), "!") || !values.IsOdd(d.app.ws, 3) || values.IsOdd(d.app.ws, 2) {
		t.Errorf("the row is not marked:\n%s", d.screen())
	}
	d.press("k")
	if said := d.app.focused().Said(); !strings.Contains(said, "NaN or infinity") {
		t.Errorf("said: %q", said)
	}
}

// TestLease releases values that nobody looks at.
func TestLease(t *testing.T) {
	p, d := branchyProbe(t)
	values.Of(d.app.ws).Idle = time.Millisecond
	d.press("j", "j", "=")
	time.Sleep(20 * time.Millisecond)
	if p.closed.Load() != 0 {
		t.Fatal("a value that shows was let go")
	}
	d.press("2", "G")
	for end := time.Now().Add(deadline); p.closed.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a value that does not show is held")
		}
	}
	d.press("g", "j", "j", "5")
	d.sees("max          4") // known from before
	d.press("E")
	d.sees("nobody looked at the values for 1ms", "= runs it again")
	d.press("=")
	d.sees("[0, 0] = -1.5")
}

// TestValuesEndWithTheProgram leaves no worker behind.
func TestValuesEndWithTheProgram(t *testing.T) {
	p, d := branchyProbe(t)
	values.Of(d.app.ws).Quit()
	d.press("j", "j", "=")
	values.Of(d.app.ws).Quit()
	values.Of(d.app.ws).Quit()
	if n := p.closed.Load(); n != 1 {
		t.Errorf("%d workers have ended, want 1", n)
	}
	d.hold = true
	d.press("=")
	<-d.app.ws.Jobs.List[1].Done()
	values.Of(d.app.ws).Quit() // before the answer is taken
	if n := p.closed.Load(); n != 2 {
		t.Errorf("%d workers have ended, want 2", n)
	}
}

// TestValueLive computes values while the user does other things.
func TestValueLive(t *testing.T) {
	p := newFakeProber()
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = func() []session.Step { return []session.Step{p.fresh()} }
	l := newLive(t, o)
	values.Of(l.app.ws).Idle = time.Hour
	for range 20 {
		l.press("j", "=", "k", "=", "E", "T", "S", "2", "{", "}")
	}
	l.until("the last one runs", func() bool { r := values.Of(l.app.ws).Run; return !r.IsGoing() })
}

// inNode is an error of the runtime that names a node.
const inNode = "Type Error: Type parameter (T) of Optype (Add) bound to different types (tensor(float) and tensor(int64) in node (%s)."

// TestHostileValues computes the values of every row of a model full of payloads.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	for payloads := range slices.Chunk(graphtest.Hostile, hostileTogether) {
		payload := strings.Join(payloads, "")
		t.Run(fmt.Sprintf("%q", payload), func(t *testing.T) {
			p := newFakeProber()
			d := probingDesk(t, p, graphtest.Decode(t, graphtest.HostileProto(t, payload)), 140, 50)
			for row := range d.app.ws.Outline.Len() {
				d.app.ws.GoTo(row)
				d.walk([]string{"= S H T E D", "I esc"})
			}
			p.fails = map[string]error{}
			for _, name := range values.RowValues(d.app.ws, d.app.ws.Row()) {
				p.fails[name] = &ort.CrashError{Phase: ort.Running, Model: payload, Stderr: payload + "\n" + payload}
			}
			d.walk([]string{"=", "r", "esc"})
			for name := range p.fails {
				p.fails[name] = &ort.Error{Phase: ort.Loading, Model: payload, Code: 1, Message: fmt.Sprintf(inNode, d.app.ws.Outline.Nodes[0].Name())}
			}
			d.walk([]string{"=", "!", "2 G r", "!", "3 G"})
		})
	}
}
