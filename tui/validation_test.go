package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"lathe/tui/guide"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/layers"
	"lathe/session/reporting"
	"lathe/tui/actions"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/tui/comparison"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/nodes"
	"lathe/tui/sheet"
	"lathe/tui/shell"
	"lathe/tui/tensors"
	"lathe/tui/workspace"
)

// fakeValidation is a report on two models whose content the test defines.
type fakeValidation struct {
	outputs  *compare.Report
	layers   *layers.Report
	a, b     *graphops.Model
	submodel string
	below    string // what it prints below the headline
	values   func(ctx context.Context, of reporting.ComparedValue) (a, b graphops.Value, err error)
}

func (f *fakeValidation) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, f.outputs.Headline+"\n"+f.below)
	return err
}
func (f *fakeValidation) Submodel() string { return f.submodel }

func (f *fakeValidation) Compared() (*compare.Report, *layers.Report) { return f.outputs, f.layers }
func (f *fakeValidation) Models() (a, b *graphops.Model)              { return f.a, f.b }

func (f *fakeValidation) Values(ctx context.Context, _ session.Env, of reporting.ComparedValue) (a, b graphops.Value, err error) {
	if f.values != nil {
		return f.values(ctx, of)
	}
	return graphops.TensorValue(wavy(0, 6, 40)), graphops.TensorValue(wavy(0.01, 6, 40)), nil
}

// wavy returns a tensor of two axes with an error in one corner.
func wavy(by float64, rows, columns int64) tensor.Tensor {
	var list []float64
	for r := range rows {
		for c := range columns {
			x := math.Sin(float64(r*columns+c) / 7)
			if r > rows/2 {
				x += by * float64(c)
			}
			list = append(list, x)
		}
	}
	t, err := tensor.FromFloat64s(tensor.F32, list, rows, columns)
	if err != nil {
		panic(err)
	}
	return t
}

func num(x float64) *tensor.Number { n := tensor.Number(x); return &n }

// outputFigures returns an output in a case with an error of the given size.
func outputFigures(name, of string, abs float64) compare.OutputResult {
	o := compare.OutputResult{
		Name: name, Case: of, Type: "f32", Shape: []int64{1, 4}, MaxAbs: num(abs), MaxRel: num(abs / 2), MeanAbs: num(abs / 3), RMS: num(abs / 2.5),
		Cosine: num(1 - abs/100), SNR: num(-20 * math.Log10(abs+1e-9)), Share: num(min(abs, 1)), Total: 4, ULPMax: num(math.Round(abs * 1e7)),
		ToleranceUsed: num(abs / 1e-3), Rule: compare.RuleTolerance, Why: "f32", Judged: compare.Pass.Judged(),
		Worst: &compare.Worst{Index: []int64{0, 3}, A: compare.Element{Number: 1}, B: compare.Element{Number: tensor.Number(1 + abs)}},
	}
	if abs >= 1e-3 {
		o.Mismatched, o.Judged = 3, compare.Fail.Judged()
	}
	return o
}

// validated returns a report on outputs y and p of branchy in two cases, one of which fails, and on
// a case that did not run.
func validated(t testing.TB) *fakeValidation {
	t.Helper()
	m := graphtest.Model(t, branchy)
	r := &compare.Report{A: "model.onnx", B: "other.onnx", Judged: compare.Fail.Judged(), Headline: `fail: output "y" in case "seed 0": 3 of 4 elements outside rtol 1e-05`}
	r.Pairs = []compare.Pair{{A: "y", B: "y", How: "name"}, {A: "p", B: "part", How: "position"}}
	r.Cases = []compare.CaseResult{
		{Name: "seed 0", Outputs: []compare.OutputResult{outputFigures("y", "seed 0", 0.25), outputFigures("p", "seed 0", 2e-6)}, Judged: compare.Fail.Judged()},
		{Name: "zeros", Outputs: []compare.OutputResult{outputFigures("y", "zeros", 0), outputFigures("p", "zeros", 1e-5)}, Judged: compare.Pass.Judged()},
	}
	r.Findings = []compare.Finding{{Case: "large", Side: "b", Reason: "the runtime says: no", Decisive: true}}
	return &fakeValidation{outputs: r, a: m, b: graphtest.Model(t, strings.Replace(branchy, "Relu", "Elu", 1))}
}

