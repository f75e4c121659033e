package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/search"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

func init() {
	effects[shell.PlaceMain]["jump"] = effect{nil, opens(search.PlaceJump)}
	effects[search.PlaceJump] = map[actions.Name]effect{
		shell.ActionAccept: {func(d *desk) { d.press("f").write("relu") }, func(d *desk) bool { return closed(d) && d.selected() == "left" }},
		shell.ActionClose:  {press("f"), closed},
	}
	positions[search.PlaceJump] = struct {
		enter func(*desk)
		at    func(*desk) int
	}{
		func(d *desk) {
			d.resize(80, 12)
			d.press("f", "pgdown", "down")
		},
		func(d *desk) int { return jumpOf(d).Rows.Cursor },
	}
	views = append(views, []struct{ name, keys string }{
		{"jump", "f"},
		{"jump-some", "f r l"},
	}...)
}

func jumpOf(d *desk) *search.JumpDialog { return d.app.dialogs.Top().(*search.JumpDialog) }

func TestJump(t *testing.T) {
	for _, c := range []struct {
		typed, selected string
		place           int
	}{
		{"first", "first", 0},
		{"in2", "in2", 1},
		{"relu in3", "in3", 2},
		{"in4", "in4", 3},
		{"twice relu", "in4", 3},
		{"input x", "x", 0},
		{"output u", "u", 1},
		{"constant yes", "choose", 0},
		{"mod branch", "/branch/node", 0},
	} {
		t.Run(c.typed, func(t *testing.T) {
			d := newDesk(t, graphtest.Model(t, strings.Replace(bodies, "last:", "/branch/node: m = Neg(h)\nlast:", 1)), 120, 30)
			d.press("G", "f").write(c.typed).press("enter")
			if got, at := d.selected(), d.app.ws.Outline.Place.ID; got != c.selected || at != c.place || !closed(d) {
				t.Errorf("%q in place %d, want %q in %d\n%s", got, at, c.selected, c.place, d.screen())
			}
			if d.press("["); d.selected() != "z" || d.app.ws.Outline.Place.ID != 0 {
				t.Errorf("back is %q in place %d", d.selected(), d.app.ws.Outline.Place.ID)
			}
		})
	}
}

// TestJumpIsShown shows for each name what it is and where, and how many there are.
func TestJumpIsShown(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, bodies), 120, 30)
	d.press("f").write("relu")
	d.sees("Relu           in2", "choose:then_branch", "local:Twice")
	if got := jumpOf(d).State(); got != "5" {
		t.Errorf("%s match", got)
	}
	match := d.app.ws.Styles.Match
	if !strings.Contains(d.app.View().Content, match.On("Relu")) {
		t.Error("the letters that match do not stand out")
	}
	d.write("qqq")
	d.sees("nothing matches")
	d.press("enter")
	if closed(d) || d.app.ws.Log.Entries == nil {
		t.Error("nothing was gone to, and nothing said")
	}
}

// TestJumpToSharedConstant goes to the first of several nodes that read a constant, and says so.
func TestJumpToSharedConstant(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, "input x f32[2]\ninit w f32[2] 1\ninit v f32[2] 1\na: h = Add(x, w)\nb: i = Mul(h, w)\nc: y = Add(v, v)\noutput i f32[2]\noutput y f32[2]"), 120, 30)
	d.press("f").write("constant w").press("enter")
	if d.sees("the first of 2 nodes that read w; / reads:NAME finds all"); d.selected() != "a" {
		t.Errorf("%q is selected", d.selected())
	}
	if d.press("f").write("constant v").press("enter"); d.selected() != "c" {
		t.Errorf("%q is selected", d.selected())
	}
	d.lacks("the first of")
}

// TestJumpToMany lists the best matches and counts all.
func TestJumpToMany(t *testing.T) {
	d := newDesk(t, chain(t, 3000), 120, 40)
	d.press("f").write("relu")
	d.sees("200 of 1,000")
	if n := len(jumpOf(d).Shown); n != search.MaxJumps {
		t.Errorf("%d are listed", n)
	}
	d.press("down", "down", "up")
	want := jumpOf(d).Shown[1].Name
	d.press("enter")
	if d.selected() != want {
		t.Errorf("%s, want %s", d.selected(), want)
	}
}

// TestJumpIsLate delivers answers out of order, and after the dialog has closed; a choice confirmed
// before the answer is made when it arrives.
func TestJumpIsLate(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.hold = true
	d.press("f")
	d.write("x")
	d.sees("reading names")
	if len(d.waiting) != 1 {
		t.Errorf("names are read %d times", len(d.waiting))
	}
	d.press("backspace")
	d.resume()
	d.lacks("reading names")
	d.hold = true
	d.write("sig")
	late := d.waiting
	d.waiting = nil
	d.press("enter")
	if closed(d) {
		t.Fatal("it went before the answer was there")
	}
	for _, i := range []int{0, 1} { // those of "s" and "si"
		d.send(late[i]())
		if closed(d) {
			t.Fatal("an answer to less than was typed was taken")
		}
	}
	d.hold = false
	d.perform(late[2])
	if d.selected() != "right" || !closed(d) {
		t.Errorf("%s is selected", d.selected())
	}

	d.hold = true
	d.press("f")
	dialog := jumpOf(d)
	d.press("esc")
	if dialog.IsWaiting() {
		t.Error("what nobody waits for goes on")
	}
	d.resume()
	if !closed(d) {
		t.Error("a late answer opened something")
	}
}

