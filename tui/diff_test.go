package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/tui/guide"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops/graphtest"
	"lathe/session/steps"
	"lathe/tui/actions"
	"lathe/tui/sheet"
	"lathe/tui/shell"
)

// former and latter are two versions of one model: an attribute, a weight and a name differ, one
// node is removed and one is new.
const former = `
input x f32[batch,4]
init w f32[4,4] 1
init unused f32[1] 1
fc: a = MatMul(x, w)
soft: b = Softmax(a) axis=1
drop: c = Identity(b)
act: d = Relu(c)
out: y = Neg(d)
output y f32[batch,4]
`

const latter = `
input x f32[batch,4]
init w f32[4,4] 1 1 1 1 1 1 1 1 1 2
init unused f32[1] 1
fc: a = MatMul(x, w)
soft: b = Softmax(a) axis=0
activation: d = Relu(b)
e = Abs(d)
out: y = Neg(e)
output y f32[batch,4]
`

// otherFile writes a model to a file.
func otherFile(t testing.TB, model string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.onnx")
	if err := os.WriteFile(path, graphtest.Bytes(t, model), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// layOut compares two models side by side, and presses keys.
func layOut(left, right string, keys ...string) func(*desk) {
	return func(d *desk) {
		*d = *newDesk(d.t, graphtest.Model(d.t, left), 120, 40)
		d.press("C").write(otherFile(d.t, right)).press("enter")
		d.press(keys...)
	}
}

func theDiff(d *desk) *sheet.Dialog { return d.app.dialogs.Top().(*sheet.Dialog) }

func init() {
	beside := func(keys ...string) func(*desk) { return layOut(former, latter, keys...) }
	effects[shell.PlaceMain][sheet.ActionDiff] = effect{nil, opens(shell.PlacePath)}
	effects[sheet.Place] = map[actions.Name]effect{
		"next-difference":     {beside(), shows("differences, number 2")},
		"previous-difference": {beside("n"), shows("differences, number 1")},
		"only-differences":    {beside(), func(d *desk) bool { return theDiff(d).Only }},
		shell.ActionAccept:    {beside(), func(d *desk) bool { return closed(d) && d.selected() == "fc" }},
		"compare-weights":     {beside(), func(d *desk) bool { return opens(sheet.Place)(d) && theDiff(d).Sheet.WithWeights }},
		"another-model":       {beside(), opens(shell.PlacePath)},
		shell.ActionCopy:      {beside(), func(d *desk) bool { return strings.HasPrefix(d.clipboard, "lathe diff model.onnx /") }},
		shell.ActionClose:     {beside(), closed},
		shell.ActionHelp:      {beside(), opens(guide.PlaceHelp)},
		"validate":            {beside(), shows("validate: does validate")},
	}
	positions[sheet.Place] = position{func(d *desk) {
		chain := func(op string) string {
			var b strings.Builder
			b.WriteString("input x f32[1]\noutput y f32[1]\nv0 = Abs(x)\n")
			for i := range 150 {
				fmt.Fprintf(&b, "v%d = Relu(v%d)\n", i+1, i)
			}
			fmt.Fprintf(&b, "y = %s(v150)\n", op)
			return b.String()
		}
		layOut(chain("Neg"), chain("Abs"), "g", "pgdown", "pgdown")(d)
	}, func(d *desk) int { return theDiff(d).Rows.Cursor }}
}

// TestSideBySide walks through the differences of two models.
func TestSideBySide(t *testing.T) {
	d := &desk{t: t}
	layOut(former, latter)(d)
	d.lacks("not ok")
	d.sees("side by side: 4 differences", "1 of 16 elements differ", "MatMul   fc") // at the node that reads it
	d.press("n")
	d.sees("attribute axis: 1 → 0", "Softmax  soft")
	for _, want := range []string{"Softmax soft", "Identity drop", "Abs → e"} {
		d.press("g")
		found := false
		for range 6 {
			d.press("n")
			found = found || strings.Contains(rowAtCursor(d), want)
		}
		if !found {
			t.Errorf("no key n leads to %s", want)
		}
	}
}

// rowAtCursor returns the selected line of the two columns.
func rowAtCursor(d *desk) string {
	left, right := theDiff(d).Sheet.Sides(theDiff(d).Line())
	return left + " | " + right
}

// TestSideBySideCentres shows what is around a difference that a key goes to.
func TestSideBySideCentres(t *testing.T) {
	d := &desk{t: t}
	long := "input x f32[1]\noutput y f32[1]\nv0 = Abs(x)\n"
	for i := range 150 {
		long += fmt.Sprintf("v%d = Relu(v%d)\n", i+1, i)
	}
	long += "y = Neg(v150)\n"
	layOut(long, strings.Replace(long, "v80 = Relu", "v80 = Tanh", 1))(d)
	for _, keys := range [][]string{nil, {"g", "n"}} {
		d.press(keys...)
		if r := theDiff(d).Rows; r.Cursor-r.Top != r.Height/2 {
			t.Errorf("after %v the difference is in line %d of %d", keys, r.Cursor-r.Top, r.Height)
		}
	}
}

// TestSideBySideWithItself compares the result of the steps with the model as it was opened, and
// the model with itself.
func TestSideBySideWithItself(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, former), 120, 40)
	d.press("C").press("enter")
	d.sees("the model is unchanged since it was opened")
	d.press("esc", "esc", "esc", "j", "j", "space", "p", "C", "enter")
	d.sees("model.onnx as it was opened", "model.onnx as it is", "Softmax  soft")
	if d.press("g", "n", "n"); theDiff(d).CopyRefusal() == "" {
		t.Error("there is a command for a model that is in no file")
	}
}