func layerError(rel float64) *layers.Error {
	snr := math.Inf(1)
	if rel > 0 {
		snr = -20 * math.Log10(rel)
	}
	return &layers.Error{MaxAbs: tensor.Number(2 * rel), MaxRel: tensor.Number(rel), RMS: tensor.Number(rel), MeanAbs: tensor.Number(rel), Cosine: tensor.Number(1 - rel), SNR: tensor.Number(snr), Total: 4}
}

// withLayers adds the layers of branchy, of which left causes the error.
func (f *fakeValidation) withLayers() *fakeValidation {
	r := &layers.Report{Case: "seed 0", Mapping: layers.Mapping{OnlyA: []string{"q"}, OnlyB: []string{"extra"}}}
	for _, l := range []struct {
		value, node, op, judged string
		local, all              float64
	}{
		{"h", "fc", "MatMul", "rounding", 1.5e-7, 1.5e-7},
		{"a", "left", "Relu", "differs", 0.125, 0.125},
		{"b", "right", "Sigmoid", "equal", 0, 1e-7},
		{"c", "join", "Add", "quantized", 0.01, 0.25},
		{"y", "masked", "Mul", "rounding", 3e-8, 0.2},
		{"p", "halves", "Split", "equal", 0, 0.2},
	} {
		r.Layers = append(r.Layers, layers.LayerReport{
			A: l.value, B: l.value, How: "name", Node: l.node, NodeA: l.node, Op: l.op, Type: "f32", Shape: graphops.FixedShape([]int64{1, 4}), Judgement: l.judged,
			Local: layerError(l.local), Accumulated: layerError(l.all),
		})
	}
	r.First = &layers.FirstReport{Value: "a", ValueB: "a", Node: "left", Op: "Relu"}
	f.layers = r
	return f
}

// validateStep returns the step validate with a prepared report.
func validateStep(f *fakeValidation) session.Step {
	return &fakeStep{name: "validate", run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		return session.Result{Report: f, No: !f.outputs.Pass}, nil
	}}
}

// validationDesk has a step validate that returns this report on the shown model.
func validationDesk(t testing.TB, f *fakeValidation, w, h int) *desk {
	t.Helper()
	o := testOptions(f.a)
	o.Env.Progress = func(session.Progress) {}
	o.Steps = func() []session.Step { return []session.Step{validateStep(f)} }
	return newDeskWith(t, o, w, h)
}

// TestFailedComparisonIsNotInRecipe: with a comparison that fails, a recipe would fail every time.
func TestFailedComparisonIsNotInRecipe(t *testing.T) {
	for _, verdict := range []compare.Verdict{compare.Pass, compare.Fail} {
		f := validated(t)
		f.outputs.Judged = verdict.Judged()
		d := validationDesk(t, f, 80, 24)
		d.press("V", "enter")
		if steps := d.app.ws.Session.Recipe().Steps; (len(steps) == 1) != (verdict == compare.Pass) {
			t.Errorf("%s: %v", verdict, steps)
		}
	}
}

// inTable runs the validation and presses keys in its table.
func inTable(f func(*desk) *fakeValidation, keys ...string) func(*desk) {
	return func(d *desk) {
		*d = *validationDesk(d.t, f(d), d.app.w, d.app.h)
		d.press("V", "enter")
		d.press(keys...)
	}
}

func ofOutputs(d *desk) *fakeValidation { return validated(d.t) }
func ofLayers(d *desk) *fakeValidation  { return validated(d.t).withLayers() }

// deep is a validation of a tensor of three axes.
func deep(d *desk) *fakeValidation {
	f := validated(d.t).withLayers()
	f.values = func(context.Context, reporting.ComparedValue) (a, b graphops.Value, err error) {
		x, y := wavy(0, 60, 40), wavy(0.01, 60, 40)
		x.Shape, y.Shape = []int64{20, 30, 4}, []int64{20, 30, 4}
		return graphops.TensorValue(x), graphops.TensorValue(y), nil
	}
	m, err := tensor.Compare(wavy(0, 60, 40), wavy(0.01, 60, 40), tensor.Tolerance{})
	if err != nil {
		d.t.Fatal(err)
	}
	f.layers.Layers[1].Local.MaxAbs = tensor.Number(m.MaxAbs)
	return f
}

