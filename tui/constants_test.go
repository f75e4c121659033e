package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
	"lathe/tui/shell"
)

// constants is a model in which some constants fold: not one that is an output, nor one that nothing
// reads.
const constants = `
input x f32[2,3]
two: two = Constant() value={f32[] 2}
alone: alone = Constant() value={f32[] 7}
twice: y = Mul(x, two)
axes: axes = Constant() value_ints=[1]
big: big = Constant() value={f32[2,3] 1 2 3 4 5 6}
sum: s = ReduceSum(y, axes)
add: z = Add(y, big)
out: given = Constant() value={f32[1] 1}
len: len = Constant() value_ints=[5]
cat: c = Concat(len, axes) axis=0
output z f32[2,3]
output s f32[2,1]
output c i64[2]
output given f32[1]
`

const (
	folded   = "x alone twice sum add out cat z s c given"
	unfolded = "x two alone twice axes big sum add out len cat z s c given"
)

func constantsDesk(t testing.TB) *desk { return newDesk(t, graphtest.Model(t, constants), 120, 30) }

func init() {
	effects[shell.PlaceMain]["constants"] = effect{
		func(d *desk) { *d = *constantsDesk(d.t) },
		func(d *desk) bool { return d.shownNames() == unfolded },
	}
}

// TestConstantsFold lists constants in the rows that read them, and as rows again.
func TestConstantsFold(t *testing.T) {
	d := constantsDesk(t)
	if diff := cmp.Diff(folded, d.shownNames()); diff != "" {
		t.Error(diff)
	}
	d.sees("twice  B=2", "sum  axes=[1]", "add  +1 const", "cat  [5] [1]", "4 constants folded, K shows them")
	for range 6 {
		d.press("j") // the numbers of nodes do not change
	}
	d.sees("9 ", "›Concat")
	d.press("K")
	if diff := cmp.Diff(unfolded, d.shownNames()); diff != "" {
		t.Error(diff)
	}
	d.lacks("B=2")
	if got := d.selected(); got != "cat" {
		t.Errorf("%q is selected, want cat", got)
	}
	d.press("g", "j", "K") // on a constant
	if got := d.selected(); got != "alone" {
		t.Errorf("%q is selected, want the row after the constant", got)
	}
}

// TestFoldedConstantsAreReached goes to a constant that has no row, in every way that leads there.
func TestFoldedConstantsAreReached(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*desk)
		want string
	}{
		{"a filter", func(d *desk) { d.press("/").write("op:Constant big").press("enter") }, "big"},
		{"a jump", func(d *desk) { d.press("f").write("axes").press("enter") }, "axes"},
		{"the next match", func(d *desk) { d.press("/").write("op:Constant").press("enter", "n") }, "axes"},
		{"a row that was left", func(d *desk) { d.press("K", "j", "G", "K", "[") }, "two"},
	} {
		d := constantsDesk(t)
		c.do(d)
		if got := d.selected(); got != c.want {
			t.Errorf("%s: %q is selected, want %q:\n%s", c.name, got, c.want, d.screen())
		}
	}
}

// TestFilterPassesOverConstants goes to the first match that has a row.
func TestFilterPassesOverConstants(t *testing.T) {
	d := constantsDesk(t)
	d.press("/").write("tw").press("enter")
	if got := d.selected(); got != "twice" || d.shownNames() != folded {
		t.Errorf("%q is selected of %s", got, d.shownNames())
	}
}

// TestConstantsOfOtherOrders lists constants where rows are sorted, and folds them again in the order
// of the graph.
func TestConstantsOfOtherOrders(t *testing.T) {
	d := constantsDesk(t)
	d.column("name", "s")
	if got := d.shownNames(); !strings.Contains(got, "axes") {
		t.Errorf("sorted: %s", got)
	}
	d.press("K")
	d.sees("constants are folded only in the order of the graph")
	if d.column("op", "r"); d.shownNames() != folded {
		t.Errorf("in the order of the graph: %s", d.shownNames())
	}
}

// TestRangeKeepsFoldedConstants cuts out a range: a constant that is folded into it is not an input.
func TestRangeKeepsFoldedConstants(t *testing.T) {
	d := constantsDesk(t)
	d.press("/").write("twice").press("enter", "esc", "v", "j")
	inputs, outputs := boundaryOf(d.app.ws, d.app.ws.Chosen())
	if diff := cmp.Diff([][]string{{"x"}, {"y", "s"}}, [][]string{inputs, outputs}); diff != "" {
		t.Error(diff)
	}
}

// TestFollowPassesOverConstants follows to the only row that is shown.
func TestFollowPassesOverConstants(t *testing.T) {
	d := constantsDesk(t)
	d.press("/").write("sum").press("enter", "esc", "h")
	if got := d.selected(); got != "twice" || !closed(d) {
		t.Errorf("%q is selected", got)
	}
}

// TestConstantsAlone shows constants that no row reads: those of a model, and those of a body.
func TestConstantsAlone(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, "a = Constant() value={f32[] 1}\nb = Constant() value={f32[] 2}\noutput a f32"), 80, 24)
	if got := d.shownNames(); got != "→ a → b a" {
		t.Errorf("a model of constants: %s", got)
	}
	d.press("K")
	d.sees("no node here is a Constant that another one reads")
	d = newDesk(t, graphtest.Model(t, `
input yes bool
k = Constant() value={f32[] 3}
graph one
t = Constant() value={f32[] 1}
output t f32
end
graph two
e = Neg(k)
output e f32
end
choose: y = If(yes) then_branch=@one else_branch=@two
output y f32
`), 80, 24)
	if got := d.shownNames(); got != "yes choose y" {
		t.Errorf("captured by a body: %s", got)
	}
	d.press("j", "o", "enter")
	if got := d.shownNames(); got != "→ t t" {
		t.Errorf("a body of a constant: %s", got)
	}
	d.press("backspace", "o", "j", "enter", "h") // to what makes the captured value
	if got := d.shownNames(); got != "yes → k choose y" || d.selected() != "→ k" {
		t.Errorf("to a folded constant outside: %s, %q is selected", got, d.selected())
	}
}

// TestUndoKeepsConstantsFolded takes a step and takes it back.
func TestUndoKeepsConstantsFolded(t *testing.T) {
	d := constantsDesk(t)
	d.press("/").write("add").press("enter", "esc", "space", "p")
	if got := d.shownNames(); got != "x twice add z" {
		t.Errorf("after a prune: %s", got)
	}
	d.press("u")
	if got := d.shownNames(); got != folded {
		t.Errorf("after undo: %s", got)
	}
}
