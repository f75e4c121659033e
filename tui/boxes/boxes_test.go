package boxes

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"lathe/tui/cells"
)

// text is a picture without its looks.
func (p Picture) text() string {
	var b strings.Builder
	for _, line := range p.Lines {
		var s string
		for _, span := range line {
			s += span.Text
		}
		b.WriteString(strings.TrimRight(s, " ") + "\n")
	}
	return b.String()
}

func named(titles ...string) []Box {
	var out []Box
	for _, t := range titles {
		title, name, _ := strings.Cut(t, " ")
		out = append(out, Box{Title: title, Name: name})
	}
	return out
}

// star is a node with its neighbours one step away.
func star(above, below []Box, more int) Graph {
	g := Graph{Centre: 1, Layers: []Layer{
		{Boxes: above, Empty: "reads nothing that is made here"},
		{Boxes: []Box{{Title: "● MatMul", Name: "/model/layers.0/attention/matmul"}}},
		{Boxes: below, More: more, Empty: "read by nothing"},
	}}
	for i := range above {
		g.Edges = append(g.Edges, Edge{At{0, i}, At{1, 0}, "f32 1×64"})
	}
	for i := range below {
		g.Edges = append(g.Edges, Edge{At{1, 0}, At{2, i}, "f32 1×64"})
	}
	return g
}

// wide is a node with neighbours one and two steps away, lines that cross and one
// that passes a layer.
var wide = Graph{
	Centre: 2,
	Layers: []Layer{
		{Boxes: named("Relu a", "Conv b", "input x")},
		{Boxes: named("Add c", "Mul d")},
		{Boxes: []Box{{Title: "● Concat", Name: "/join"}}},
		{Boxes: named("Split s", "Relu r")},
		{Boxes: named("Add e", "Mul f", "output y"), More: 12},
	},
	Edges: []Edge{
		{At{0, 0}, At{1, 1}, "f32 1×64"},
		{At{0, 1}, At{1, 0}, "f32 1×64"},
		{At{0, 2}, At{1, 0}, "f32 1×64"},
		{At{0, 2}, At{1, 1}, "f32 1×64"},
		{At{0, 0}, At{2, 0}, "f32 7"},
		{At{1, 0}, At{2, 0}, "f32 batch×64"},
		{At{1, 1}, At{2, 0}, "f32 1×64×1024×1024"},
		{At{2, 0}, At{3, 0}, "i64"},
		{At{2, 0}, At{3, 1}, ""},
		{At{3, 0}, At{4, 0}, "i64"},
		{At{3, 0}, At{4, 1}, "i64"},
		{At{3, 0}, At{4, 2}, "i64"},
		{At{3, 1}, At{4, 0}, "2 values"},
	},
}

func TestDraw(t *testing.T) {
	for name, g := range map[string]Graph{
		"alone":  star(nil, nil, 0),
		"chain":  star(named("Relu /model/relu"), named("Add /model/add"), 0),
		"branch": star(named("input x", "Relu 层/relu"), named("Add /a", "Mul /m", "Softmax /s"), 0),
		"hub":    star(named("input x"), named("Add /a", "Add /b", "Add /c", "Add /d", "Add /e", "Add /f", "Add /g"), 1200),
		"wide":   wide,
	} {
		for _, w := range []int{24, 40, 48, 72, 160} {
			t.Run(fmt.Sprintf("%s/%d", name, w), func(t *testing.T) {
				p := Draw(g, w)
				check(t, g, p, w)
				golden.RequireEqual(t, p.text())
			})
		}
	}
}

// TestHeight makes sure that a drawing of another node is as high.
func TestHeight(t *testing.T) {
	for _, w := range []int{40, 72, 160} {
		want := len(Draw(star(nil, nil, 0), w).Lines)
		for n := range 9 {
			if got := len(Draw(star(make([]Box, n), make([]Box, 8-n), n), w).Lines); got != want {
				t.Errorf("%d cells, %d boxes above: %d lines, want %d", w, n, got, want)
			}
		}
	}
}