func theTable(d *desk) *comparison.ValidationDialog {
	return d.app.dialogs.Top().(*comparison.ValidationDialog)
}

func theValues(d *desk) *comparison.BesideDialog {
	return d.app.dialogs.Top().(*comparison.BesideDialog)
}

func init() {
	table := func(check func(v *comparison.ValidationDialog) bool) func(*desk) bool {
		return func(d *desk) bool { return opens(comparison.PlaceValidation)(d) && check(theTable(d)) }
	}
	effects[shell.PlaceMain][comparison.ActionValidation] = effect{inTable(ofOutputs, "esc"), opens(comparison.PlaceValidation)}
	effects[forms.PlaceResults]["table"] = effect{inTable(ofOutputs, "esc", "r"), opens(comparison.PlaceValidation)}
	effects[comparison.PlaceValidation] = map[actions.Name]effect{
		shell.ActionAccept:       {inTable(ofLayers), func(d *desk) bool { return closed(d) && d.selected() == "left" }},
		shell.ActionLookAt:       {inTable(ofLayers), opens(comparison.PlaceBeside)},
		"column-right":           {inTable(ofOutputs), table(func(v *comparison.ValidationDialog) bool { return v.Looked().Column == 1 })},
		"column-left":            {inTable(ofOutputs, "l", "l"), table(func(v *comparison.ValidationDialog) bool { return v.Looked().Column == 1 })},
		shell.ActionSort:         {inTable(ofOutputs), shows("by output, A to Z")},
		shell.ActionReset:        {inTable(ofOutputs, "s"), table(func(v *comparison.ValidationDialog) bool { return v.Looked().Order.Column < 0 })},
		comparison.ActionFailing: {inTable(ofOutputs), table(func(v *comparison.ValidationDialog) bool { return len(v.Looked().Lines) == 2 })},
		comparison.ActionWords:   {inTable(ofOutputs), opens(shell.PlacePath)},
		"other-table":            {inTable(ofLayers), table(func(v *comparison.ValidationDialog) bool { return v.At == comparison.TableOutputs })},
		"first-divergence": {inTable(ofLayers, "t"), table(func(v *comparison.ValidationDialog) bool {
			return v.At == comparison.TableLayers && v.Row().Names[0] == "a"
		})},
		"errors-in-list":  {inTable(ofLayers), func(d *desk) bool { return workspace.ShowsColumn(d.app.ws, graph.ErrorColumn) }},
		shell.ActionCopy:  {inTable(ofLayers), copied("lathe validate model.onnx")},
		shell.ActionClose: {inTable(ofLayers), closed},
		shell.ActionHelp:  {inTable(ofLayers), opens(guide.PlaceHelp)},
	}
	positions[comparison.PlaceValidation] = position{func(d *desk) {
		inTable(func(d *desk) *fakeValidation { return manyLayers(d.t, 300) })(d)
		d.press("pgdown", "pgdown")
	}, func(d *desk) int { return theTable(d).Looked().Rows.Cursor }}
	values := func(check func(v *comparison.BesideDialog) bool) func(*desk) bool {
		return func(d *desk) bool { return opens(comparison.PlaceBeside)(d) && check(theValues(d)) }
	}
	shown := func(v comparison.BesideView) func(*desk) bool {
		return values(func(d *comparison.BesideDialog) bool { return d.Shown == v })
	}
	at := func(row, column int) func(*desk) bool {
		return values(func(d *comparison.BesideDialog) bool { return d.Cursor.Row == row && d.Cursor.Column == column })
	}
	turned := func(check func(x *tensors.Axes) bool) effect {
		return effect{inTable(deep, "o", "T"), values(func(d *comparison.BesideDialog) bool { return check(d.Axes) })}
	}
	effects[comparison.PlaceBeside] = map[actions.Name]effect{
		"errors":              {inTable(deep, "o", "T"), shown(comparison.BesideErrors)},
		"both-values":         {inTable(deep, "o"), shown(comparison.BesideValues)},
		"scatter":             {inTable(deep, "o"), shown(comparison.BesideScatter)},
		tensors.ActionHeatMap: {inTable(deep, "o"), shown(comparison.BesideHeat)},
		"next-view":           {inTable(deep, "o"), shown(comparison.BesideValues)},
		"cell-down":           {inTable(deep, "o", "T"), at(1, 0)},
		"cell-right":          {inTable(deep, "o", "T"), at(0, 1)},
		"cell-up":             {inTable(deep, "o", "T", "j", "j"), at(1, 0)},
		"cell-left":           {inTable(deep, "o", "T", "l", "l"), at(0, 1)},
		"axis-down":           turned(func(x *tensors.Axes) bool { return x.Down == 1 }),
		"axis-across":         turned(func(x *tensors.Axes) bool { return x.Across == 2 }),
		"transpose":           turned(func(x *tensors.Axes) bool { return x.Down == 1 && x.Across == 0 }),
		"index-after":         turned(func(x *tensors.Axes) bool { return x.At[2] == 0 }),
		"index-before":        turned(func(x *tensors.Axes) bool { return x.At[2] == 3 }),
		"held-axis": {func(d *desk) {
			inTable(func(d *desk) *fakeValidation {
				f := deep(d)
				made := f.values
				f.values = func(ctx context.Context, of reporting.ComparedValue) (a, b graphops.Value, err error) {
					a, b, err = made(ctx, of)
					a.Tensor.Shape, b.Tensor.Shape = []int64{20, 3, 10, 4}, []int64{20, 3, 10, 4}
					return a, b, err
				}
				return f
			}, "o", "T")(d)
		}, values(func(d *comparison.BesideDialog) bool { return d.Axes.Held == 3 })},
		"scale":                 {inTable(deep, "o"), values(func(d *comparison.BesideDialog) bool { return d.Scaled[comparison.BesideErrors] })},
		"own-inputs":            {inTable(deep, "o"), values(func(d *comparison.BesideDialog) bool { return !d.Of.Local && d.Pair != nil })},
		shell.ActionAccept:      {inTable(deep, "o"), func(d *desk) bool { return closed(d) && d.selected() == "left" }},
		tensors.ActionReadAgain: {inTable(deep, "o"), func(d *desk) bool { return opens(comparison.PlaceBeside)(d) && len(d.app.ws.Jobs.List) == 3 }},
		shell.ActionClose:       {inTable(deep, "o"), opens(comparison.PlaceValidation)},
		shell.ActionHelp:        {inTable(deep, "o"), opens(guide.PlaceHelp)},
	}
}

