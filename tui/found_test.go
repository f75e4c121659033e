package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// bodies is a model with matches in the main graph, in two bodies and in a function.
const bodies = `
input x f32[4]
init yes bool 1
graph one
in1: t = Neg(x)
in2: u = Relu(t)
output u f32[4]
end
graph two
e = Abs(x)
in3: r = Relu(e)
output r f32[4]
end
function local Twice(a) -> (c)
in4: c = Relu(a)
end
first: h = Relu(x)
choose: k = If(yes) then_branch=@one else_branch=@two
last: y = Relu(h)
called: z = local::Twice(y)
output z f32[4]`

// TestMatchesOfAllPlaces goes through all matches and wraps around, in both directions.
func TestMatchesOfAllPlaces(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, bodies), 120, 30)
	d.press("/").write("op:Relu").press("enter")
	d.sees("match 1 of 2, 3 in other bodies")
	want := strings.Fields("first last in2 in3 in4 first")
	for i, key := range []string{"", "n", "n", "n", "n", "n"} {
		if key != "" {
			d.press(key)
		}
		if d.selected() != want[i] {
			t.Fatalf("match %d is %s, want %s", i, d.selected(), want[i])
		}
	}
	slices.Reverse(want)
	for i := range want[1:] {
		if d.press("N"); d.selected() != want[i+1] {
			t.Fatalf("match %d backwards is %s, want %s", i, d.selected(), want[i+1])
		}
	}
	if d.press("[", "[", "["); d.selected() != "in3" {
		t.Errorf("three spots back is %s", d.selected())
	}
}

// TestTypedAhead types after a filter before its answer arrives, and after it: the result is the
// same.
func TestTypedAhead(t *testing.T) {
	for _, keys := range []string{"enter enter", "n space", "/ e n d enter space"} {
		soon, late := newDesk(t, graphtest.Model(t, bodies), 120, 30), newDesk(t, graphtest.Model(t, bodies), 120, 30)
		soon.press("/")
		soon.hold = true
		soon.write("has:body").press("enter").press(strings.Fields(keys)...)
		soon.resume()
		late.press("/").write("has:body").press("enter").press(strings.Fields(keys)...)
		if got, want := soon.screen(), late.screen(); got != want {
			t.Errorf("%s ahead of the answer:\n%s\nand behind it:\n%s", keys, got, want)
		}
	}
}

// TestTypedAheadInVain discards waiting keys with Esc, and types after a filter that turns out to
// be invalid: none of the keys has an effect.
func TestTypedAheadInVain(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, bodies), 120, 30)
	d.press("/")
	d.hold = true
	d.write("op:If").press("enter", "enter", "q", "esc")
	d.resume()
	if d.quit || d.selected() != "x" || d.app.ws.Found.IsOn() {
		t.Errorf("Esc takes back what waits; %s is selected", d.selected())
	}
	d.press("/")
	d.hold = true
	d.write("op:If").press("enter", "q", "enter")
	d.perform(d.app.ws.TakeFound(workspace.FoundAnswer{Err: errors.New("no such field"), Why: "no such field"}, nil))
	d.resume()
	if d.quit || d.app.dialogs.Top() == nil {
		t.Error("what was typed behind a filter that is wrong has acted")
	}
}

// TestMatchesInOrder goes through the matches in the order shown: sorted, and in closed groups.
func TestMatchesInOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		o    graph.Order
		want string
	}{
		{"as the graph has it", graph.Order{}, "fc left right masked fc"},
		{"by operator", graph.Order{Column: "op"}, "fc masked left right fc"},
		{"by operator, turned around", graph.Order{Column: "op", Descending: true}, "fc right left masked fc"},
		{"grouped", graph.Order{Column: "op", Group: "op"}, "fc masked left right fc"},
		{"only matches", graph.Order{Column: "op", Only: true}, "fc masked left right fc"},
		{"only matches, grouped", graph.Order{Column: "op", Group: "type", Only: true}, "fc masked left right fc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := branchyDesk(t, 120, 30)
			d.press("/").write("op:MatMul,Relu,Sigmoid,Mul").press("enter")
			d.perform(d.app.ws.Reorder(c.o))
			var got []string
			for i := range 5 {
				if i > 0 {
					d.press("n")
				} else {
					d.app.ws.GoTo(2)
				}
				got = append(got, d.selected())
			}
			if g := strings.Join(got, " "); g != c.want {
				t.Errorf("%s, want %s", g, c.want)
			}
			for range 4 {
				d.press("N")
			}
			if d.selected() != "fc" {
				t.Errorf("as many back is %s", d.selected())
			}
			if c.o.Only != d.app.ws.Listing.Order.Only {
				t.Error("other rows show than were asked for")
			}
		})
	}
}

// TestOnlyMatchesWhileTyping types another filter while only matches are listed: only the new
// matches are listed, and the first of them is selected.
func TestOnlyMatchesWhileTyping(t *testing.T) {
	d := branchyDesk(t, 120, 30)
	d.press("/").write("relu").press("enter", "F", "/").write("op:Add,Mul").press("enter")
	if ws := d.app.ws; ws.Rows.N != 2 || !ws.Listing.Order.Only || d.selected() != "join" {
		t.Errorf("%d rows, only matches: %v, %s selected", ws.Rows.N, ws.Listing.Order.Only, d.selected())
	}
	d.press("/").write("nosuch").press("enter")
	d.sees("nothing matches; F shows everything again")
	d.press("esc")
	if ws := d.app.ws; ws.Rows.N != ws.Outline.Len() || ws.Found.IsOn() {
		t.Errorf("%d rows after Esc", ws.Rows.N)
	}
}

