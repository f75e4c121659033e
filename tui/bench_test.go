package tui

import (
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/steps"
	"lathe/tui/controls/keytest"
	"lathe/tui/graph"
)

// many is the number of nodes of the large model of the benchmarks.
const many = 200_000

// manyFile writes the large model.
func manyFile(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "many.onnx")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := graphops.Write(f, chain(b, many)); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkFirstFrame measures the work between the start of the program and its first frame.
func BenchmarkFirstFrame(b *testing.B) {
	path := manyFile(b)
	for b.Loop() {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			b.Fatal(err)
		}
		app := New(b.Context(), testOptions(m))
		app.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		_ = app.View()
	}
}

// BenchmarkWiring measures what is computed while the first frames are drawn: name resolution and
// lanes.
func BenchmarkWiring(b *testing.B) {
	path := manyFile(b)
	for b.Loop() {
		b.StopTimer()
		m, err := graphops.Open(path, graphops.OpenOptions{}) // the index is kept by the graph
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		graph.NewWiring(outlineOf(m), &graph.Typing{Model: m})
	}
}

// BenchmarkMove measures a key and the frame after it.
func BenchmarkMove(b *testing.B) {
	d := newDesk(b, chain(b, many), 120, 40)
	msg := keytest.Press(b, "j")
	for b.Loop() {
		d.app.Update(msg)
		_ = d.app.View()
	}
}

// BenchmarkSearch measures a search through all rows.
func BenchmarkSearch(b *testing.B) {
	f := graph.NewFinder(chain(b, many), nil)
	for b.Loop() {
		if found, err := f.Find(b.Context(), "layers.77/relu"); err != nil || len(found[0]) == 0 {
			b.Fatal("nothing is found", err)
		}
	}
}

// benchTyping measures typing a letter, the frame after it, and deleting the letter. The search
// that the letter starts runs concurrently.
func benchTyping(b *testing.B, open string) {
	d := newDesk(b, chain(b, many), 120, 40)
	d.press(open).write("mat")
	d.hold = true
	one, back := keytest.Press(b, "m"), keytest.Press(b, "backspace")
	for b.Loop() {
		d.app.Update(one)
		_ = d.app.View()
		d.app.Update(back)
		_ = d.app.View()
	}
}

// BenchmarkPaletteOpens opens the palette, which lists every action and every option of every step.
func BenchmarkPaletteOpens(b *testing.B) {
	o := testOptions(graphtest.Model(b, branchy))
	o.Steps = steps.All
	d := newDeskWith(b, o, 100, 40)
	for b.Loop() {
		d.app.openPalette()
		d.app.dialogs.Close(d.app.dialogs.Top())
	}
}
