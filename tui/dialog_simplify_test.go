package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/tui/guide"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/rewrite"
	"lathe/graphops/simplify"
	"lathe/session"
	"lathe/session/steps/shrink"
	"lathe/tui/actions"
	"lathe/tui/forms"
	"lathe/tui/passes"
	"lathe/tui/shell"
)

// wasteful is a model with parts that several passes remove, one of them in a body, and a pattern
// of an optional pass.
const wasteful = `
input c bool[]
input x f32[2,4]
output y f32[2,4]
output z f32[2,4]
init gain f32[4] 1 2 3 4
graph then
idle: p = Identity(x)
inner: t = Relu(p)
output t f32[2,4]
end
graph else
outer: e = Neg(x)
output e f32[2,4]
end
pass: a = Identity(x)
first: b = Relu(a)
second: d = Relu(a)
both: s = Add(b, d)
scaled: m = Mul(s, gain)
unused: n = Exp(m)
gate: g = Sigmoid(m)
gated: y = Mul(m, g)
branch: z = If(c) then_branch=@then else_branch=@else
`

// withSimplify gives the desk the real step that simplifies, and a model for it.
func withSimplify(d *desk, model string) {
	*d = *newDeskWith(d.t, simplifyOptions(graphtest.Model(d.t, model)), d.app.w, d.app.h)
}

// simplifyOptions returns options with the real step that simplifies.
func simplifyOptions(m *graphops.Model) Options {
	o := testOptions(m)
	o.Env.Runtime = missingRuntime{}
	o.Steps = func() []session.Step { return append(fakeSteps(), &shrink.Simplify{}) }
	return o
}

func simplifyDesk(t testing.TB, model string, w, h int) *desk {
	t.Helper()
	d := newDesk(t, graphtest.Model(t, model), w, h)
	withSimplify(d, model)
	return d
}

func inSimplify(keys ...string) func(*desk) {
	return func(d *desk) { withSimplify(d, wasteful); d.press("S"); d.press(keys...) }
}

func thePasses(d *desk) *passes.Dialog { return d.app.dialogs.Top().(*passes.Dialog) }

// toPass puts the cursor on a pass.
func (d *desk) toPass(name string) *desk {
	d.t.Helper()
	p := thePasses(d)
	i := slices.IndexFunc(p.Entries, func(e passes.PassEntry) bool { return e.Name == name })
	if i < 0 {
		d.t.Fatalf("there is no pass %s", name)
	}
	d.press("g")
	for range p.RowOf(i) {
		d.press("j")
	}
	return d
}

func init() {
	first := func(d *desk) passes.PassEntry { return thePasses(d).Entries[1] }
	isOpen := func(d *desk) bool { return thePasses(d).Open[first(d).Name] }
	effects[shell.PlaceMain][passes.ActionSimplify] = effect{func(d *desk) { withSimplify(d, wasteful) }, opens(passes.PlaceSimplify)}
	effects[passes.PlaceSimplify] = map[actions.Name]effect{
		shell.ActionToggle: {inSimplify("j"), func(d *desk) bool { return !thePasses(d).Ticked[first(d).Name] }},
		shell.ActionAccept: {inSimplify("j"), isOpen},
		"unfold":           {inSimplify("j"), isOpen},
		"fold":             {inSimplify("j", "enter", "j"), func(d *desk) bool { return !isOpen(d) && thePasses(d).Rows.Cursor == 1 }},
		shell.ActionTake:   {inSimplify(), func(d *desk) bool { return d.app.ws.Session.CanUndo() == "simplify" }},
		shell.ActionAside:  {inSimplify("j"), func(d *desk) bool { return closed(d) && d.app.ws.Found.IsOn() }},
		shell.ActionCopy:   {inSimplify(), copied("lathe simplify model.onnx --out=model.simple.onnx")},
		shell.ActionEdit:   {inSimplify(), opens(forms.PlaceForm)},
		shell.ActionCancel: {func(d *desk) { inSimplify("j")(d); d.hold = true; d.press("space") }, shows("stopped; x starts it again")},
		shell.ActionClose:  {inSimplify(), closed},
		shell.ActionHelp:   {inSimplify(), opens(guide.PlaceHelp)},
	}
	positions[passes.PlaceSimplify] = position{inSimplify("j", "j", "j", "j", "j", "j"), func(d *desk) int { return thePasses(d).Rows.Cursor }}
}