// TestJumpInANewModel reads names again when the model has changed, even while the dialog is open.
func TestJumpInANewModel(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press("j", "j", "j", "space", "f", "esc", "p", "f").write("sigmoid")
	d.sees("nothing matches")
	d.press("esc", "u", "f").write("sigmoid")
	d.sees("right")
	d.perform(workspace.RedoStep(d.app.ws)) // as a job that ends while the dialog is open
	d.press("enter")
	if closed(d) {
		t.Error("it went to a node of the model before")
	}
	d.sees("nothing matches")
}

func TestAtlasIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := search.NewAtlas(ctx, chain(t, 10_000), &graph.Typing{}); err == nil {
		t.Error("it read on")
	}
}

// TestHostileJumps lists names with each payload, and goes to them by typing what is shown.
func TestHostileJumps(t *testing.T) {
	t.Parallel()
	for i, payload := range graphtest.Hostile {
		d := newDesk(t, graphtest.Decode(t, graphtest.HostileProto(t, payload)), 140, 50)
		d.press("f")
		d.look(fmt.Sprint("names with payload ", i))
		d.press("pgdown")
		d.look(fmt.Sprint("more names with payload ", i))
		d.paste("node")
		d.look(fmt.Sprint("letters with payload ", i))
		d.press("enter")
		if !closed(d) {
			t.Errorf("%d: nothing is found", i)
		}
		d.look(fmt.Sprint("there with payload ", i))
	}
}

// TestJumpByDots finds modules written with dots, as in PyTorch, and highlights the matching
// letters.
func TestJumpByDots(t *testing.T) {
	src := strings.Replace(bodies, "last:", "/enc/layer/0/attn/node: m = Neg(h)\nlast:", 1)
	d := newDesk(t, graphtest.Model(t, src), 120, 30)
	d.press("f")
	for _, typed := range []string{"enc.layer.0.attn", "module layer.0.attn", "/enc/layer/0/attn"} {
		d.write(typed)
		j := jumpOf(d)
		if len(j.Shown) == 0 || j.Shown[0].Name != "/enc/layer/0/attn" {
			t.Fatalf("%s finds %v", typed, j.Shown)
		}
		if at, end := j.Shown[0].At, len("module /enc/layer/0/attn"); at[len(at)-1] != end-1 {
			t.Errorf("%s stands out at %v", typed, at)
		}
		d.press("ctrl+u")
	}
}

// TestJumpIsSaid checks what a screen reader says: the best match and the number of matches, and
// nothing about an earlier query.
func TestJumpIsSaid(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, bodies), 120, 30)
	d.press("f").write("relu")
	j := jumpOf(d)
	if said := j.Said(); !strings.HasPrefix(said, "relu: Relu last") || !strings.HasSuffix(said, ", 1 of 5") {
		t.Errorf("said %s", said)
	}
	d.hold = true
	d.write("q")
	if said := j.Said(); said != "reluq: searching" || !j.Awaits() {
		t.Errorf("said %s", said)
	}
	d.resume()
	if said := j.Said(); said != "reluq: nothing matches" || j.Awaits() {
		t.Errorf("said %s", said)
	}
}

// TestOuterIsFollowedAround says where a value of the enclosing graph is made.
func TestOuterIsFollowedAround(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, bodies), 120, 30)
	d.press("f").write("choose").press("enter", "o", "enter")
	o := d.app.ws.Outline
	for row := range o.Len() {
		if o.Port(row).What != "outer" {
			continue
		}
		d.perform(d.app.ws.Visit(graph.Spot{Place: o.Place, Row: row}))
		d.press("<")
		d.sees("is computed in the outer graph; h follows it there")
		return
	}
	t.Fatal("nothing is taken from around")
}

// BenchmarkAtlas measures reading the names of a large model.
func BenchmarkAtlas(b *testing.B) {
	m := chain(b, many)
	for b.Loop() {
		if _, err := search.NewAtlas(b.Context(), m, &graph.Typing{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJump measures finding some letters among all names of a large model.
func BenchmarkJump(b *testing.B) {
	a, err := search.NewAtlas(b.Context(), chain(b, many), &graph.Typing{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := a.Find(b.Context(), "lay77relu", search.MaxJumps); err != nil {
			b.Fatal(err)
		}
		if _, _, err := a.Find(b.Context(), "", search.MaxJumps); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJumpKey measures typing in the jump dialog.
func BenchmarkJumpKey(b *testing.B) { benchTyping(b, "f") }
