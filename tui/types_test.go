package tui

import (
	"slices"
	"testing"

	"lathe/tui/guide"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/nodes"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// untold is a model whose file declares only the types of inputs and outputs, one of them wrongly,
// and the type of one other value.
const untold = `
input x f32[batch,4]
init w f32[4,6] 1
value wrong f32[batch,5]
fc: h = MatMul(x, w)
act: wrong = Relu(h)
cut: y = Neg(wrong)
output y f32[batch,6]
`

func init() {
	effects[workspace.PlaceFindings] = map[actions.Name]effect{
		shell.ActionAccept: {func(d *desk) { leavePins(d, 2); d.press("A", "j") }, selects("left")},
		shell.ActionClose:  {func(d *desk) { leavePins(d, 2); d.press("A") }, closed},
		shell.ActionHelp:   {func(d *desk) { leavePins(d, 2); d.press("A") }, opens(guide.PlaceHelp)},
	}
	positions[workspace.PlaceFindings] = position{
		func(d *desk) { leavePins(d, 200); d.press("A", "pgdown", "pgdown") },
		func(d *desk) int { return d.app.dialogs.Top().(*workspace.FindingsDialog).Rows.Cursor },
	}
}

// TestTypesAreInferred looks at every place that shows a type, before shapes are inferred and
// after.
func TestTypesAreInferred(t *testing.T) {
	t.Parallel()
	o := testOptions(graphtest.Model(t, untold))
	d := &desk{t: t, app: New(t.Context(), o)}
	d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	d.perform(d.app.ws.Resolve())
	d.press("j", "j")
	d.sees("f32 batch×5", "›Relu   act")
	d.lacks("≠")
	d.perform(d.app.ws.Infer())
	d.lacks("act                                        f32 batch×5")
	d.sees("≠ f32 batch×6", "the file declares f32 batch×5")
	d.press("/").write("shape:*x6").press("enter")
	if got, want := d.app.ws.Found.Rows, []int32{1, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("a filter by shape finds rows %v, want %v", got, want)
	}
	d.press("f").write("fc")
	d.sees("f32 batch×6")
}

// TestTypesOfAFilterAwaited delivers types while the answer to a filter is pending.
func TestTypesOfAFilterAwaited(t *testing.T) {
	t.Parallel()
	d := &desk{t: t, app: New(t.Context(), testOptions(graphtest.Model(t, untold)))}
	d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	d.perform(d.app.ws.Resolve())
	d.press("/").write("shape:*x").hold = true
	d.write("6").press("enter")
	late := d.waiting
	d.waiting, d.hold = nil, false
	d.perform(d.app.ws.Infer())
	for _, cmd := range late {
		d.perform(cmd)
	}
	if got, want := d.app.ws.Found.Rows, []int32{1, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("the filter finds rows %v, want %v", got, want)
	}
	if d.selected() != "fc" {
		t.Errorf("the selection goes to %q, want the first match", d.selected())
	}
}

// TestTypesAreKept returns to a model without inferring its types again.
func TestTypesAreKept(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, untold), 120, 40)
	first := d.app.ws.Types.Inferred.Load()
	d.press("a").write("x:0=b").press("enter")
	if d.app.ws.Model() == d.app.ws.Session.Original() || d.app.ws.Types.Inferred.Load() == first {
		t.Fatal("the step has not changed the model, or its types are those of before")
	}
	d.press("esc").hold = true
	d.press("u")
	if got := d.app.ws.Types.Inferred.Load(); got != first {
		t.Errorf("undo shows other types: %v", got)
	}
}

// TestOvertakenInference drops the types of a model that is no longer shown, and cancels the
// inference in progress.
func TestOvertakenInference(t *testing.T) {
	m := graphtest.Model(t, untold)
	d := newDesk(t, m, 120, 40)
	other := graphops.Edit(m).Model()
	d.app.ws.Types = d.app.ws.Typings.Of(other)
	late := d.app.ws.Infer()
	d.app.ws.Types = d.app.ws.Typings.Of(m)
	d.perform(d.app.ws.Infer())
	if msg := late(); msg != nil {
		t.Errorf("an inference that was overtaken answers %T", msg)
	}
	in := &graph.Inferred{}
	d.perform(workspace.TakeTypes(d.app.ws, d.app.ws.Typings.Of(other), in))
	if d.app.ws.Types.Inferred.Load() == in {
		t.Error("the types of another model show")
	}
}

// TestColumnOfTypes shows the column if most types are known, whether declared or inferred.
func TestColumnOfTypes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"by inference", untold, true},
		{"operators that nobody knows", "input x f32[1]\na: h = custom::A(x)\nb: y = custom::B(h)\noutput y", false},
	} {
		d := newDesk(t, graphtest.Model(t, c.text), 120, 40)
		if got := d.paneOf(workspace.PlaceNodes).(*nodes.Pane).Columns().Typ > 0; got != c.want {
			t.Errorf("%s: a column of types: %v, want %v", c.name, got, c.want)
		}
	}
}