// TestSimplifying goes the whole way: see what each pass would change, leave one out, go to a node
// and back, apply, undo.
func TestSimplifying(t *testing.T) {
	d := simplifyDesk(t, wasteful, 120, 40)
	d.press("S")
	before := thePasses(d).Found.After.Nodes
	d.sees("12 nodes → ", "a does it", "optional passes, 0 of ", "[x] identity", "passes find nothing here")
	d.toPass("common-subexpressions").press("space")
	d.sees("[ ] common-subexpressions", "when it was still ticked")
	if after := thePasses(d).Found.After.Nodes; after <= before {
		t.Errorf("without a pass %d nodes are left, with it %d", after, before)
	}
	d.press("enter", "j", "enter")
	if !closed(d) || d.selected() != "second" && d.selected() != "first" {
		t.Fatalf("enter on a change leads to %q", d.selected())
	}
	d.sees("common-subexpressions: row ", "S leads back, n to the next")
	d.press("y")
	d.sees("this change is only a preview")
	d.press("S")
	if p := thePasses(d); p.Ticked["common-subexpressions"] || !p.Open["common-subexpressions"] {
		t.Error("the dialog is another one")
	}
	d.press("a")
	d.sees("simplify: no", "not proved")
	if opens(forms.PlaceResults)(d) {
		d.press("esc")
	}
	if got, want := lastCommand(d.app.ws), "lathe simplify model.onnx --exclude=common-subexpressions"; got != want {
		t.Errorf("the command is %q, want %q", got, want)
	}
	if n := len(d.app.ws.Model().Graph().Nodes()); n >= 9 {
		t.Errorf("the model that shows has %d nodes", n)
	}
	var recipe strings.Builder
	if _, err := d.app.ws.Session.Recipe().WriteTo(&recipe); err != nil || !strings.Contains(recipe.String(), "exclude: [common-subexpressions]") {
		t.Errorf("the recipe is %q, %v", recipe.String(), err)
	}
	d.press("u")
	if n := len(d.app.ws.Model().Graph().Nodes()); n != 9 {
		t.Errorf("after undo there are %d nodes", n)
	}
}

// TestTicksStay closes the list with a changed tick: the tick is kept for this model, and starts
// anew for another one.
func TestTicksStay(t *testing.T) {
	d := simplifyDesk(t, wasteful, 120, 40)
	d.press("S").toPass("common-subexpressions").press("space", "esc", "S")
	if p := thePasses(d); p.Ticked["common-subexpressions"] || !p.Ticked["identity"] {
		t.Error("the tick is back")
	}
	d.toPass("identity").press("space", "a")
	if opens(forms.PlaceResults)(d) {
		d.press("esc")
	}
	d.press("S")
	if p := thePasses(d); !p.Ticked["common-subexpressions"] || !p.Ticked["identity"] {
		t.Error("another model has the ticks of the first")
	}
	d.press("esc", "u", "S")
	if p := thePasses(d); p.Ticked["identity"] {
		t.Error("the first model has lost its ticks")
	}
}

// TestOptionalPasses runs all optional passes after one key on their heading, and none after the
// next.
func TestOptionalPasses(t *testing.T) {
	d := simplifyDesk(t, wasteful, 120, 60)
	d.press("S")
	p := thePasses(d)
	d.press("g")
	for e, _ := p.At(); !e.Optional; e, _ = p.At() {
		d.press("j")
	}
	d.sees("ticks all of them")
	d.press("space")
	on, all := p.Count(true)
	if on != all || all == 0 {
		t.Fatalf("%d of %d optional passes are ticked", on, all)
	}
	d.sees(fmt.Sprintf("optional passes, %d of %d ticked", all, all), "takes all ticks away")
	s, err := p.Step()
	if err != nil || !s.(*shrink.Simplify).Fuse || len(s.(*shrink.Simplify).With)+len(s.(*shrink.Simplify).Without) > 0 {
		t.Errorf("the step is %+v, %v", s, err)
	}
	d.press("j", "space")
	if s, err := p.Step(); err != nil || s.(*shrink.Simplify).Fuse || len(s.(*shrink.Simplify).With) != all-1 {
		t.Errorf("without one of them the step is %+v, %v", s, err)
	}
	d.press("space", "k", "space")
	if on, _ := p.Count(true); on != 0 {
		t.Errorf("%d are still ticked", on)
	}
}