// manyLayers returns a validation of n layers.
func manyLayers(t testing.TB, n int) *fakeValidation {
	f := validated(t).withLayers()
	for i := range n {
		l := f.layers.Layers[i%2]
		l.A, l.B = fmt.Sprintf("model/layer.%d/out", i), fmt.Sprintf("model/layer.%d/out", i)
		l.Judgement, l.Local = "rounding", layerError(1e-7*float64(1+i%17))
		f.layers.Layers = append(f.layers.Layers, l)
	}
	return f
}

// TestValidationGoldens checks the views at common sizes.
func TestValidationGoldens(t *testing.T) {
	for _, size := range []struct{ w, h int }{{80, 24}, {200, 50}} {
		for name, set := range map[string]func(*desk){
			"outputs": inTable(ofOutputs),
			"layers":  inTable(ofLayers, "l", "l", "l", "s"),
			"right":   inTable(ofOutputs, "l", "l", "l", "l", "l", "l", "l", "l", "l", "l", "l", "s", "s"),
			"none":    inTable(func(d *desk) *fakeValidation { return emptied(d.t) }),
			"errors":  inTable(deep, "o"),
			"values":  inTable(deep, "o", "V"),
			"scatter": inTable(deep, "o", "S"),
			"heat":    inTable(deep, "o", "T", "j", "j", "l"),
			"own":     inTable(deep, "o", "a", "T", ".", "."),
			"beside":  inTable(ofLayers, "e", "esc"),
			"strings": inTable(func(d *desk) *fakeValidation {
				return giving(d.t, tensor.FromStrings([]string{"a", "\x1b[2J"}, 2), tensor.FromStrings([]string{"a", "c"}, 2))
			}, "j", "o"),
			"failed": inTable(func(d *desk) *fakeValidation { return failingValues(d.t) }, "j", "o"),
		} {
			t.Run(fmt.Sprintf("%s/%d×%d", name, size.w, size.h), func(t *testing.T) {
				d := newDesk(t, graphtest.Model(t, branchy), size.w, size.h)
				set(d)
				golden.RequireEqual(t, []byte(d.screen()+"\n"))
			})
		}
	}
}

