package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"lathe/graphops/filter"
	"lathe/graphops/graphtest"
	"lathe/tui/graph"
	"lathe/tui/search"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

func init() {
	views = append(views, []struct{ name, keys string }{
		{"search-fields", "/ tab"},
		{"search-fault", "/ o p : A d d space x : y"},
		{"search-unfinished", "/ o p : A d d space i n :"},
		{"search-help", "/ f1"},
		{"lit", "j j j j <"},
	}...)
}

// prompt opens the line for filters and types into it.
func prompt(t *testing.T, model, typed string) *desk {
	t.Helper()
	d := newDesk(t, graphtest.Model(t, model), 100, 30)
	return d.press("/").write(typed)
}

func promptOf(d *desk) *search.SearchPrompt { return d.app.dialogs.Top().(*search.SearchPrompt) }

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		name, typed, keys, want string
	}{
		{"an operator by its beginning", "rel", "tab", "op:Relu"},
		{"a field", "sha", "tab", "shape:"},
		{"the second", "op:", "down tab", "op:MatMul"},
		{"up from the second is the first", "op:", "down up tab", "op:Add"},
		{"none before the first", "op:", "up tab", "op:Add"},
		{"within the expression", "op:Mat -op:Relu", "home right right right right right right end home ctrl+f ctrl+f ctrl+f ctrl+f ctrl+f ctrl+f tab tab", "op:MatMul -op:Relu"},
		{"field, then what it holds", "typ", "tab tab", "type:f32"},
		{"what goes on in quotes", "name:j", "tab", "name:join"},
		{"nothing to complete", "op:Relu", "tab", "op:Relu"},
		{"every field of an empty line", "", "tab tab", "after:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := prompt(t, branchy, c.typed)
			d.press(strings.Fields(c.keys)...)
			if got := promptOf(d).Field.Value(); got != c.want {
				t.Errorf("the line is %q, want %q", got, c.want)
			}
			if got := d.app.ws.Found.Query; got != c.want && c.want != "" {
				t.Errorf("%q is searched for", got)
			}
		})
	}
}

// TestStaleOffers delivers an answer after another letter was typed: a completion is never inserted
// into an expression that it was not made for.
func TestStaleOffers(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 100, 30)
	d.press("/").write("re")
	p := promptOf(d)
	if !p.Offers.IsOpen() {
		t.Fatal("nothing is offered")
	}
	d.hold = true
	d.write("l")
	d.press("tab")
	if got := p.Field.Value(); got != "rel" {
		t.Errorf("a list for another expression made %q of it", got)
	}
	late := d.waiting
	d.waiting = nil
	d.write("u")
	answers := d.waiting
	d.waiting, d.hold = nil, false
	for _, cmd := range append(answers, late...) {
		d.perform(cmd)
	}
	if p.Offers.Expr != "relu" {
		t.Errorf("the list is for %q", p.Offers.Expr)
	}
	d.hold = true
	d.write("x")
	d.press("esc", "esc")
	d.resume()
	if p.Offers.IsOpen() || !closed(d) {
		t.Error("a late answer opened the list again")
	}
}

func TestEscInThePrompt(t *testing.T) {
	d := prompt(t, branchy, "o")
	if !promptOf(d).Offers.IsOpen() {
		t.Fatal("nothing is offered")
	}
	d.press("esc")
	if closed(d) || promptOf(d).Offers.IsOpen() {
		t.Fatal("the first Esc takes the list away and nothing else")
	}
	if d.press("esc"); !closed(d) || d.selected() != "x" || d.app.ws.Found.IsOn() {
		t.Errorf("the second Esc restores; %s is selected", d.selected())
	}
}

// TestRestore opens the line after an earlier search, types something else and goes back.
func TestRestore(t *testing.T) {
	for _, c := range []struct{ name, before, want string }{
		{"a filter", "/ r e l u esc enter", `"relu" match 1 of 1`},
		{"what was lit", "j j j j >", "what depends on right: 5 rows"},
		{"only matches", "/ m u l enter F", `"mul" match`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := branchyDesk(t, 100, 30)
			d.press(strings.Fields(c.before)...)
			d.sees(c.want)
			selected, rows := d.selected(), d.app.ws.Rows.N
			d.press("/").write("sigm")
			d.press("esc", "esc")
			d.sees(c.want)
			if d.selected() != selected || d.app.ws.Rows.N != rows {
				t.Errorf("%s of %d rows is selected, want %s of %d", d.selected(), d.app.ws.Rows.N, selected, rows)
			}
		})
	}
}

