package tui

import (
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/steps"
	"lathe/tui/actions"
	"lathe/tui/forms"
	"lathe/tui/guide"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// typedWords are what people type who know other programs, and the action that they mean. The words
// of the first part are from a report of users.
var typedWords = map[string]string{
	"w": "write", "wq": "write-quit", "open": "open-model", "save": "write", "slow": "step-profile", "speed": "step-bench",
	"fp16": "step-quantize float16", "float16": "step-quantize float16", "int8": "quantize", "compare": "side-by-side",
	"convert": "step-export", "batch": "step-axes", "histogram": "look-tensor", "dark": "theme",

	"latency": "step-bench", "benchmark": "step-bench", "trace": "step-profile", "hotspot": "step-profile", "cut": "prune",
	"extract": "prune", "fold": "simplify", "optimize": "step-optimize", "half": "step-quantize float16", "bf16": "step-quantize bfloat16",
	"exit": "quit", "search": "find", "errors": "problems", "lint": "problems", "weights": "weights", "metadata": "step-metadata",
	"rename": "step-rename", "dynamic": "step-axes", "opset": "option-export opset", "delete": "step-delete", "accuracy": "step-validate",
	"verify": "step-validate", "yank": "copy-name", "back": "earlier", "colors": "theme", "flamegraph": "flame", "onnxsim": "simplify",
	"run": "step-run-model", "keys": "help", "shortcuts": "help", "history": "steps", "calibrate": "step-quantize static",

	// What readers typed who had not seen the program.
	"undo": "undo", "save as": "write", "find": "find", "quantize": "quantize", "infer shapes": "option-annotate infer", "simplify": "simplify",
	"check": "problems", "profile": "step-profile", "quit": "quit", "export": "step-export", "input": "value-inputs", "validate": "step-validate",
	"theme": "theme", "threads": "option-bench threads", "how fast": "step-bench", "error": "problems", "heatmap": "look-tensor",
	"open another": "open-model", "change the opset": "option-export opset", "list of weights": "weights", "compare two models": "side-by-side",
	"save the model": "write", "infer": "option-annotate infer", "earlier results": "results", "show weights": "weights", "measure latency": "step-bench",
	"freeze dims": "step-axes", "parity": "step-validate", "netron": "look-overview", "infer shape": "option-annotate infer",
	"convert to fp16": "step-quantize float16", "make batch dynamic": "step-axes", "remove nodes": "step-delete", "slowest nodes": "step-profile",
}

// paletteOf opens the palette of a workbench with the real steps and types a text.
func paletteOf(t *testing.T, typed string) *guide.Palette {
	t.Helper()
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = steps.All
	d := newDeskWith(t, o, 100, 40)
	d.press("j", "j", "j", ":").write(typed)
	return d.app.dialogs.Top().(*guide.Palette)
}

func TestWordsThatPeopleType(t *testing.T) {
	for typed, want := range typedWords {
		t.Run(typed, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, e := range paletteOf(t, typed).Offered() {
				got = append(got, string(e.Name))
			}
			if len(got) == 0 || got[0] != want {
				t.Errorf("%q leads to %q, want %q first", typed, got[:min(len(got), 4)], want)
			}
		})
	}
}

// TestPaletteCutsOff types texts that match little or nothing.
func TestPaletteCutsOff(t *testing.T) {
	for typed, most := range map[string]int{"atten": 1, "zzzz": 1, "prnue": 2, "undo": 3, "quantize": 14} {
		if n := len(paletteOf(t, typed).Offered()); n == 0 || n > most {
			t.Errorf("%q offers %d actions, want 1 to %d", typed, n, most)
		}
	}
}

// TestPaletteSearches offers to look for a text in the graph if no action matches it.
func TestPaletteSearches(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press(":").write("masked").press("enter", "enter")
	if d.selected() != "masked" {
		t.Errorf("the selection is on %q:\n%s", d.selected(), d.screen())
	}
}

// TestPaletteTakesAWord types a command with a word, as in an editor.
func TestPaletteTakesAWord(t *testing.T) {
	t.Chdir(t.TempDir())
	d := branchyDesk(t, 100, 30)
	d.press(":").write("theme light").press("enter")
	d.sees("theme: light")
	d.press(":").write("theme dim").press("enter")
	d.sees(`there is no theme "dim"`)
	d.press(":").write("find masked").press("enter", "enter")
	if d.selected() != "masked" {
		t.Errorf("the selection is on %q", d.selected())
	}
	d.press(":").write("save as").press("enter")
	if !opens(shell.PlacePath)(d) {
		t.Fatalf("nobody asks for a name:\n%s", d.screen())
	}
	d.press("esc", ":").write("w as").press("enter")
	if !opens(shell.PlacePath)(d) {
		t.Fatalf("a word without an extension is taken as a file name:\n%s", d.screen())
	}
	d.press("esc", ":").write("open").press("enter", "enter")
	d.sees("type a file name")
	d.press("esc", ":").write("e nothing.onnx").press("enter")
	d.sees("nothing.onnx")
	if d.quit {
		t.Error("the workbench ended for a model that cannot be opened")
	}
}

// TestPaletteRemembers lists first what was used last, and says so.
func TestPaletteRemembers(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press(":").write("next theme").press("enter")
	d.press(":").write("log").press("enter", "esc")
	d.press(":")
	p := d.app.dialogs.Top().(*guide.Palette)
	if a, b := p.Offered()[0].Name, p.Offered()[1].Name; a != "log" || b != "theme" {
		t.Errorf("the first are %s and %s", a, b)
	}
	d.sees("recent", "log of messages")
}