func emptied(t testing.TB) *fakeValidation {
	f := validated(t)
	f.outputs = &compare.Report{A: "model.onnx", B: "other.onnx", Judged: compare.Fail.Judged(), Headline: "fail: no output of a can be compared with one of b; see findings"}
	return f
}

func giving(t testing.TB, a, b tensor.Tensor) *fakeValidation {
	f := validated(t)
	f.values = func(context.Context, reporting.ComparedValue) (graphops.Value, graphops.Value, error) {
		return graphops.TensorValue(a), graphops.TensorValue(b), nil
	}
	return f
}

func failingValues(t testing.TB) *fakeValidation {
	f := validated(t)
	f.values = func(context.Context, reporting.ComparedValue) (a, b graphops.Value, err error) {
		return a, b, errors.New("b: the runtime says \x1b[2J no")
	}
	return f
}

// TestValidationOfManyLayers sorts, filters and moves among 3,000 layers; each action must be fast.
func TestValidationOfManyLayers(t *testing.T) {
	many := manyLayers(t, 3000)
	many.submodel = "reduced to 1 of 3,000 nodes of b"
	d := validationDesk(t, many, 120, 24)
	d.press("V", "enter")
	d.sees("1 of 3,006 layers fail", "the worst on top", "reduced to 1 of 3,000 nodes of b; first divergence: a")
	begun := time.Now()
	for range 20 {
		d.press("l", "s", "s", "G", "g")
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("20 times sorting took %s", took)
	}
	d.press("r", "/").write("layer.2999").press("enter")
	d.sees("only with layer.2999", "1 shown", "model/layer.2999/out")
	d.press("d")
	d.sees("a, made by Relu left")
	d.press("F")
	d.sees("only what fails", "1 shown")
	d.press("/").write("nothing like it").press("enter")
	d.sees("none of 3,008 rows matches")
	for _, k := range []string{"enter", "o", "G", "k", "pgdown"} {
		d.press(k)
	}
	d.sees("validation: ")
}

// TestValidationSorts puts the worst row on top for every column, and the best after the same key
// again; rows without a figure are last.
func TestValidationSorts(t *testing.T) {
	f := validated(t).withLayers()
	f.layers.Layers[2].Local.MaxAbs, f.layers.Layers[2].Local.SNR = tensor.Number(math.NaN()), tensor.Number(math.NaN())
	v := comparison.NewValidation(f, f.a, "model.onnx", "")
	for at := range v.Tables {
		table := &v.Tables[at]
		for i, c := range table.Columns {
			worst, best := table.Arrange(comparison.ValidationOrder{Column: i}), table.Arrange(comparison.ValidationOrder{Column: i, Backward: true})
			if len(worst) != len(table.Rows) || len(best) != len(table.Rows) {
				t.Fatalf("%s: rows are lost", c.Name)
			}
			if c.Figure < 0 {
				continue
			}
			last := math.Inf(1)
			for k, row := range worst {
				f := table.Rows[row].Figures[c.Figure]
				if f.Has && c.Worse(f.X) > last {
					t.Errorf("%s: row %d is worse than the one above", c.Name, k)
				}
				if f.Has {
					last = c.Worse(f.X)
				}
				if !f.Has && k+1 < len(worst) && table.Rows[worst[k+1]].Figures[c.Figure].Has {
					t.Errorf("%s: a row without a figure stands above one that has it", c.Name)
				}
			}
		}
	}
}

