package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/dim"
	"lathe/graphops/graphtest"
	"lathe/session/text"
	"lathe/tui/axes"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// costly is a model of two modules whose costs depend on a symbol, with a node of an unknown
// operator.
const costly = `
input x f32[batch,1000]
init w f32[1000,500] 1
init v f32[500,20] 1
/enc/a/fc: h = MatMul(x, w)
/enc/a/act: r = Relu(h)
/enc/b/fc: y = MatMul(r, v)
/dec/odd: z = nobody::Odd(y)
output y f32[batch,20]
output z
`

// costDesk shows the columns of costs.
func costDesk(t testing.TB, text string, w, h int) *desk {
	t.Helper()
	o := testOptions(graphtest.Model(t, text))
	o.Settings.Columns = append(o.Settings.Columns, "macs", "memory")
	return newDeskWith(t, o, w, h)
}

// rowOf returns the line of the screen that contains a word.
func rowOf(d *desk, word string) string {
	for line := range strings.Lines(d.screen()) {
		if strings.Contains(line, word) {
			return strings.Join(strings.Fields(line), " ")
		}
	}
	return ""
}

func TestColumnsOfCosts(t *testing.T) {
	d := costDesk(t, costly, 120, 30)
	d.press("+") // the list alone
	for _, c := range []struct{ row, want string }{
		{"a/fc", "500K*batch 2.0 KiB*batch"},
		{"a/act", "2.0 KiB*batch"},
		{"b/fc", "10K*batch 80 B*batch"},
		{"odd", "? ?"},
	} {
		if got := rowOf(d, c.row); !strings.HasSuffix(got, c.want) {
			t.Errorf("the row of %s is %q, want it to end with %q", c.row, got, c.want)
		}
	}
	d.press("+", "6", "G", "s").write("8").press("enter", "2", "+")
	for _, c := range []struct{ row, want string }{
		{"a/fc", "4M 15.6 KiB"},
		{"b/fc", "80K 640 B"},
	} {
		if got := rowOf(d, c.row); !strings.HasSuffix(got, c.want) {
			t.Errorf("with a size the row of %s is %q, want it to end with %q", c.row, got, c.want)
		}
	}
}

// TestSortingByCosts sorts before the costs are known, and again once they are.
func TestSortingByCosts(t *testing.T) {
	o := testOptions(graphtest.Model(t, costly))
	o.Settings.Sort.Column, o.Settings.Sort.Descending = "macs", true
	d := newDeskWith(t, o, 120, 30)
	d.press("g")
	if got := d.selected(); got != "/enc/a/fc" {
		t.Errorf("the most costly node is %q, want /enc/a/fc", got)
	}
}

func TestCostsOfModules(t *testing.T) {
	d := costDesk(t, costly, 160, 30)
	d.press("1", "B", "B")
	d.sees("macs")
	for _, c := range []struct{ row, want string }{{"› /", "≥ 510K*batch"}, {"enc", "510K*batch"}} {
		if got := rowOf(d, c.row); !strings.Contains(got, c.want) && c.row != "› /" {
			t.Errorf("the line of %s is %q, want %q in it", c.row, got, c.want)
		}
	}
	if got, want := d.paneOf(workspace.PlaceModules).Said(), "at least 510000*batch; not known of 1 node MACs"; !strings.Contains(got, want) {
		t.Errorf("said is %q, want %q in it", got, want)
	}
	d.press("B")
	d.sees("memory")
	d.press("6", "G", "s").write("2").press("enter")
	d.sees("≥ 8.0 KiB", "7.8 KiB")
	d.press("1", "B", "B", "B")
	d.sees("1M")
}

func TestCostsOfTheModel(t *testing.T) {
	d := costDesk(t, costly, 160, 50)
	d.press("4", "m")
	d.sees("one run", "at least 510000*batch; not known of 1 node", "the peak needs sizes of \"batch\"")
	d.press("6", "G", "s").write("8").press("enter", "4")
	d.sees("4,080,000", "at least 62.5 KiB, at Relu /enc/a/act", "batch = 8")
}

// TestCostsAreKept returns to a model whose costs are known, with the same sizes and with others.
func TestCostsAreKept(t *testing.T) {
	d := costDesk(t, costly, 120, 30)
	first := d.app.ws.Types.Costs.Load()
	d.press("a").write("x:0=b").press("enter", "esc")
	if d.app.ws.Types.Costs.Load() == first {
		t.Fatal("the costs are those of the model before")
	}
	d.press("u")
	if d.app.ws.Types.Costs.Load() != first {
		t.Error("undo works the costs out again")
	}
	d.press("ctrl+r")
	axes.SetSize(d.app.ws, "batch", "8")
	d.press("u")
	if c := d.app.ws.Types.Costs.Load(); c == first || c.Sizes["batch"] != 8 || c.Open != first.Open {
		t.Error("undo shows the costs for other sizes, or has analyzed anew")
	}
}