func TestNothing(t *testing.T) {
	for _, w := range []int{-1, 0, Least - 1} {
		if p := Draw(wide, w); len(p.Lines) > 0 {
			t.Errorf("%d cells: there are lines", w)
		}
	}
	if p := Draw(Graph{}, 40); len(p.Lines) > 0 {
		t.Error("an empty graph has lines")
	}
	g := Graph{Layers: []Layer{{Boxes: named("a")}, {Boxes: named("b")}}, Edges: []Edge{{From: At{1, 0}, To: At{0, 0}}, {From: At{0, 7}, To: At{1, -1}}, {To: At{9, 0}}}}
	check(t, Graph{Layers: g.Layers}, Draw(g, 40), 40)
}

// TestRandom draws random graphs: every line is of the width, boxes do not
// overlap, and from each box lines lead to those that its edges name and to no
// others.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range 1000 {
		g, w := randomGraph(rng), Least+rng.IntN(200)
		p := Draw(g, w)
		check(t, g, p, w)
		if t.Failed() {
			t.Fatalf("%d cells: %+v\n%s", w, g, p.text())
		}
	}
}

func randomGraph(rng *rand.Rand) Graph {
	g := Graph{Centre: rng.IntN(6), Layers: make([]Layer, 1+rng.IntN(5))}
	words := []string{"", "Relu", "层归一化", "x", strings.Repeat("LayerNormalization", 3)}
	for i := range g.Layers {
		l := &g.Layers[i]
		for range rng.IntN(9) {
			l.Boxes = append(l.Boxes, Box{words[rng.IntN(len(words))], words[rng.IntN(len(words))]})
		}
		l.Empty, l.More = words[rng.IntN(len(words))], max(0, rng.IntN(2000)-1000)
		if i == g.Centre {
			l.Boxes = l.Boxes[:min(len(l.Boxes), 1)]
		}
	}
	for range rng.IntN(30) {
		a, b := rng.IntN(len(g.Layers)), rng.IntN(len(g.Layers))
		if a < b && (b == a+1 || rng.IntN(4) == 0) && len(g.Layers[a].Boxes) > 0 && len(g.Layers[b].Boxes) > 0 {
			e := Edge{At{a, rng.IntN(len(g.Layers[a].Boxes))}, At{b, rng.IntN(len(g.Layers[b].Boxes))}, words[rng.IntN(len(words))]}
			if !g.has(e) {
				g.Edges = append(g.Edges, e)
			}
		}
	}
	return g
}

func (g Graph) has(e Edge) bool {
	for _, f := range g.Edges {
		if f.From == e.From && f.To == e.To {
			return true
		}
	}
	return false
}

// check looks at a picture as a person does: at its characters.
func check(t *testing.T, g Graph, p Picture, w int) {
	t.Helper()
	s := newSheet(p)
	for y, line := range p.Lines {
		var text string
		for _, span := range line {
			text += span.Text
		}
		if got := ansi.StringWidth(text); got != w {
			t.Errorf("line %d is %d wide, want %d: %q", y, got, w, text)
		}
	}
	s.checkBoxes(t, w)
	s.checkLines(t)
	drawn := 0
	for i, rects := range p.Rects {
		for k := range rects {
			for at := range s.reached(At{i, k}) {
				if drawn++; !g.has(Edge{From: At{i, k}, To: at}) {
					t.Errorf("a line leads from box %v to %v, which no edge joins", At{i, k}, at)
				}
			}
		}
	}
	want := 0
	for _, e := range g.Edges {
		if e.From.Box < len(p.Rects[e.From.Layer]) && e.To.Box < len(p.Rects[e.To.Layer]) {
			want++
		}
	}
	// Edges to boxes that do not show may count as undrawn too.
	if drawn > want || drawn+p.Undrawn < want {
		t.Errorf("%d edges are drawn and %d are not, of %d", drawn, p.Undrawn, want)
	}
}

// sheet is a picture by cells.
type sheet struct {
	p    Picture
	bits map[[2]int]int // directions of lines and frames, by x and y
	box  map[[2]int]At  // frames
}