// TestPassesAreLit visits the nodes of a pass, into a body and back.
func TestPassesAreLit(t *testing.T) {
	d := simplifyDesk(t, wasteful, 120, 40)
	d.press("S").toPass("identity").press("v")
	if d.selected() != "pass" {
		t.Fatalf("the first node is %q", d.selected())
	}
	var walked []string
	for range 3 {
		d.press("n")
		walked = append(walked, d.selected())
	}
	if !slices.Contains(walked, "inner") {
		t.Errorf("n leads to %q, not into the body", walked)
	}
	if d.press("N"); d.selected() != walked[1] {
		t.Errorf("N leads to %q, want %q", d.selected(), walked[1])
	}
	if d.press("A"); !opens(passes.PlaceSimplify)(d) {
		t.Error("A does not lead back")
	}
}

// TestPassesRefuse explains why something is not possible.
func TestPassesRefuse(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"g enter", "there is nothing to unfold here"},
		{"g v", "there is no node that this would change"},
		{"g h", "this line is not unfolded"},
		{"G enter", "tick the pass to see what it would change"},
	} {
		d := simplifyDesk(t, wasteful, 120, 40)
		d.press("S").press(strings.Fields(c.keys)...)
		d.sees(c.want)
	}
	d := simplifyDesk(t, "input x f32[2]\na: y = Relu(x)\noutput y f32[2]", 120, 40)
	d.press("S")
	d.sees("these passes find nothing to simplify")
	d.press("a")
	d.sees("these passes find nothing to simplify")
	d = simplifyDesk(t, wasteful, 120, 40)
	d.press("S", "a", "esc", "S", "y")
	d.sees("no command does this to the file")
}

// TestPassesWhileAsked shows the previous result dimmed while the next one is computed; the result
// for other ticks is dropped, and a question can be stopped.
func TestPassesWhileAsked(t *testing.T) {
	d := simplifyDesk(t, wasteful, 120, 40)
	d.press("S")
	was := thePasses(d).Found
	d.hold = true
	d.toPass("identity").press("space")
	d.sees("finding out: starting", "12 nodes → ")
	d.press("a")
	d.sees("the preview is still running")
	p := thePasses(d)
	late := d.waiting[len(d.waiting)-1]().(tea.BatchMsg)[0]()
	d.press("space")
	d.send(late)
	if p.Found != was || !p.Question.IsOpen() {
		t.Error("an answer to other ticks is taken")
	}
	d.send(lookAt(d, &p.Question, session.Progress{Phase: "identity", Done: 12, Unit: "nodes"}))
	d.sees("finding out: identity · 12 nodes")
	d.press("x")
	d.sees("stopped; x starts it again")
	d.press("a")
	d.sees("the preview was stopped; x starts it again")
	d.press("x", "ctrl+c")
	d.sees("stopped; x starts it again")
	d.waiting, d.hold = nil, false
	d.press("x")
	d.sees("a does it")
	if d.quit {
		t.Error("Ctrl-C has ended the program")
	}
}