// TestOldArrangement delivers an order of rows after another place is shown: it does not apply
// there.
func TestOldArrangement(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, bodies), 120, 30)
	d.hold = true
	d.perform(d.app.ws.Reorder(graph.Order{Column: "op"}))
	late := d.waiting
	d.waiting, d.hold = nil, false
	d.perform(d.app.ws.Show(graph.Spot{Place: d.app.ws.Model().Places()[1], Row: 0}))
	for _, cmd := range late {
		d.perform(cmd)
	}
	if n := d.app.ws.Rows.N; n != d.app.ws.Outline.Len() {
		t.Errorf("%d rows of %d show", n, d.app.ws.Outline.Len())
	}
}

// TestLights asks what depends on rows, what they depend on, and for paths.
func TestLights(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		rows       []int32
		said       string
	}{
		{"before a node", "j j j <", []int32{0, 2}, "what left depends on: 2 rows"},
		{"after a node", "j j j >", []int32{5, 6, 7, 8, 9}, "what depends on left: 5 rows"},
		{"after an input", "j >", []int32{6, 8}, "what depends on mask: 2 rows"},
		{"before an input", "<", nil, "x depends on nothing else"},
		{"before an output", "G <", []int32{0, 2, 3, 4, 5, 7}, "what p depends on: 6 rows"},
		{"after an output", "G >", nil, "nothing else depends on p"},
		{"before a range", "j j j v j <", []int32{0, 2}, "what 2 rows depend on: 2 rows"},
		{"after a range, itself left out", "j j v j j >", []int32{5, 6, 7, 8, 9}, "what depends on 3 rows: 5 rows"},
		{"between the ends of a range, both ends", "j j j j j j j v k k k w", []int32{4, 5, 7}, "between right and halves: row 1 of 3"},
		{"all ways", "j j v j j j w", []int32{2, 3, 4, 5}, "between fc and join: row 4 of 4"},
		{"the same upwards", "j j j j j v k k k w", []int32{2, 3, 4, 5}, ""},
		{"a shortest way", "j j v j j j W", []int32{2, 3, 5}, "a shortest way between fc and join: row 3 of 3"},
		{"from input to output", "v G W", []int32{0, 2, 3, 5, 7, 9}, ""},
		{"no way", "j j j v j w", nil, "there is no path between left and right"},
		{"no shortest way", "j j j v j W", nil, "there is no path between left and right"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := branchyDesk(t, 160, 30)
			d.press(strings.Fields(c.keys)...)
			if got := d.app.ws.Found.Rows; !slices.Equal(got, c.rows) || !d.app.ws.Found.IsOn() {
				t.Errorf("rows %v, want %v", got, c.rows)
			}
			d.sees(c.said)
		})
	}
}

// TestNoWay says that there is no path, and does not move.
func TestNoWay(t *testing.T) {
	d := branchyDesk(t, 160, 30)
	d.press("j", "j", "j", "space", "j", "w")
	d.sees("there is no path between left and right")
	d.press("n")
	d.sees("there is no path between left and right")
	if d.selected() != "right" {
		t.Errorf("%s is selected", d.selected())
	}
}

// TestLightsInBodies asks inside a body and a function; marks of the main graph are not ends of a
// path there.
func TestLightsInBodies(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, bodies), 160, 30)
	d.press("j", "space")
	d.perform(d.app.ws.Show(graph.Spot{Place: d.app.ws.Model().Places()[1], Row: 0}))
	d.press("w")
	d.sees("begin a range at one end with v")
	for _, c := range []struct{ keys, want, said string }{
		{"g >", "[1 2 3]", "what depends on x: 3 rows"},
		{"G <", "[0 1 2]", "what u depends on: 3 rows"},
		{"g v G W", "[0 1 2 3]", "a shortest way between x and u: row 4 of 4"},
	} {
		d.press(strings.Fields(c.keys)...)
		if got := fmt.Sprint(d.app.ws.Found.Rows); got != c.want {
			t.Errorf("%s: rows %s, want %s", c.keys, got, c.want)
		}
		d.sees(c.said)
		d.press("esc")
	}
	if d.press("esc"); d.app.ws.Outline.Place.ID != 0 {
		t.Error("Esc does not lead out in the end")
	}
}

// TestMessageComesFirst shows a message beside a search: in full if the number of the match is short
// or left out.
func TestMessageComesFirst(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("/").write("Relu").press("enter")
	d.sees(`"Relu" match 1 of 1`)
	for _, c := range []struct {
		length int
		side   string
	}{{50, `"Relu" match 1 of 1`}, {70, " 1/1 "}, {78, ""}, {79, ""}} {
		said := strings.Repeat("m", c.length)
		d.app.ws.Log.Say(said)
		lines := strings.Split(d.screen(), "\n")
		last := lines[len(lines)-1]
		if !strings.Contains(last, said) || !strings.Contains(last, c.side) {
			t.Errorf("a message of %d: %q", c.length, last)
		}
	}
	d.app.ws.Log.Showing = false
	d.sees(`"Relu" match 1 of 1`)
}