// TestSideBySideWeights compares the weights too, and leaves one comparison open.
func TestSideBySideWeights(t *testing.T) {
	d := &desk{t: t}
	layOut(former, latter, "w", "y")(d)
	if !strings.HasSuffix(d.clipboard, " --weights") {
		t.Errorf("the command is %q", d.clipboard)
	}
	d.press("enter")
	if d.selected() != "fc" {
		t.Errorf("the constant leads to %q", d.selected())
	}
	d.press("C", "esc")
	if !closed(d) {
		t.Error("an older comparison was left below")
	}
	d = &desk{t: t}
	layOut(former, strings.Replace(former, "axis=1", "axis=0", 1), "n")(d)
	d.sees("this is the only difference")
}

// TestTwoModels opens the workbench on two models.
func TestTwoModels(t *testing.T) {
	o := testOptions(graphtest.Model(t, former))
	o.Beside = otherFile(t, latter)
	d := newDeskWith(t, o, 120, 40)
	d.sees("side by side: 4 differences")
}

// TestSideBySideUpToNames says that only names differ.
func TestSideBySideUpToNames(t *testing.T) {
	renamed := strings.NewReplacer("fc:", "n1:", "soft:", "n2:", "a = ", "v7 = ", "(a)", "(v7)").Replace(former)
	d := &desk{t: t}
	layOut(former, renamed)(d)
	d.sees("side by side: equal up to names", "~")
	d.press("n")
	d.sees("the models differ only in names")
}

func TestSideBySideRefusesBadFiles(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, former), 120, 40)
	d.press("C").write("missing.onnx").press("enter")
	d.sees("missing.onnx", "no such file")
}

func TestDiffViews(t *testing.T) {
	for _, size := range [][2]int{{40, 8}, {80, 24}, {200, 50}} {
		for _, keys := range []string{"", "F"} {
			t.Run(fmt.Sprintf("%dx%d%s", size[0], size[1], keys), func(t *testing.T) {
				d := newDesk(t, graphtest.Model(t, former), size[0], size[1])
				sheetOf(d, latter)
				d.press(strings.Fields(keys)...)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}

// sheetOf compares with a model under a fixed name.
func sheetOf(d *desk, model string) {
	d.perform(sheet.SideBySide(d.app.ws, otherFile(d.t, model), false))
	(*sheet.LastSheet.In(d.app.ws)).Names[1] = "other.onnx"
}

// TestSideBySideLeadsToValidate fills the two compared models into the form that runs them. Esc goes
// back to the comparison.
func TestSideBySideLeadsToValidate(t *testing.T) {
	o := testOptions(graphtest.Model(t, former))
	o.Steps = steps.All
	d := newDeskWith(t, o, 160, 40)
	other := otherFile(t, latter)
	d.press("C").write(other).press("enter")
	d.sees("side by side: 4 differences, number 1")
	d.press("V")
	d.sees("lathe validate model.onnx "+other, "--layers")
	d.press("esc")
	d.sees("side by side: 4 differences, number 1")
}