func newSheet(p Picture) *sheet {
	s := &sheet{p, map[[2]int]int{}, map[[2]int]At{}}
	glyphs := map[string]int{heavySide: cells.Up | cells.Down}
	for bits, glyph := range cells.Corners {
		glyphs[glyph] = bits
	}
	for y, line := range p.Lines {
		x := 0
		for _, span := range line {
			if span.Part == Line || span.Part == Frame {
				for k, r := range []rune(span.Text) {
					s.bits[[2]int{x + k, y}] = glyphs[string(r)]
					if span.Part == Frame {
						s.box[[2]int{x + k, y}] = span.At
					}
				}
			}
			x += ansi.StringWidth(span.Text)
		}
	}
	return s
}

func (s *sheet) checkBoxes(t *testing.T, w int) {
	t.Helper()
	var all []cells.Rect
	for i, rects := range s.p.Rects {
		for k, r := range rects {
			if r.X < 0 || r.X+r.W > w || r.W < 3 || r.Y+r.H > len(s.p.Lines) {
				t.Errorf("box %v stands at %v", At{i, k}, r)
			}
			for _, q := range all {
				if r.X < q.X+q.W && q.X < r.X+r.W && r.Y < q.Y+q.H && q.Y < r.Y+r.H {
					t.Errorf("boxes at %v and %v overlap", q, r)
				}
			}
			all = append(all, r)
			for corner, bits := range map[[2]int]int{
				{r.X, r.Y}: cells.Down | cells.Right, {r.X + r.W - 1, r.Y}: cells.Down | cells.Left,
				{r.X, r.Y + r.H - 1}: cells.Up | cells.Right, {r.X + r.W - 1, r.Y + r.H - 1}: cells.Up | cells.Left,
			} {
				if s.bits[corner] != bits || s.box[corner] != (At{i, k}) {
					t.Errorf("box %v has no corner at %v", At{i, k}, corner)
				}
			}
		}
	}
}

// steps are the directions with what they add to a position, and their opposites.
var steps = []struct{ bit, x, y, back int }{
	{cells.Up, 0, -1, cells.Down}, {cells.Down, 0, 1, cells.Up}, {cells.Left, -1, 0, cells.Right}, {cells.Right, 1, 0, cells.Left},
}

// beside is where a line goes on in a direction: a line that runs sideways goes on
// behind those that cross it.
func (s *sheet) beside(at [2]int, x, y int) [2]int {
	next := [2]int{at[0] + x, at[1] + y}
	for _, isFrame := s.box[next]; x != 0 && !isFrame && s.bits[next] == cells.Up|cells.Down; {
		next[0] += x
	}
	return next
}

// checkLines makes sure that every line goes on at the next cell.
func (s *sheet) checkLines(t *testing.T) {
	t.Helper()
	for at, bits := range s.bits {
		for _, d := range steps {
			if bits&d.bit != 0 && s.bits[s.beside(at, d.x, d.y)]&d.back == 0 {
				t.Errorf("the line at %v ends on its way", at)
			}
		}
	}
}

// reached are the boxes that lines from the lower side of a box lead to.
func (s *sheet) reached(from At) map[At]bool {
	out := map[At]bool{}
	r := s.p.Rects[from.Layer][from.Box]
	seen := map[[2]int]bool{}
	var follow func(at [2]int)
	follow = func(at [2]int) {
		if box, isFrame := s.box[at]; isFrame {
			if box != from {
				out[box] = true
			}
			return
		}
		if seen[at] {
			return
		}
		seen[at] = true
		for _, d := range steps {
			if s.bits[at]&d.bit != 0 {
				follow(s.beside(at, d.x, d.y))
			}
		}
	}
	for x := r.X + 1; x < r.X+r.W-1; x++ {
		if port := [2]int{x, r.Y + r.H - 1}; s.bits[port]&cells.Down != 0 {
			follow([2]int{x, r.Y + r.H})
		}
	}
	return out
}