// TestPassesThatFail shows an error, and the panic of an engine, in the dialog.
func TestPassesThatFail(t *testing.T) {
	for _, c := range []struct {
		preview func(context.Context, session.Env, *graphops.Model) (session.Preview, error)
		want    string
	}{
		{failing, "simplifying is not possible: "},
		{func(context.Context, session.Env, *graphops.Model) (session.Preview, error) { panic("broken") }, "internal error: broken"},
		{func(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
			return session.Preview{Report: words("other")}, nil
		}, "does not report its passes"},
	} {
		d := simplifyDesk(t, wasteful, 120, 40)
		var with, without []string
		d.app.ws.Options.Steps = func() []session.Step {
			return []session.Step{&fakeStep{name: "simplify", preview: c.preview, options: []session.Option{
				session.List(&without, "exclude", "x"), session.List(&with, "include", "x"),
			}}}
		}
		d.press("S", "a")
		d.sees(c.want)
	}
}

// leftOut is the report of a simplification that had to leave a pass out.
type leftOut struct{ words }

func (leftOut) Found() *simplify.Report { return &simplify.Report{} }

// fakeSimplify makes a new model, and reports that a pass was left out.
func fakeSimplify() session.Step {
	var with, without []string
	return &fakeStep{
		name:    "simplify",
		options: []session.Option{session.List(&without, "exclude", "x"), session.List(&with, "include", "x")},
		run: func(_ context.Context, _ session.Env, m *graphops.Model) (session.Result, error) {
			return session.Result{
				Model:  graphops.Edit(m).Model(),
				Report: leftOut{"12 nodes → 9\nproved: the same bits on 2 generated inputs\nleft out: identity: with it the model differs at output \"y\""},
			}, nil
		},
	}
}

// TestPassesLeftOutAreTold shows in the result and in the status line which pass failed the proof.
func TestPassesLeftOutAreTold(t *testing.T) {
	d := simplifyDesk(t, wasteful, 140, 40)
	d.app.ws.Options.Steps = func() []session.Step { return []session.Step{fakeSimplify()} }
	d.press("S")
	thePasses(d).Found = nil
	d.press("a")
	d.sees("left out: identity: with it the model differs at output \"y\"", "proved: the same bits")
}

// manyChanges returns the report of a pass that changes every node of a model, over and over.
func manyChanges(m *graphops.Model, n int) *simplify.Report {
	nodes := len(m.Graph().Nodes())
	r := &simplify.Report{}
	for _, p := range simplify.Passes() {
		pr := &simplify.PassReport{Pass: p}
		for i := range n {
			pr.Changes = append(pr.Changes, simplify.Change{Text: fmt.Sprint("change ", i), Sites: rewrite.NewSites(passes.SimplifySite{Place: m.Places()[0], Node: i % nodes})})
		}
		r.Passes = append(r.Passes, pr)
		n = 0 // of the first alone
	}
	return r
}

// TestManyChanges moves through the changes of a large model without making more lines than are in
// view.
func TestManyChanges(t *testing.T) {
	var text strings.Builder
	text.WriteString("input x f32[2]\nn0 = Relu(x)\n")
	for i := range 5_000 {
		fmt.Fprintf(&text, "n%d = Relu(n%d)\n", i+1, i)
	}
	text.WriteString("output n5000 f32[2]\n")
	d := simplifyDesk(t, "input x f32[2]\na: y = Relu(x)\noutput y f32[2]", 120, 40)
	d.press("S")
	m := graphtest.Model(t, text.String())
	found := passes.NewPassesFound(m, manyChanges(m, 50_000))
	p := thePasses(d)
	p.Found, p.Seen = found, found.By
	p.Arrange()
	d.press("j", "enter")
	if p.Rows.N < 50_000 {
		t.Fatalf("there are %d lines", p.Rows.N)
	}
	began := time.Now()
	allocs := testing.AllocsPerRun(20, func() { d.app.Perform(p, "half-page-down"); p.View(true) })
	t.Logf("a half page: %.0f allocations, %v for 21", allocs, time.Since(began))
	if allocs > 2000 {
		t.Errorf("a half page makes %.0f allocations: more than for the lines that show", allocs)
	}
}

