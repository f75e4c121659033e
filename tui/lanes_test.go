package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
	"lathe/tui/graph"
)

// drawn is a chart as the list shows it.
func drawn(w *graph.Wiring, width int) string {
	var b strings.Builder
	for row, r := range w.Chart.Rows {
		before, after := r.Draw(min(width, w.Chart.Widest))
		line := before + "o" + after
		if taps := w.Taps(row); len(taps) > 0 {
			line += " <" + strings.Join(taps, " <")
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func chartOf(t *testing.T, text string, width int) string {
	t.Helper()
	return drawn(graph.NewWiring(outlineOf(graphtest.Model(t, text)), &graph.Typing{}), width)
}

func TestLanes(t *testing.T) {
	for _, c := range []struct{ name, graph, want string }{
		{"a chain is straight", `
			input x f32
			a = Relu(x)
			b = Relu(a)
			output b f32`, `
			o
			o
			o
			o`},
		{"a residual connection", `
			input x f32
			a = Relu(x)
			b = Relu(a)
			c = Add(b, a)
			output c f32`, `
			o
			o
			├─o
			o─╯
			o`},
		{"several results and one reader", `
			input x f32
			a, b, c = Split(x)
			d = Concat(a, b, c)
			output d f32`, `
			o
			o─┬─╮
			o─┴─╯
			o`},
		{"a value read twice by one node has one line", `
			input x f32
			a = Mul(x, x)
			output a f32`, `
			o
			o
			o`},
		{"a line that is only passed is not joined", `
			input x f32
			a = Relu(x)
			b = Relu(x)
			c = Relu(x)
			d = Add(x, c)
			e = Sum(a, b, d)
			output e f32`, `
			o
			├─o
			├─│─o
			├─│─│─o
			o─│─│─╯
			o─┴─╯
			o`},
		{"what nobody reads has no line", `
			input x f32
			a, b = Split(x)
			c = Relu(a)
			output c f32`, `
			o
			o
			o
			o`},
		{"weights have no lines", `
			input x f32
			init w f32[1] 1
			a = Mul(x, w)
			output a f32`, `
			o
			o
			o`},
		{"out of order: the reader names what it reads", `
			input x f32
			b = Relu(a)
			a = Relu(x)
			output b f32`, `
			o
			│ o <a
			o │
			  o`},
		{"two that make one value", `
			input x f32
			a = Relu(x)
			a = Sigmoid(x)
			output a f32`, `
			o
			├─o
			o │
			  o`},
		{"a body captures", `
			graph then
			z = Neg(h)
			output z f32
			end
			input x bool
			input v f32
			h = Relu(v)
			g = Relu(h)
			y = If(x) then_branch=@then
			s = Add(y, g)
			output s f32`, `
			o
			│ o
			│ o
			│ ├─o
			o─╯ │
			o───╯
			o`},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := strings.ReplaceAll(strings.Trim(c.want, "\n"), "\t", "") + "\n"
			if diff := cmp.Diff(want, chartOf(t, c.graph, 16)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLanesNarrow draws more lanes than there is room for.
func TestLanesNarrow(t *testing.T) {
	want := strings.TrimPrefix(`
o
o─┬─…
o─┴─…
o
`, "\n")
	if diff := cmp.Diff(want, chartOf(t, `
		input x f32
		a, b, c, d = Split(x)
		e = Concat(a, b, c, d)
		output e f32`, 3)); diff != "" {
		t.Error(diff)
	}
}

// TestLanesLongLived draws no lane for a value that is read everywhere.
func TestLanesLongLived(t *testing.T) {
	var g strings.Builder
	g.WriteString("input x f32\ninput mask f32\n")
	last := "x"
	for i := range 100 { // longer than a lane goes
		name := strings.Repeat("n", i+1)
		g.WriteString(name + " = Add(" + last + ", mask)\n")
		last = name
	}
	g.WriteString("output " + last + " f32\n")
	w := graph.NewWiring(outlineOf(graphtest.Model(t, g.String())), &graph.Typing{})
	if w.Chart.Widest != 2 {
		t.Errorf("the chart is %d lanes wide, want 2: the chain, and the mark of the mask", w.Chart.Widest)
	}
	if diff := cmp.Diff([]string{"mask"}, w.Taps(50)); diff != "" {
		t.Error(diff)
	}
}
