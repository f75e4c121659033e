package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/filter"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/scope"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/controls/keytest"
	"lathe/tui/graph"
	"lathe/tui/modules"
	"lathe/tui/nodes"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

func modulesOf(d *desk) *modules.Pane {
	return d.paneOf(workspace.PlaceModules).(*modules.Pane)
}

// inModel goes on with another model, with the focus on its modules.
func inModel(m func(testing.TB) *graphops.Model, keys ...string) func(*desk) {
	return func(d *desk) {
		*d = *newDesk(d.t, m(d.t), 80, 20)
		d.press("1").press(keys...)
	}
}

// moduleAt returns the path at the cursor of the modules.
func moduleAt(d *desk) string {
	p := modulesOf(d)
	if b := p.Branch(); b != nil {
		return modules.PathOf(p.Tree, *b)
	}
	return ""
}

func standsAt(path string) func(*desk) bool {
	return func(d *desk) bool { return moduleAt(d) == path }
}

// moduleLines returns a check of the number of lines of the modules.
func moduleLines(n int) func(*desk) bool {
	return func(d *desk) bool { return modulesOf(d).BranchCount() == n }
}

func init() {
	toLayers := []string{"-", "j", "l", "j", "j"} // model, open, embeddings, encoder
	effects[workspace.PlaceModules] = map[actions.Name]effect{
		"unfold": {inModel(bert, toLayers...), moduleLines(6)},
		"fold":   {inModel(bert, "-", "j", "l"), moduleLines(3)},
		nodes.ActionOpen: {inModel(bert, toLayers...), func(d *desk) bool {
			return looksAt(workspace.PlaceNodes)(d) && strings.HasSuffix(d.selected(), "layer.0/attention/self/MatMul")
		}},
		"only-this":  {inModel(bert, toLayers...), func(d *desk) bool { return d.app.ws.Rows.N == 16 && d.app.ws.Found.Query == "in:/model/encoder" }},
		"unfold-all": {inModel(bert, toLayers...), moduleLines(22)},
		"fold-all":   {inModel(bert, append(toLayers, "l", "j", "l")...), moduleLines(3)},
		"bytes":      {inModel(bert), shows("bytes")},
		"copy-path":  {inModel(bert, append(toLayers, "l", "j")...), copied("/model/encoder/layer.*")},
	}
	positions[workspace.PlaceModules] = struct {
		enter func(*desk)
		at    func(*desk) int
	}{
		inModel(func(t testing.TB) *graphops.Model { return manyScopes(t, 300) }, "*", "pgdown", "pgdown"),
		func(d *desk) int { return modulesOf(d).Rows.Cursor },
	}
	views = append(views, struct{ name, keys string }{"modules-flat", "1"})
}