// TestHostilePasses draws text about nodes whose names could harm a terminal.
func TestHostilePasses(t *testing.T) {
	for payloads := range slices.Chunk(graphtest.Hostile, hostileTogether) {
		d := simplifyDesk(t, wasteful, 120, 40)
		d.press("S")
		p := thePasses(d)
		name := strings.Join(payloads, "")
		r := manyChanges(p.Base, 2)
		r.Passes[0].Changes[0].Text = name
		r.Passes[0].Refused = []simplify.Refusal{{Site: passes.SimplifySite{Place: p.Base.Places()[0]}, Why: name}}
		r.Warnings = []string{name}
		p.Found = passes.NewPassesFound(p.Base, r)
		p.Seen = p.Found.By
		p.Arrange()
		d.press("g", "j", "enter", "j")
		checkSize(t, d, [2]int{120, 40})
		for _, line := range strings.Split(p.Said(), "\n") {
			if strings.ContainsFunc(line, func(r rune) bool { return r < 0x20 || r == 0x7f || r == 0x202e }) {
				t.Errorf("said: %q", line)
			}
		}
	}
}

// fewPasses lists only some passes, so that a view does not change with every pass that is added.
func fewPasses(d *desk) {
	p := thePasses(d)
	p.Passes = slices.DeleteFunc(p.Passes, func(p simplify.Pass) bool {
		return !slices.Contains([]string{"dead-code", "common-subexpressions", "identity", "fold-clips", "fold-casts", "gelu", "swish"}, p.Name)
	})
	p.Arrange()
	d.app.sync()
}

var simplifyViews = []struct{ name, keys string }{
	{"simplify", ""},
	{"simplify-unticked", "j space"},
	{"simplify-unfolded", "j enter j"},
	{"simplify-aside", "j v"},
	{"simplify-form", "j space e"},
	{"simplify-done", "a"},
}

func TestSimplifyViews(t *testing.T) {
	for _, v := range simplifyViews {
		for _, size := range [][2]int{{80, 24}, {200, 50}, {shell.MinWidth, shell.MinHeight}} {
			t.Run(fmt.Sprintf("%s/%dx%d", v.name, size[0], size[1]), func(t *testing.T) {
				d := simplifyDesk(t, wasteful, size[0], size[1])
				d.press("S")
				fewPasses(d)
				d.press(strings.Fields(v.keys)...)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}

// TestPassesSaid checks what a screen reader says about the line at the cursor.
func TestPassesSaid(t *testing.T) {
	d := simplifyDesk(t, wasteful, 80, 24)
	d.press("S").toPass("identity")
	for _, want := range []string{"ticked, identity: ", "1 change at 3 nodes", "why the result is the same: "} {
		if said := thePasses(d).Said(); !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
	if d.press("space"); !strings.Contains(thePasses(d).Said(), "not ticked, identity") {
		t.Errorf("said: %q", thePasses(d).Said())
	}
}

// TestClicksOnPasses ticks with a click on the box, selects with one on the line, and
// unfolds with another.
func TestClicksOnPasses(t *testing.T) {
	d := simplifyDesk(t, wasteful, 120, 40)
	d.press("S")
	p := thePasses(d)
	r := shell.Inner(p, d.app.screen())
	y := r.Y + len(p.Head(p.W)) + 1
	name := p.Entries[1].Name
	d.click(r.X+passes.TickAt+1, y)
	if p.Ticked[name] {
		t.Error("a click on the box does not take the tick away")
	}
	d.click(r.X+passes.TickAt+1, y)
	i := slices.IndexFunc(p.Entries, func(e passes.PassEntry) bool { return e.Name == name })
	y = r.Y + len(p.Head(p.W)) + i
	d.press("g").click(r.X+20, y)
	if d.click(r.X+20, y); !p.Open[name] {
		t.Errorf("clicks on the line do not unfold it:\n%s", d.screen())
	}
}

// TestFormOffersChoices offers the members of a closed set in a field of several.
func TestFormOffersChoices(t *testing.T) {
	d := simplifyDesk(t, wasteful, 120, 40)
	d.press("S", "e")
	goTo(d, "exclude")
	d.press("ctrl+n")
	d.sees("Tab takes it", "names")
	d.write("ident")
	d.press("tab")
	if got := valuesOf(d, "exclude"); got != "identity" {
		t.Errorf("taken: %q", got)
	}
}
