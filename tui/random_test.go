package tui

import (
	"fmt"
	"image/color"
	"math/rand/v2"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
)

func (d *desk) resize(w, h int) { d.send(tea.WindowSizeMsg{Width: w, Height: h}) }

// backgroundMsg is a terminal's answer about its background.
func backgroundMsg(isDark bool) tea.Msg {
	if isDark {
		return tea.BackgroundColorMsg{Color: color.Black}
	}
	return tea.BackgroundColorMsg{Color: color.White}
}

// modelFiles returns the models of the repository, and those of other projects if they are
// available.
func modelFiles(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"../testdata/*.onnx", "../testdata/broken/*.onnx", "../../shared/models/*/*.onnx"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	if len(out) < 10 {
		t.Fatalf("only %d models are found", len(out))
	}
	return out
}

// randomKeys returns the keys of the table, with movements more often, and some keys that are not
// in it.
func randomKeys() []string {
	keys := []string{"j", "j", "j", "k", "k", "l", "h", "space", "enter", "esc", "esc", "esc", "backspace", "z", "ü", "1"}
	for _, t := range newKeymap(nil).Tables {
		for _, b := range t.Actions {
			keys = append(keys, b.Keys...)
		}
	}
	return keys
}

// TestRandomKeys presses a thousand random keys on every fifth model. Nothing may panic, and every
// frame must fill the screen.
func TestRandomKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	keys := randomKeys()
	for i, path := range modelFiles(t) {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil || i%5 != 0 {
			continue
		}
		t.Run(path, func(t *testing.T) {
			t.Chdir(t.TempDir()) // recipes are saved
			rng := rand.New(rand.NewPCG(uint64(i), 7))
			d := newDesk(t, m, 100, 30)
			var pressed []string
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%v after %q", p, pressed)
				}
			}()
			for n := range 1000 {
				if rng.IntN(50) == 0 {
					d.resize(1+rng.IntN(220), 1+rng.IntN(60))
				}
				if rng.IntN(4) == 0 {
					d.resume()
				}
				k := keys[rng.IntN(len(keys))]
				pressed = append(pressed, k)
				d.press(k)
				if n%5 == 0 {
					checkSize(t, d, [2]int{d.app.w, d.app.h})
					if first, again := d.app.View(), d.app.View(); first.Content != again.Content {
						t.Error("drawing changes what is drawn")
					}
				}
				if t.Failed() {
					t.Fatal(fmt.Sprint(pressed[max(0, len(pressed)-30):]))
				}
			}
			if d.hasControls() {
				t.Errorf("%q", d.app.View().Content)
			}
		})
	}
}