// TestPaletteOfColumns shows a column of the list and hides it again.
func TestPaletteOfColumns(t *testing.T) {
	d := branchyDesk(t, 120, 30)
	d.press(":").write("macs").press("enter")
	d.sees("macs is a column of the list", "macs  ")
	if !workspace.ShowsColumn(d.app.ws, "macs") {
		t.Error("it does not")
	}
	d.press(":").write("macs").press("enter")
	d.sees("the list no longer shows the column macs")
	if d.press(":").write("column name").press("enter"); !workspace.ShowsColumn(d.app.ws, "name") {
		t.Error("the names are gone")
	}
	d.sees("names cannot be hidden")
}

// TestPaletteOfAPane lists actions that only the focused pane has, and removes a key for which the
// pane has another meaning.
func TestPaletteOfAPane(t *testing.T) {
	d := branchyDesk(t, 120, 30)
	for i, m := range d.app.members {
		d.app.Look(m.Panel.Place)
		d.press(":")
		offered := d.app.dialogs.Top().(*guide.Palette).Offered()
		own := map[actions.Name]bool{}
		for _, e := range offered {
			own[e.Name] = own[e.Name] || e.Owner != any(d.app)
		}
		for _, b := range m.Actions {
			if !b.Name.IsMotion() && !own[b.Name] {
				t.Errorf("pane %d: %s is not offered", i, b.Name)
			}
		}
		for _, e := range offered {
			if e.Owner != any(d.app) || len(e.Keys) == 0 {
				continue
			}
			for _, b := range m.Actions {
				if b.Key() == e.Key() && e.Instead != b.Help {
					t.Errorf("pane %d: %s is offered with %s, which means %s there", i, e.Name, e.Key(), b.Name)
				}
			}
		}
		d.press("esc")
	}
}

// TestHelpFindsAndDoes types a word in the help and performs what it finds.
func TestHelpFindsAndDoes(t *testing.T) {
	d := branchyDesk(t, 120, 40)
	d.press("?")
	d.sees("look", "find", "optimize", "run and measure", "session")
	d.press("pgdown")
	d.sees("cut and edit", "move")
	d.press("esc", "?").write("messages").press("enter")
	if !opens(shell.PlaceLog)(d) {
		t.Errorf("the log is not open:\n%s", d.screen())
	}
	d.press("esc", "?").write("nothing at all")
	d.sees("no action matches")
	d.press("enter")
	d.sees("choose with the arrow keys")
}

// TestHelpShowsOverriddenKeys says which keys of the main screen mean something else in a pane.
func TestHelpShowsOverriddenKeys(t *testing.T) {
	d := branchyDesk(t, 200, 60)
	d.app.Look(workspace.PlaceTensor)
	d.press("?")
	if !strings.Contains(d.screen(), "b here: histogram:") {
		t.Errorf("the key b is not shown as overridden:\n%s", d.screen())
	}
}

// TestPaletteOpensAnOption opens a form at the option that was typed, though it is folded.
func TestPaletteOpensAnOption(t *testing.T) {
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = steps.All
	d := newDeskWith(t, o, 120, 40)
	d.press(":").write("opset").press("enter").write("19")
	d.sees("export: ", "--opset=19")
}

// TestWeightsAreListed lists the stored tensors, the largest first, and goes to a reader.
func TestWeightsAreListed(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, `
		input x f32[1,4]
		init small f32[1] 1
		init large f32[4,4] 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
		init idle f32[2] 1 2
		m: h = MatMul(x, large)
		a: y = Add(h, small)
		output y f32[1,4]
	`), 120, 40)
	d.press(":").write("weights").press("enter")
	d.sees("3 weights", "large  f32 4×4  64 B", "read by MatMul m")
	d.press("j")
	d.sees("no node reads it")
	d.press("j", "enter")
	if d.selected() != "a" {
		t.Errorf("the selection is on %q", d.selected())
	}
}

// TestPaletteOverADialog: the key of the palette works over a dialog. What belongs to the main screen closes
// the dialog first.
func TestPaletteOverADialog(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press("b", "enter")
	if !opens(forms.PlaceResults)(d) {
		t.Fatal(d.screen())
	}
	results := d.app.dialogs.Top()
	d.press(":").write("copy the command")
	if got := d.app.dialogs.Top().(*guide.Palette).Offered()[0]; got.Owner != any(results) {
		t.Errorf("an action of the dialog is not offered: %s", got.Name)
	}
	d.press("enter")
	if d.app.dialogs.Top() != results {
		t.Errorf("an action of the dialog closes it:\n%s", d.screen())
	}
	d.press(":").write("find")
	d.press("enter")
	if opens(forms.PlaceResults)(d) || len(d.app.dialogs) != 1 {
		t.Errorf("an action of the main screen does not close the dialog:\n%s", d.screen())
	}
}

// TestPaletteMeansTheMainScreen: a name that only settings give an action of a pane does not hide what the
// main screen calls so.
func TestPaletteMeansTheMainScreen(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press("0", ":").write("open")
	if got := d.app.dialogs.Top().(*guide.Palette).Offered()[0].Name; got != "open-model" {
		t.Errorf("the first is %s", got)
	}
}