// TestModulesViews checks the tree of a model on a first look, opened, and with a selected row in a
// folded layer.
func TestModulesViews(t *testing.T) {
	for _, v := range []struct {
		name  string
		model func(testing.TB) *graphops.Model
		keys  string
	}{
		{"first", bert, ""},
		{"open", bert, "1 - j l j j l j l B"},
		{"all", bert, "1 * G"},
		{"follows", bert, "1 - j l j j l 2 j j j j j j j j"},
		{"only", bert, "1 - j l j j l j space"},
		{"classes", torch, "1 *"},
		{"function", bert, "1 G enter"},
		{"body", bert, "1 G k k enter"},
	} {
		for _, size := range append(sizes, [2]int{140, 30}) {
			t.Run(fmt.Sprintf("%s/%dx%d", v.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := newDesk(t, v.model(t), size[0], size[1])
				d.press(strings.Fields(v.keys)...)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}

// TestModulesFollow moves through the list: the line of the selected row's module is marked, and
// folds stay folded and name the member.
func TestModulesFollow(t *testing.T) {
	d := newDesk(t, bert(t), 160, 40)
	d.press("1", "-", "2")
	seen := []string{}
	for range d.app.ws.Rows.N {
		p := modulesOf(d)
		seen = append(seen, p.Name(p.Here)+p.Extra(p.Here))
		if p.Rows.Cursor != p.Shown.LineOf(p.Here) {
			t.Errorf("the cursor is at line %d, the selected row in line %d", p.Rows.Cursor, p.Shown.LineOf(p.Here))
		}
		d.press("j")
	}
	want := []string{"/", "model", "pooler", "/"}
	if got := slices.Compact(seen); !slices.Equal(got, want) {
		t.Errorf("the lines are %q, want %q", got, want)
	}
	d.press("1", "g", "-", "j", "l", "j", "j", "l", "2", "g", "j", "j", "j", "j", "j", "j", "j")
	d.sees("layer.0…3 ▸1")
}

// TestModulesStayOpen undoes a step and visits a body: opened lines stay open.
func TestModulesStayOpen(t *testing.T) {
	d := newDesk(t, bert(t), 160, 40)
	d.press("1", "-", "j", "l", "j", "j", "l", "j", "l", "j", "l")
	want := slices.Clone(modulesOf(d).Shown.Lines)
	for _, keys := range [][]string{{"2", "G", "k", "o", "enter", "backspace"}, {"a", "enter", "esc"}, {"u"}} {
		d.press(keys...)
		if got := modulesOf(d).Shown; !slices.Equal(got.Lines, want) {
			t.Errorf("after %q the lines are %v, want %v", keys, got.Lines, want)
		}
	}
}

// TestModulesFollowTheModel cuts off most of the model: the tree shows what is left.
func TestModulesFollowTheModel(t *testing.T) {
	d := newDesk(t, bert(t), 160, 40)
	d.press("/").write("layer.1/mlp/Gelu").press("enter", "esc", "space", "p", "esc")
	d.press("1", "*")
	d.sees("layer.0…1")
	d.lacks("pooler")
}

func TestModulesRefuse(t *testing.T) {
	for _, c := range []struct {
		model func(testing.TB) *graphops.Model
		keys  string
		want  string
	}{
		{bert, "1 - j j l", "this module contains no other modules"},
		{bert, "1 g h", "this is the outermost module"},
		{bert, "1 G space", "this is not a module; Enter goes there"},
		{func(t testing.TB) *graphops.Model { return graphtest.Model(t, branchy) }, "1 enter", "the nodes here have no modules"},
		{func(t testing.TB) *graphops.Model { return graphtest.Model(t, "") }, "1 space", "the nodes here have no modules"},
	} {
		d := newDesk(t, c.model(t), 80, 24)
		d.press(strings.Fields(c.keys)...)
		d.sees(c.want)
	}
	d := branchyDesk(t, 80, 24)
	d.hold = true
	d.app.ws.Show(graph.Spot{Place: d.app.ws.Outline.Place, Row: 0}) // the wiring is computed again
	d.press("1", "l")
	d.sees("still being read")
}

// TestModulesFlat folds the region away if a model has no modules, and says why when asked.
func TestModulesFlat(t *testing.T) {
	d := branchyDesk(t, 160, 40)
	d.lacks("modules")
	d.press("1")
	d.sees("modules", "The modules")
	if said := modulesOf(d).Said(); !strings.Contains(said, "The modules of these nodes are not known") {
		t.Errorf("it says %q", said)
	}
}

// TestDoors goes through every door of the model, and back.
func TestDoors(t *testing.T) {
	d := newDesk(t, bert(t), 160, 40)
	d.press("1")
	var names []string
	for i := range modulesOf(d).Doors {
		d.press("1", "G")
		for range len(modulesOf(d).Doors) - 1 - i {
			d.press("k")
		}
		names = append(names, modulesOf(d).Said())
		d.press("enter")
		if d.app.ws.Outline.Place != d.app.ws.Model().Places()[i+1] {
			t.Errorf("%s leads to %s", names[i], d.app.ws.Outline.Place)
		}
		// The way back is the first door.
		d.press("1", "g")
		for modulesOf(d).Door() == nil {
			d.press("j")
		}
		d.sees("‹ main graph")
		d.press("enter")
		if d.app.ws.Outline.Place.ID != 0 {
			t.Fatalf("the way back leads to %s", d.app.ws.Outline.Place)
		}
	}
	want := []string{"body 19 If:then_branch, 1 node", "body 19 If:else_branch, 1 node", "function local:Gelu, 1 node"}
	if !slices.Equal(names, want) {
		t.Errorf("the doors are %q, want %q", names, want)
	}
}

// TestModulesClicked clicks on a mark, on a name, and on the name again.
func TestModulesClicked(t *testing.T) {
	d := newDesk(t, bert(t), 160, 40)
	d.press("1", "-", "2")
	click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(5, 3) // model
	if !standsAt("/model")(d) || !looksAt(workspace.PlaceModules)(d) {
		t.Fatalf("the click leads to %q\n%s", moduleAt(d), d.screen())
	}
	click(1, 3) // its mark
	if !moduleLines(5)(d) {
		t.Errorf("the mark does not unfold\n%s", d.screen())
	}
	click(1, 3)
	if !moduleLines(3)(d) {
		t.Errorf("the mark does not fold\n%s", d.screen())
	}
	click(5, 3)
	if !strings.HasSuffix(d.selected(), "word/MatMul") {
		t.Errorf("a click on the selected module leads to %s", d.selected())
	}
	click(3, 38) // below the tree
}

// TestInsideOf filters by every line of some trees: the matches are the nodes that the tree counts.
func TestInsideOf(t *testing.T) {
	for _, m := range []*graphops.Model{
		bert(t),
		named(t, "/a b(1)/l.0/x/R", "/a b(1)/l.1/x/R", "/a b(1)/l.9/y/R"),
		named(t, "/q\"x/l*0/z/R", "/q\"x/l*1/z/R", "/q\"x/l*1/..,/R", "/l|[0]/R", "/-x/R", "/\x1b[2J/R", "/\xff/R"),
		manyScopes(t, 300),
	} {
		place := m.Places()[0]
		tree := scope.BuildPlace(place)
		shown := modules.NewBranches(tree)
		shown.UnfoldAll(0)
		ws := newDesk(t, m, 80, 24).app.ws
		facts := filter.NewFacts(place, filter.Options{Scopes: tree})
		for _, b := range shown.Lines {
			query := modules.InsideOf(ws, tree, b)
			match, err := facts.Compile(query)
			if err != nil {
				t.Errorf("%s: %v", query, err)
				continue
			}
			nodes, err := match.All(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := (&modules.Pane{Tree: tree}).NodesOf(b); len(nodes) != want {
				t.Errorf("%s finds %d nodes, want %d", query, len(nodes), want)
			}
		}
	}
}

// TestBranches opens and closes lines at random: the lines equal those of a new tree with the same
// lines open, and every scope has a line that stands for it.
func TestBranches(t *testing.T) {
	tree := scope.BuildPlace(bert(t).Places()[0])
	b := modules.NewBranches(tree)
	for n := range 2000 {
		line := (n * 7919) % len(b.Lines)
		switch at := b.Lines[line]; {
		case n%97 == 0:
			b.FoldAll()
		case n%13 == 0:
			b.UnfoldAll(line)
		case at == modules.RootBranch || !b.Holds(at):
		case b.IsOpen(at):
			b.Fold(line)
		default:
			b.Unfold(line)
		}
		lines := slices.Clone(b.Lines)
		if b.LayOut(); !slices.Equal(lines, b.Lines) {
			t.Fatalf("after %d steps the lines are %v, want %v", n, lines, b.Lines)
		}
		for s := range tree.Scopes {
			if at := b.ShownFor(scope.ID(s)); !slices.Contains(lines, at) {
				t.Fatalf("after %d steps %s stands in %v, which does not show", n, tree.Path(scope.ID(s)), at)
			}
		}
	}
}

func TestNumberIn(t *testing.T) {
	for _, c := range [][3]string{
		{"layers.*", "layers.12", "12"}, {"*", "3", "3"}, {"block_*_a", "block_07_a", "07"}, {"a*b*", "a*b2", "2"}, {"a*b*c", "a4b*c", "4"},
	} {
		if got := modules.NumberIn(c[0], c[1]); got != c[2] {
			t.Errorf("%s in %s: %q, want %q", c[1], c[0], got, c[2])
		}
	}
}

// TestModuleColumns groups by module, and by similar modules.
func TestModuleColumns(t *testing.T) {
	for column, want := range map[string]int{"module": 12, "alike": 6} {
		o := testOptions(bert(t))
		d := newDeskWith(t, o, 120, 40)
		d.perform(d.app.ws.Reorder(graph.Order{Group: column}))
		if got := len(d.app.ws.Listing.Groups); got != want {
			t.Errorf("%d groups by %s, want %d: %v", got, column, want, d.app.ws.Listing.Groups)
		}
	}
}

// TestModulesCostNothing moves within a module: the tree beside the list does not change.
func TestModulesCostNothing(t *testing.T) {
	d := newDesk(t, bert(t), 160, 40)
	d.press("1", "-", "j", "l", "j", "j", "l", "2", "g", "j", "j", "j", "j")
	tree := func() string { return strings.Join(modulesOf(d).View(false), "\n") }
	before := tree()
	if d.press("j"); tree() != before {
		t.Errorf("a move within a layer draws\n%s\nafter\n%s", tree(), before)
	}
}

// BenchmarkModules opens and closes a tree of 10,000 modules, and moves in it.
func BenchmarkModules(b *testing.B) {
	m := manyScopes(b, 10_000)
	for _, c := range []struct {
		name  string
		setup []string
		keys  []string
	}{
		{"fold", []string{"1", "j"}, []string{"h", "l"}},
		{"unfold-all", []string{"1"}, []string{"-", "*"}},
		{"move", []string{"1", "*"}, []string{"j", "k"}},
		{"fold-in-all", []string{"1", "*", "j"}, []string{"h", "l"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := newDesk(b, m, 160, 50)
			d.press(c.setup...)
			for b.Loop() {
				for _, k := range c.keys {
					d.app.Update(keytest.Press(b, k))
					_ = d.app.View()
				}
			}
		})
	}
}

// TestHostileModules shows modules, classes and folds with hostile names, folded and unfolded, and
// filters by them.
func TestHostileModules(t *testing.T) {
	t.Parallel()
	for i, payload := range graphtest.Hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			p := graphtest.Proto(t, "input x f32\na: b = Relu(x)\nb: c = Relu(b)\nc: y = Relu(c)\noutput y f32")
			for i, n := range p.Graph.Node {
				n.Name = proto.String(fmt.Sprintf("m%s/%s.%d/%s/R", payload, payload, i, payload))
			}
			p.Graph.Node[2].MetadataProps = []*onnxpb.StringStringEntryProto{
				{Key: proto.String("pkg.torch.onnx.name_scopes"), Value: proto.String("['', 'k" + payload + "', 'r']")},
				{Key: proto.String("pkg.torch.onnx.class_hierarchy"), Value: proto.String("['N" + payload + "', 'n.K" + payload + "', 'aten']")},
			}
			d := newDeskWith(t, testOptions(graphtest.Decode(t, p)), 140, 30)
			d.walk([]string{"1", "*", "j", "j", "j", "Y", "space", "space", "B", "-", "l", "enter", "+", "1", "G", "space", "/ esc"})
		})
	}
}

// TestModulesRandomly presses the keys of the tree, clicks and turns the wheel, at
// random, in and out of bodies and edits.
func TestModulesRandomly(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	keys := []string{"1", "1", "2", "tab", "u", "ctrl+r", "a", "esc", "backspace", "o", "F", "+", "G", "g", "["}
	for _, b := range modules.Panel().Actions {
		keys = append(keys, b.Keys...)
	}
	for i, m := range []*graphops.Model{bert(t), torch(t), manyScopes(t, 300), graphtest.Model(t, branchy+branchyBody)} {
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		d := newDesk(t, m, 140, 30)
		for range 400 {
			switch rng.IntN(12) {
			case 0:
				d.send(tea.MouseClickMsg{X: rng.IntN(45), Y: rng.IntN(30), Button: tea.MouseLeft})
			case 1:
				d.send(tea.MouseWheelMsg{X: rng.IntN(45), Y: rng.IntN(30), Button: tea.MouseWheelDown})
			case 2:
				d.resize(20+rng.IntN(160), 3+rng.IntN(40))
			default:
				d.press(keys[rng.IntN(len(keys))])
			}
			checkSize(t, d, [2]int{d.app.w, d.app.h})
			p := modulesOf(d)
			if p.Rows.N != p.Count() || p.Rows.Cursor < 0 || p.Rows.Cursor >= max(p.Rows.N, 1) {
				t.Fatalf("the cursor is at %d of %d, %d lines", p.Rows.Cursor, p.Rows.N, p.Count())
			}
		}
	}
}

// TestOneCursor moves the focus through the panes. Only the one with the focus has a cursor, and the
// tree says which module the selected row of the list is in.
func TestOneCursor(t *testing.T) {
	d := newDesk(t, bert(t), 200, 50)
	d.press("j", "j", "j", "j")
	for _, key := range []string{"1", "2", "3", "5", "6", "2", "1"} {
		d.press(key)
		s := d.app.screen()
		at := s.At[d.app.focused().Region]
		for y, line := range strings.Split(d.screen(), "\n")[at.Y : at.Y+at.H] {
			inside := cells.Truncate(cells.Drop(line, at.X), at.W, "")
			if n := strings.Count(line, shell.Cursor); n != strings.Count(inside, shell.Cursor) {
				t.Errorf("key %s: a cursor outside of the pane, line %d: %s", key, y, line)
			}
		}
		if n := strings.Count(d.screen(), shell.Cursor); n > 1 || n == 0 && key < "3" { // some have only text
			t.Errorf("key %s: %d cursors\n%s", key, n, d.screen())
		}
	}
	here := modulesOf(d).Here
	d.press("g")
	d.sees(shell.Cursor, shell.Selection)
	if modulesOf(d).Here != here || *modulesOf(d).Branch() == here {
		t.Error("the cursor of the tree has moved the selection of the list")
	}
}