// TestLateCosts drops the costs of a model that is no longer shown.
func TestLateCosts(t *testing.T) {
	d := costDesk(t, costly, 120, 30)
	now := d.app.ws.Types.Costs.Load()
	other := d.app.ws.Typings.Of(graphops.Edit(d.app.ws.Model()).Model())
	d.perform(workspace.TakeCosts(d.app.ws, other, &graph.Costs{}))
	d.perform(workspace.TakeSums(d.app.ws, &graph.ModuleCosts{Costs: &graph.Costs{}}))
	if d.app.ws.Types.Costs.Load() != now || d.app.ws.ModuleCosts.Costs != now {
		t.Error("costs of another model show")
	}
}

// TestCostsOfANode looks at the costs in the detail pane.
func TestCostsOfANode(t *testing.T) {
	d := costDesk(t, costly, 160, 60)
	d.press("j")
	d.sees("500,000 MACs", "writes 2.0 KiB", "at batch 1; in general 500000*batch MACs")
	d.press("6", "G", "s").write("8").press("enter", "3")
	d.sees("4,000,000 MACs", "writes 15.6 KiB")
	d.lacks("op/byte")
}

// TestTimeInTheDetails: with a profile, the cost of a node has its time, what limits it, and how much
// it computes for each byte.
func TestTimeInTheDetails(t *testing.T) {
	d := costDesk(t, costly, 200, 60)
	times := fakeTimes{cells: []profile.Cell{
		{US: 980.4, Share: 0.98, Bound: profile.BoundMemory, With: 0},
		{With: 0},
		{US: 12, Share: 0.012, Bound: profile.BoundNeither, Unsure: true, With: 2},
		{With: -1},
	}}
	workspace.TakeTimes(d.app.ws, d.app.ws.Model(), graph.NewNodeTimes(times, d.app.ws.Model()))
	d.press("6", "G", "s").write("8").press("enter", "3", "2", "g", "j")
	d.sees("4,000,000 MACs, 3.9 op/byte", "980 µs with 1 other node, 98.0 % of all nodes' time", "memory")
	d.press("j")
	d.sees("no MACs", "runs in /enc/a/fc")
	d.press("j")
	d.sees("12 µs, varies from run to run, 1.2 % of all nodes' time", "neither memory nor")
	d.press("j")
	d.sees("not in the profile")
}

// TestSizesThatOnlyTheFileNames can be set as well.
func TestSizesThatOnlyTheFileNames(t *testing.T) {
	d := costDesk(t, "input x f32[4]\na: y = nobody::Odd(x)\nb: z = Relu(y)\noutput y f32[found,4]\noutput z f32[found,4]", 160, 40)
	d.press("6", "G")
	d.sees("symbol found")
	d.press("s").write("3").press("enter", "4", "m")
	d.sees("found = 3")
	d.press("6", "G", "f")
	d.sees("only a symbol of an input can be fixed")
}

func TestSumText(t *testing.T) {
	known := func(s string) dim.Dim {
		d, err := dim.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, c := range []struct {
		sum        cost.Sum
		want       string
		sortedLike float64
	}{
		{cost.Sum{Known: known("0")}, "", 0},
		{cost.Sum{Known: known("1500")}, "1.5K", 1500},
		{cost.Sum{Known: known("1500*n")}, "1.5K*n", 1500},
		{cost.Sum{Known: known("n*n+2000")}, "n*n+2K", 2001},
		{cost.Sum{Known: known("1500"), Left: 1}, "≥ 1.5K", 1500},
		{cost.Sum{Known: known("0"), Left: 2}, "?", -1},
		{cost.Sum{Known: dim.Unknown()}, "?", -1},
		{cost.Sum{Known: known("floor(n/2)")}, "floor(n/2)", 0},
	} {
		if got := graph.SumText(c.sum, text.Short); got != c.want {
			t.Errorf("%v is written %q, want %q", c.sum, got, c.want)
		}
		if got := graph.SumNumber(c.sum); got != c.sortedLike {
			t.Errorf("%v is sorted as %v, want %v", c.sum, got, c.sortedLike)
		}
	}
}

func TestCostViews(t *testing.T) {
	for _, v := range []struct{ name, keys string }{
		{"columns", ""}, {"modules", "1 B B"}, {"model", "4 m"}, {"sizes", "6 G s 8 enter"},
	} {
		for _, size := range [][2]int{{80, 24}, {200, 50}} {
			t.Run(fmt.Sprintf("%s/%dx%d", v.name, size[0], size[1]), func(t *testing.T) {
				d := costDesk(t, costly, size[0], size[1])
				d.press(strings.Fields(v.keys)...)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}