func TestPastFilters(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	for _, q := range []string{"relu", "sigmoid", "relu"} {
		d.press("/").write(q)
		d.app.dialogs.Top().(*search.SearchPrompt).Offers.Close()
		d.press("enter")
	}
	d.press("/").write("spl").press("esc")
	for _, c := range []struct{ key, want string }{
		{"up", "relu"}, {"up", "sigmoid"}, {"up", "sigmoid"}, {"down", "relu"}, {"down", "spl"}, {"down", "spl"},
	} {
		d.press(c.key)
		if got := promptOf(d).Field.Value(); got != c.want {
			t.Errorf("%s leads to %q, want %q", c.key, got, c.want)
		}
	}
	d.press("up", "up")
	if d.selected() != "right" {
		t.Errorf("%s is selected", d.selected())
	}
}

// TestFault underlines the error where it is, even if the line is longer than the screen.
func TestFault(t *testing.T) {
	for _, c := range []struct {
		typed, fault, said string
	}{
		{"op:Add foo:x", "foo", "no field is called that"},
		{"foo:x op:Add", "foo", "no field is called that"},
		{"after:nowhere op:Add", "nowhere", "no node, value or scope"},
		{strings.Repeat("op:Add ", 30) + "foo:x", "foo", "no field is called that"},
		{"op:Add) x", ")", `no "("`},
		{"op:Add in:", "", "expected a scope"},
		{"op:Add", "", "match 1 of 1"},
	} {
		d := prompt(t, branchy, c.typed)
		lines := strings.Split(d.app.View().Content, "\n")
		line, statement := lines[len(lines)-1], ansi.Strip(lines[len(lines)-2])
		fault := string(d.app.ws.Styles.Fault)
		_, after, ok := strings.Cut(line, fault)
		got, _, _ := strings.Cut(after, ansi.ResetStyle)
		if got != c.fault || ok != (c.fault != "") {
			t.Errorf("%s: %q is underlined, want %q", c.typed, got, c.fault)
		}
		if !strings.Contains(statement, c.said) {
			t.Errorf("%s: %q", c.typed, statement)
		}
		checkSize(t, d, [2]int{100, 30})
	}
}

// TestUnfinished keeps the highlighted rows while a condition is incomplete, and shows the error
// only dimmed.
func TestUnfinished(t *testing.T) {
	d := prompt(t, branchy, "relu -")
	if f := &d.app.ws.Found; !f.Matches(3) || f.Known || d.selected() != "left" {
		t.Errorf("rows %v, %s is selected", f.Rows, d.selected())
	}
	if !strings.Contains(d.app.View().Content, string(d.app.ws.Styles.Faint)+" column 6: expected a test or text") {
		t.Errorf("%q", d.app.View().Content)
	}
	if d.write("foo:x "); d.app.ws.Found.Rows != nil {
		t.Errorf("what is wrong finds %v", d.app.ws.Found.Rows)
	}
}