// TestValidationFollowsTheModel goes to nodes by name as long as they exist; the errors beside the
// nodes are shown only for the model that was validated.
func TestValidationFollowsTheModel(t *testing.T) {
	f := validated(t).withLayers()
	o := testOptions(f.a)
	o.Steps = func() []session.Step { return append(fakeSteps()[:1:1], validateStep(f)) }
	d := newDeskWith(t, o, 120, 30)
	d.press("V", "enter", "e", "esc")
	d.sees("✗   0.125", "~    0.01", "1.5e-07")
	d.press("/").write("right").press("enter", "space", "p")
	if n := len(d.app.ws.Model().Graph().Nodes()); n == 6 {
		t.Fatal("nothing was pruned")
	}
	if s := d.screen(); strings.Contains(s, "1.5e-07") {
		t.Errorf("another model has the errors:\n%s", s)
	}
	d.press("U", "enter")
	d.sees("the model has changed since then and no longer has this value")
	d.press("esc", "u")
	d.sees("✗   0.125")
	for c := range map[string]bool{"sort": true} {
		d.press("c")
		for d.app.dialogs.Top().(*nodes.ColumnsDialog).Column().Name != graph.ErrorColumn {
			d.press("j")
		}
		d.press("s", "esc", "g")
		if d.selected() != "left" {
			t.Errorf("%s: the node that fails is not on top: %s", c, d.selected())
		}
	}
}

// TestValidationSides says which of the two models is shown, and what only the other one has.
func TestValidationSides(t *testing.T) {
	f := validated(t).withLayers()
	shown := f.b
	f.a = graphtest.Model(t, "input x f32[1]\nn: y = Neg(x)\noutput y f32[1]")
	v := comparison.NewValidation(f, shown, "model.onnx", "")
	if v.Side != sheet.SideB {
		t.Errorf("the model that shows is %s", v.Side)
	}
	d := newDesk(t, shown, 80, 24)
	dialog := comparison.NewValidationDialog(d.app.ws, v)
	for _, r := range v.Tables[comparison.TableLayers].Rows {
		_, why := dialog.Goal(&r)
		if want := r.Names[1] == ""; want != (why == "only a has this value, but the workbench shows b") || !want && r.Names[1] != "extra" && why != "" {
			t.Errorf("%v: %q", r.Names, why)
		}
	}
	if v := comparison.NewValidation(f, graphtest.Model(t, "input x f32[1]\nn: z = Abs(x)\noutput z f32[1]"), "other.onnx", ""); v.Side != sheet.SideNeither || v.Errors != nil {
		t.Errorf("a third model is %s", v.Side)
	}
	if at := comparison.HolderOf("scores[0].values"); at != "scores" {
		t.Errorf("an element is of %q", at)
	}
}

// TestBesideAtTheEdges looks at values that have little to show.
func TestBesideAtTheEdges(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		a, b tensor.Tensor
		want string
	}{
		"empty":        {tensor.FromSlice([]float32{}, 0, 3), tensor.FromSlice([]float32{}, 0, 3), "the value has no elements"},
		"a scalar":     {tensor.FromSlice([]float32{1}), tensor.FromSlice([]float32{2}), "max abs 1"},
		"one element":  {tensor.FromSlice([]float32{1}, 1, 1), tensor.FromSlice([]float32{1}, 1, 1), "1 of 1 equal"},
		"only NaN":     {tensor.FromSlice([]float32{nan, nan}, 2), tensor.FromSlice([]float32{nan, 1}, 2), "1 NaN or infinite on one side"},
		"infinities":   {tensor.FromSlice([]float32{inf, 1, -inf}, 3), tensor.FromSlice([]float32{inf, 2, inf}, 3), "1 NaN or infinite on one side"},
		"integers":     {tensor.FromSlice([]int64{1, 2, 3}, 3), tensor.FromSlice([]int64{1, 2, 9}, 3), "max abs 6"},
		"other types":  {tensor.FromSlice([]float32{1, 2}, 2), tensor.FromSlice([]float64{1, 2.5}, 2), "max abs 0.5"},
		"other shapes": {tensor.FromSlice([]float32{1, 2}, 2), tensor.FromSlice([]float32{1, 2, 3}, 3), "the shapes differ: 2 and 3"},
		"five axes":    {tensor.FromSlice(make([]float32, 32), 2, 2, 2, 2, 2), tensor.FromSlice(make([]float32, 32), 2, 2, 2, 2, 2), "32 of 32 equal"},
	} {
		d := validationDesk(t, giving(t, c.a, c.b), 80, 24)
		d.press("V", "enter", "j", "o")
		d.sees(c.want)
		for _, k := range strings.Fields("V z S T z j l k h r c x ; . , m m m m H") {
			d.press(k)
			if d.hasControls() {
				t.Errorf("%s: %q writes to the terminal", name, k)
			}
		}
		d.press("esc")
		if !opens(comparison.PlaceValidation)(d) {
			t.Errorf("%s: no way back", name)
		}
	}
}

