package tui

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/tui/workspace"
)

// droppedRows returns the names of the rows that are drawn as dropped.
func droppedRows(d *desk) []string {
	var out []string
	for row := range d.app.ws.Outline.Len() {
		if d.app.ws.Drops(row) {
			out = append(out, d.app.ws.Outline.Name(row))
		}
	}
	return out
}

func TestMarkPreviewsThePrune(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("j", "j", "j", "space") // left
	d.sees("1 mark", "keeps 2 of 6; loses [mask]", "p prunes")
	if diff := cmp.Diff([]string{"mask", "right", "join", "masked", "halves", "y", "p"}, droppedRows(d)); diff != "" {
		t.Error(diff)
	}
	d.press("j", "space") // right
	d.sees("2 marks", "keeps 3 of 6")
	d.press("x")
	d.lacks("unmarks")
	if diff := cmp.Diff([]string(nil), droppedRows(d)); diff != "" {
		t.Error(diff)
	}
}

func TestMarkOfSeveralOutputs(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("/").write("halves").press("enter", "space")
	d.sees("mark which output")
	d.press("j", "enter")
	if diff := cmp.Diff([]string{"q"}, d.app.ws.Marks.Names); diff != "" {
		t.Error(diff)
	}
	d.press("space")
	d.sees("q  (marked)")
	d.press("j", "enter")
	if len(d.app.ws.Marks.Names) != 0 {
		t.Errorf("marks are left: %q", d.app.ws.Marks.Names)
	}
}

func TestMarkWhatCannotBeMarked(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("g", "space")
	d.sees("this row makes no value that could be an output")
}

// TestPreviewDropsStaleAnswers marks twice and delivers the answer to the first question last.
func TestPreviewDropsStaleAnswers(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.hold = true
	d.press("j", "j", "space", "j", "space")
	if len(d.waiting) != 2 {
		t.Fatalf("%d questions are asked, want 2", len(d.waiting))
	}
	first, second := d.waiting[0](), d.waiting[1]()
	d.send(second)
	d.sees("keeps 2 of 6")
	d.send(first)
	d.sees("keeps 2 of 6")
	d.press("x")
	d.send(second)
	if d.app.ws.Marks.Line != "" {
		t.Error("an answer is shown though nothing is marked")
	}
}

func TestPreviewThatFails(t *testing.T) {
	d := newDeskWith(t, func() Options {
		o := testOptions(graphtest.Model(t, branchy))
		o.Steps = func() []session.Step {
			s := fakePrune().(*fakeStep)
			s.preview = failing
			return []session.Step{s}
		}
		return o
	}(), 80, 24)
	d.press("j", "j", "space")
	d.sees("1 mark", "no luck")
}

func TestPruneUndoRedo(t *testing.T) {
	d := branchyDesk(t, 120, 24)
	d.press("j", "j", "j", "space", "p")
	d.sees("model.onnx*  2 nodes", "after prune", "prune: ok; keeps 2 of 6")
	if got := d.selected(); got != "left" {
		t.Errorf("the selection went to %q, want left, where it was", got)
	}
	if len(d.app.ws.Marks.Names) != 0 {
		t.Errorf("marks are left after the prune: %q", d.app.ws.Marks.Names)
	}
	d.press("u")
	d.sees("6 nodes", "took back prune")
	if got := d.selected(); got != "left" {
		t.Errorf("undo went to %q, want left", got)
	}
	d.press("u")
	d.sees("there is nothing to undo")
	d.press("ctrl+r")
	d.sees("2 nodes", "did prune again")
}

// TestMarksSurviveOtherSteps keeps marks whose values the model still has.
func TestMarksSurviveOtherSteps(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("j", "j", "j", "space", "a", "enter", "esc")
	if diff := cmp.Diff([]string{"a"}, d.app.ws.Marks.Names); diff != "" {
		t.Error(diff)
	}
	d.sees("1 mark", "keeps 2 of 6")
}

func TestQuitAsks(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("j", "j", "space", "p", "q")
	d.sees("quit?", "The model as it is now is in no file and no recipe.")
	d.press("n")
	if d.quit {
		t.Fatal("the program ended though the answer was no")
	}
	d.press("u", "space", "q") // a mark is not work that is lost
	if !d.quit {
		t.Errorf("nothing is lost, and still:\n%s", d.screen())
	}
}

func TestEscNeverQuits(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("tab", "/", "r", "enter")
	for range 10 {
		d.press("esc")
	}
	if d.quit || d.app.focused().Panel.Place != workspace.PlaceNodes || strings.Contains(d.screen(), "match") {
		t.Errorf("Esc did not back out:\n%s", d.screen())
	}
}

func TestDialogsAreOpenedOnce(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("f1", "f1", "f1", "esc")
	if !closed(d) {
		t.Error("there is help below the help")
	}
	d.press("j", "j", "space", "p", "ctrl+c")
	d.sees("quit?")
	if d.press("ctrl+c"); !closed(d) || d.quit {
		t.Error("Ctrl-C does not cancel the question")
	}
}

var errLuck = errors.New("no luck")

// TestListDropped: the rows that a prune would remove are listed before it, and Enter leads to one.
func TestListDropped(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 120, 30)
	d.press("D")
	d.sees("nothing is marked, so a prune would remove nothing")
	d.press("j", "j", "space")
	d.sees("D lists what goes")
	d.press("D")
	d.sees("rows that the prune would remove", "Relu left", "mask")
	d.press("enter")
	if !d.app.ws.Drops(d.app.ws.Row()) {
		t.Errorf("enter leads to a row that stays:\n%s", d.screen())
	}
}

// TestUndoKeepsMarks: after a prune was undone, the marks that it was made from are there again.
func TestUndoKeepsMarks(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 120, 30)
	d.press("j", "j", "space", "p", "esc", "u")
	if !d.app.ws.Marks.Has("h") {
		t.Errorf("the marks are %q", d.app.ws.Marks.Names)
	}
	d.sees("1 mark")
	d.press("x", "u")
	if len(d.app.ws.Marks.Names) > 0 {
		t.Errorf("the marks are %q", d.app.ws.Marks.Names)
	}
}