// TestPorts lists inputs and outputs as such, not as what makes them.
func TestPorts(t *testing.T) {
	const ports = "input x f32[2]\ninput y i64[3]\na: h = Relu(x)\nb: z = Relu(h)\noutput z f32[2]\noutput h f32[2]"
	for _, c := range []struct {
		query string
		want  string
	}{
		{"op:Relu", "[2 3]"},
		{"shape:2", "[0 2 3 4 5]"},
		{"type:i64", "[1]"},
		{"name:z", "[4]"},
		{"is:output", "[4 5]"},
		{"after:a", "[3 4 5]"},
		{"-op:Relu", "[0 1 4 5]"},
	} {
		places, err := graph.NewFinder(graphtest.Model(t, ports), nil).Find(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(places[0]); got != c.want {
			t.Errorf("%s: rows %s, want %s", c.query, got, c.want)
		}
	}
}

// TestSlowSearch shows how long a slow search takes, and drops answers that are out of date or no
// longer wanted.
func TestSlowSearch(t *testing.T) {
	o := testOptions(graphtest.Model(t, branchy))
	now := time.Unix(0, 0)
	o.Now = func() time.Time { return now }
	d := newDeskWith(t, o, 100, 30)
	d.hold = true
	d.press("/").write("a")
	search := d.waiting[len(d.waiting)-1]().(tea.BatchMsg)[0]().(tea.BatchMsg)
	d.send(search[1]())
	d.sees("searching")
	d.lacks("searching,")
	now = now.Add(3 * time.Second)
	d.send(search[1]())
	d.sees("searching, 3")
	late := search[0]()
	d.write("b")
	d.send(late)
	d.sees("searching")
	d.lacks("searching,")
	d.waiting = nil
	d.press("esc")
	d.resume()
	if f := &d.app.ws.Found; f.IsOn() || len(f.Rows) > 0 {
		t.Errorf("a search that was given up found %v", f.Rows)
	}
}

func TestPromptIsSaid(t *testing.T) {
	d := prompt(t, branchy, "op:")
	want := `filter op:, "op:" at column 1: expected an operator behind it, x, completion Add, 1, 1 of 6`
	if got := promptOf(d).Said(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestStaleOffersAreNotSaid leaves out completions for less than was typed.
func TestStaleOffersAreNotSaid(t *testing.T) {
	d := prompt(t, branchy, "op:")
	p := promptOf(d)
	d.hold = true
	d.write("R")
	if said := p.Said(); strings.Contains(said, "completion") || !p.Awaits() {
		t.Errorf("said %s", said)
	}
	d.resume()
	if said := p.Said(); !strings.Contains(said, "completion Relu") || p.Awaits() {
		t.Errorf("said %s", said)
	}
}

// TestWrongFilterIsNotKept stays in the line, before and after the answer arrives, and reports an
// error once.
func TestWrongFilterIsNotKept(t *testing.T) {
	for _, late := range []bool{false, true} {
		d := prompt(t, branchy, "")
		d.hold = late
		d.write("op:Add params>>5k")
		d.press("enter")
		d.resume()
		p := promptOf(d)
		if p.Field.Value() != "op:Add params>>5k" || len(d.app.ws.Found.Past) > 0 {
			t.Errorf("late %v: kept\n%s", late, d.screen())
		}
		d.sees("expected a count")
		if n := strings.Count(d.app.ws.Found.Summary(0), ">5k"); n != 1 {
			t.Errorf("the fault is told %d times: %s", n, d.app.ws.Found.Summary(0))
		}
		for range 4 {
			d.press("backspace")
		}
		d.write(">0")
		p.Offers.Close()
		if d.press("enter"); d.app.dialogs.Top() != nil {
			t.Errorf("not kept: %s", d.screen())
		}
	}
}

// TestHostileOffers types something that each payload completes and accepts it: the node is found.
func TestHostileOffers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for i, payload := range graphtest.Hostile {
		m := graphtest.Decode(t, graphtest.HostileProto(t, payload))
		d := newDesk(t, m, 140, 50)
		d.press("/").write("name:")
		d.look(fmt.Sprint("offers of payload ", i))
		d.press("tab")
		d.look(fmt.Sprint("taking payload ", i))
		if f := &d.app.ws.Found; f.Err != nil || len(f.Rows)+f.Elsewhere() == 0 {
			t.Errorf("%d: %q finds nothing: %v", i, promptOf(d).Field.Value(), f.Err)
		}
		d.press("esc", "/").write("meta:").press("down", "tab")
		d.press("f1")
		d.look(fmt.Sprint("help with payload ", i))
	}
}

// TestClickOnAnOffer takes the completion under the mouse.
func TestClickOnAnOffer(t *testing.T) {
	d := prompt(t, branchy, "op:")
	p := promptOf(d)
	p.Wheeled(1)
	p.Wheeled(-1)
	d.perform(p.Clicked(3, 1))
	if got := p.Field.Value(); got != "op:MatMul" {
		t.Errorf("the line is %q", got)
	}
	if p.Clicked(3, 20) != nil {
		t.Error("there is something where nothing is")
	}
}

// BenchmarkTyping measures typing in the line for filters.
func BenchmarkTyping(b *testing.B) { benchTyping(b, "/") }

// BenchmarkComplete measures completing a name among all names.
func BenchmarkComplete(b *testing.B) {
	m := chain(b, many)
	f := graph.NewFinder(m, nil)
	for b.Loop() {
		if list := f.Complete(b.Context(), m.Places()[0], "after:layers.77/", 16); len(list) == 0 {
			b.Fatal("nothing is offered")
		}
	}
}

// TestDock leaves room for the panes above the prompt, and a line for the prompt, on every screen
// of sufficient size.
func TestDock(t *testing.T) {
	for h := shell.MinHeight; h < 40; h++ {
		for _, wanted := range []int{0, 1, 2, 10, 50} {
			for _, notice := range []bool{false, true} {
				s := shell.Layout(80, h, shell.Mode{Focus: shell.RegionCentre, Dock: wanted, Notice: notice})
				below := s.Dock.Y
				if notice {
					below--
				}
				if s.Body.Y+s.Body.H != below || s.Body.H < shell.MinBody-1 || s.Dock.H < 1 || s.Dock.Y+s.Dock.H != h || s.Dock.H > max(wanted, 1) {
					t.Errorf("%d lines, %d wanted: body %+v, dock %+v", h, wanted, s.Body, s.Dock)
				}
			}
		}
	}
}

// TestSelectionStaysInSight types a filter whose first match is at the position where the list of
// completions appears.
func TestSelectionStaysInSight(t *testing.T) {
	d := newDesk(t, chain(t, 500), 80, 24)
	for range 20 {
		d.press("down")
	}
	d.press("/").write("name:")
	if n := len(promptOf(d).Offers.List); n < search.MaxOffers {
		t.Fatalf("%d completions", n)
	}
	checkSize(t, d, [2]int{80, 24})
	if ws := d.app.ws; ws.Rows.Cursor >= ws.Rows.Top+ws.Rows.Height || !strings.Contains(d.screen(), "●·"+ws.Outline.Op(ws.Row())) {
		t.Errorf("the selected row is out of sight:\n%s", d.screen())
	}
}

// TestSearchHelpScrolls: on a small screen every line of the explanation of the filter can be reached with
// the keyboard, line by line and by pages, and the way back leads to the first line.
func TestSearchHelpScrolls(t *testing.T) {
	for _, key := range []string{"pgdown", "down"} {
		d := newDesk(t, graphtest.Model(t, branchy+branchyBody), 80, 24)
		d.press("/", "f1")
		top, seen := d.screen(), d.screen()
		for range 80 {
			seen += d.press(key).screen()
		}
		fields := filter.Fields()
		for _, want := range []string{"what to type", "op:Conv,Gemm", "is:dead", "fields", fields[0].Help, fields[len(fields)-1].Help} {
			if !strings.Contains(seen, want) {
				t.Errorf("%s never shows %q", key, want)
			}
		}
		for range 80 {
			d.press(map[string]string{"pgdown": "pgup", "down": "up"}[key])
		}
		if got := d.screen(); !strings.Contains(got, strings.Split(top, "\n")[3]) {
			t.Errorf("%s: the way back ends at\n%s", key, got)
		}
	}
}

// TestSearchLeadsToTheList: after a filter was accepted in another pane, the keys are those of the list again,
// so that Space marks the match.
func TestSearchLeadsToTheList(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 120, 30)
	d.press("3")
	if looksAt(workspace.PlaceNodes)(d) {
		t.Fatal("the detail has no focus")
	}
	d.press("/").write("fc").press("enter")
	if !looksAt(workspace.PlaceNodes)(d) {
		t.Errorf("the focus is elsewhere:\n%s", d.screen())
	}
	d.press("space")
	if len(d.app.ws.Marks.Names) != 1 {
		t.Errorf("marks %q", d.app.ws.Marks.Names)
	}
}