// TestBesideStops ends the run that computes the values, by the key that cancels jobs and by
// closing.
func TestBesideStops(t *testing.T) {
	f := validated(t)
	f.values = func(ctx context.Context, of reporting.ComparedValue) (a, b graphops.Value, err error) {
		<-ctx.Done()
		return a, b, ctx.Err()
	}
	d := validationDesk(t, f, 80, 24)
	d.press("V", "enter", "j")
	d.hold = true
	d.press("o")
	if !d.app.ws.Jobs.List[1].Asked == false || !theValues(d).IsRunning() {
		t.Fatal("no job runs")
	}
	d.sees("starting")
	d.press("ctrl+c")
	d.resume()
	d.sees("stopped; A runs it again")
	d.hold = true
	d.press("A", "esc")
	d.resume()
	if !opens(comparison.PlaceValidation)(d) || d.app.ws.Jobs.Running() != nil {
		t.Errorf("a job runs on:\n%s", d.screen())
	}
}

// TestValidationOfHostileNames shows everything that is said about names with payloads.
func TestValidationOfHostileNames(t *testing.T) {
	payload := strings.Join(graphtest.Hostile, "")
	f := validated(t).withLayers()
	o := &f.outputs.Cases[0].Outputs[0]
	o.Name, o.Case, o.Type, o.Reason, f.outputs.Cases[0].Name = payload, payload, payload, payload, payload
	f.outputs.Headline = payload
	f.outputs.Findings[0].Reason, f.outputs.Findings[0].Case = payload, payload
	for i := range f.layers.Layers {
		l := &f.layers.Layers[i]
		l.A, l.B, l.Node, l.Op, l.Type, l.How, l.Reason = payload, payload+"b", payload, payload, payload, payload, payload
	}
	f.layers.Mapping.OnlyB = []string{payload}
	f.layers.First.Value, f.layers.First.ValueB = payload, payload+"b"
	f.values = func(context.Context, reporting.ComparedValue) (a, b graphops.Value, err error) {
		return a, b, errors.New(payload)
	}
	for _, size := range []struct{ w, h int }{{80, 24}, {20, 8}} {
		d := validationDesk(t, f, size.w, size.h)
		d.press("V", "enter")
		for _, k := range strings.Fields("j l l l l l l l l l l l l l l l l s / esc t j j o A m m m esc enter U e esc r t esc") {
			d.press(k)
			if s := d.unprintable(); s != "" {
				t.Errorf("%v: after %q the screen holds %q", size, k, s)
			}
			if _, ok := d.app.dialogs.Top().(interface{ Said() string }); ok && graphtest.Unprintable(strings.ReplaceAll(d.app.dialogs.Top().Said(), "\n", "")) != "" {
				t.Errorf("%v: after %q unprintable words are said", size, k)
			}
		}
	}
}

// TestBytesPerKeyOfValidation limits what a key costs over a slow connection in a table of 3,000
// layers, and in the views of two values.
func TestBytesPerKeyOfValidation(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	f := deep(&desk{t: t})
	f.layers = manyLayers(t, 3000).layers
	o := testOptions(f.a)
	o.Env.Progress = func(session.Progress) {}
	o.Steps = func() []session.Step { return []session.Step{validateStep(f)} }
	x := openTerminal(t, t.Context(), o, 120, 40)
	x.await("model.onnx")
	x.send("V")
	x.await("does validate")
	x.send("\r")
	x.await("first divergence")
	x.keyCosts(
		keyCost{"a move", "j", 20, 700, 900},
		keyCost{"moves past the edge", "j", 30, 700, 1500},
		keyCost{"half a page", "\x04", 4, 3500, 4500},
		keyCost{"another column", "l", 6, 400, 1500},
		// On a slow machine the frame of the first key can come with that of the second. Then the
		// median of two is their sum.
		keyCost{"sorting", "s", 2, 9000, 4500},
	)
	x.send("rgo")
	x.await("absolute errors other than 0")
	x.keyCosts(
		keyCost{"another view", "m", 4, 7000, 7000},
	)
	x.send("T")
	x.await("largest error")
	x.keyCosts(
		keyCost{"a move in the heat map", "l", 10, 600, 700},
		keyCost{"another index", ".", 4, 5000, 5000},
	)
	x.send("\x1b")
	x.await("first divergence")
	x.settle()
	x.send("\x1b")
	x.await("●") // of the list: before it is drawn, a q would come as alt+q
	x.send("q")
	if err := x.finish(); err != nil {
		t.Error(err)
	}
}

