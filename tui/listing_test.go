package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
	"lathe/tui/graph"
	"lathe/tui/nodes"
)

// shownNames returns the lines of the list: names of rows, and of groups after #.
func (d *desk) shownNames() string {
	var out []string
	ws := d.app.ws
	for line := range ws.Rows.N {
		if g := ws.GroupAt(line); g != nil {
			out = append(out, "#"+g.Name)
			continue
		}
		out = append(out, ws.Outline.Name(ws.RowAt(line)))
	}
	return strings.Join(out, " ")
}

// column goes to a column in the dialog and presses keys there.
func (d *desk) column(name string, keys ...string) *desk {
	d.t.Helper()
	d.press("c")
	for range graph.AllColumns {
		if d.app.dialogs.Top().(*nodes.ColumnsDialog).Column().Name == name {
			return d.press(keys...).press("esc")
		}
		d.press("j")
	}
	d.t.Fatalf("there is no column %q", name)
	return d
}

const weighted = `
input x f32[4]
init big f32[4] 1
init small f32[1] 1
a: p = Add(x, small)
b: q = Mul(p, big)
c: r = Add(q, big)
d: s = Relu(r)
output s f32[4]
`

func TestSortAndGroup(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, weighted), 120, 24)
	d.press("j", "j") // b
	for _, c := range []struct {
		what string
		do   func()
		want string
		sel  string
	}{
		{"by a number, the largest first", func() { d.column("params", "s") }, "b c a x d s", "b"},
		{"again turns around", func() { d.column("params", "s") }, "x d s a b c", "b"},
		{"by text", func() { d.column("name", "s") }, "a b c d s x", "b"},
		{"the order of the graph", func() { d.column("op", "r") }, "x a b c d s", "b"},
		{"groups, the largest first", func() { d.column("op", "b") }, "#Add #Mul #Relu #input #output", "b"},
		{"a group opens", func() { d.press("g", "enter") }, "#Add a c #Mul #Relu #input #output", "a"},
		{"rows in it are sorted", func() { d.column("params", "s") }, "#Add c a #Mul #Relu #input #output", "a"},
		{"a jump opens the group", func() { d.press("/").write("relu").press("enter") }, "#Add c a #Mul #Relu d #input #output", "d"},
		{"what was found, alone", func() { d.press("F") }, "#Relu d", "d"},
		{"and everything again", func() { d.press("F") }, "#Add c a #Mul #Relu d #input #output", "d"},
		{"a group closes on its line", func() { d.press("g", "enter") }, "#Add #Mul #Relu d #input #output", "c"},
	} {
		c.do()
		if diff := cmp.Diff(c.want, d.shownNames()); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
		if got := d.selected(); got != c.sel {
			t.Errorf("%s: %q is selected, want %q", c.what, got, c.sel)
		}
	}
}

// TestOnlyMatchesEnds stops listing only matches: Esc shows everything again, and so does a jump to
// another row.
func TestOnlyMatchesEnds(t *testing.T) {
	all := "x a b c d s"
	d := newDesk(t, graphtest.Model(t, weighted), 120, 24)
	d.press("/").write("op:Add").press("enter", "F")
	if got := d.shownNames(); got != "a c" {
		t.Fatalf("%q shows, want a c", got)
	}
	if d.press("l"); d.shownNames() != all || d.selected() != "b" {
		t.Errorf("after a jump %q shows and %q is selected", d.shownNames(), d.selected())
	}
	d.press("F", "esc")
	if got := d.shownNames(); got != all {
		t.Errorf("after Esc %q shows, want %q", got, all)
	}
	d.press("/").write("no such thing").press("enter", "F")
	d.sees("nothing matches")
}

// TestSortDropsStaleAnswers asks for two orders and delivers the first one last.
func TestSortDropsStaleAnswers(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, weighted), 120, 24)
	d.hold = true
	d.column("params", "s").column("name", "s")
	if len(d.waiting) != 2 {
		t.Fatalf("%d questions are asked, want 2", len(d.waiting))
	}
	first, second := d.waiting[0], d.waiting[1]
	d.send(second())
	d.send(first())
	if got, want := d.shownNames(), "a b c d s x"; got != want {
		t.Errorf("%q shows, want %q", got, want)
	}
}

// TestOrderStaysWithTheModel keeps the order through a step and into a body.
func TestOrderStaysWithTheModel(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, weighted), 120, 24)
	d.column("name", "s").press("/").write("c").press("enter", "esc", "space", "p")
	if got, want := d.shownNames(), "a b c r x"; got != want {
		t.Errorf("after a prune %q shows, want %q", got, want)
	}
}

func TestColumnsThatFindNoRoom(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, weighted), 48, 24)
	for _, c := range []string{"params", "bytes", "readers", "domain", "output"} {
		d.column(c, "space")
	}
	d.sees("+2", "params")
	checkSize(t, d, [2]int{48, 24})
}