// TestValidationWithTheMouse sorts by a column heading, and chooses a row, a view and a cell.
func TestValidationWithTheMouse(t *testing.T) {
	d := validationDesk(t, deep(&desk{t: t}), 120, 30)
	d.press("V", "enter")
	_, _, names := theTable(d).Visible()
	theTable(d).Clicked(names+3, 1)
	if o := theTable(d).Looked(); o.Column != 1 {
		t.Errorf("a click on the second head is one on column %d", o.Column)
	}
	theTable(d).Clicked(3, 1)
	d.app.sync()
	d.sees("value↑")
	theTable(d).Clicked(3, 4)
	if row := theTable(d).Looked().Rows.Cursor; row != 2 {
		t.Errorf("the third row is row %d", row)
	}
	theTable(d).Clicked(3, 400)
	theTable(d).Looked().Rows.MoveTo(0)
	d.press("r", "o")
	theValues(d).Clicked(len("[errors]  values   scatter   h"), 0)
	d.press("z", "z") // so that it is drawn
	wide, tall := tensors.CellSize(20, 30, theValues(d).W, theValues(d).BodyHeight()-tensors.HeatHead)
	theValues(d).Clicked(3*wide, comparison.BesideHead+tensors.HeatHead+2*tall)
	if at := theValues(d).Cursor; theValues(d).Shown != comparison.BesideHeat || at.Row != 2 || at.Column != 3 {
		t.Errorf("%v in view %d", at, theValues(d).Shown)
	}
	theValues(d).Clicked(500, 500)
}

// TestValidationWithoutValues shows what the command prints if no values were compared: a decoder that
// was compared with itself, step by step.
func TestValidationWithoutValues(t *testing.T) {
	m := graphtest.Model(t, branchy)
	f := &fakeValidation{a: m, b: m, outputs: &compare.Report{A: "model.onnx", B: "model.onnx", Judged: compare.Pass.Judged(), Headline: "pass: step by step equals all at once"}}
	f.below = "  6 tokens, then one at a time: the same, 12 rows\n  tolerance: rtol 1e-05\x1b[2J\n"
	d := newDeskWith(t, widthsOptions(m), 80, 24)
	d.perform(comparison.ReadTables(f, m, "model.onnx", "lathe validate model.onnx"))
	d.perform(comparison.OpenValidation(d.app.ws))
	d.sees("pass: step by step equals all at once", "6 tokens, then one at a time: the same, 12 rows", "tolerance: rtol 1e-05")
	d.lacks("nothing was compared")
	d.lacks("0 of 0")
	d.lacks("sort by")
	d.press("esc")
	f.below = strings.Repeat("a line that goes on\n", 40)
	d.perform(comparison.ReadTables(f, m, "model.onnx", "lathe validate model.onnx"))
	d.perform(comparison.OpenValidation(d.app.ws))
	d.sees("y copies the command that prints the rest")
}

// textValidation is a report whose text says more than its tables.
type textValidation struct{ *fakeValidation }

func (textValidation) ReadAsText() bool { return true }

// TestValidationAsText: the text of such a report stays in view, and the key of the table opens it.
func TestValidationAsText(t *testing.T) {
	f := validated(t).withLayers()
	o := testOptions(f.a)
	o.Env.Progress = func(session.Progress) {}
	o.Steps = func() []session.Step {
		return []session.Step{&fakeStep{name: "validate", run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
			return session.Result{Report: textValidation{f}}, nil
		}}}
	}
	d := newDeskWith(t, o, 100, 30)
	d.press("V", "enter")
	d.sees(f.outputs.Headline)
	d.lacks("validation: ")
	d.press("esc", "U")
	d.sees("validation: ")
}
