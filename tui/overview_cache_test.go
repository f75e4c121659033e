package tui

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/session/steps"
	"lathe/tui/workspace"
)

// TestCacheLength types a length, and sees what the cache takes at it.
func TestCacheLength(t *testing.T) {
	d := newDesk(t, opened(t, "grouped"), 200, 50).press("0")
	d.sees("2 × attention block (attention 4 × 16", "cache 512 B a token", "32.0 KiB at 64 tokens")
	d.press("c").sees("tokens in the cache", "32.0 KiB at 64 tokens")
	d.press("x").sees("a length is a number such as 8192 or 8k")
	d.press("enter").sees("tokens in the cache")
	d.press("backspace", "1", "6").sees("8.0 KiB at 16 tokens")
	d.press("k").sees("8.0 MiB at 16,384 tokens")
	d.press("enter").lacks("tokens in the cache")
	d.sees("8.0 MiB at 16,384 tokens (typed; more")
	d.press("c", "esc").sees("8.0 MiB at 16,384 tokens")
}

// TestCacheLengthWithoutOne asks for a length, if nothing states one, and refuses if there is no cache.
func TestCacheLengthWithoutOne(t *testing.T) {
	d := newDesk(t, opened(t, "joined"), 200, 50).press("0")
	d.sees("cache 512 B a token · c types a length")
	d.press("c", "1", "0", "0", "0", "enter").sees("500.0 KiB at 1,000 tokens (typed)")
	o := testOptions(opened(t, "../digits"))
	o.Steps = steps.All
	newDeskWith(t, o, 200, 50).press("0", "c").sees("the model has no cache")
}

// TestBlockLine leads from the line about the repeated block to the first block.
func TestBlockLine(t *testing.T) {
	d := newDesk(t, opened(t, "grouped"), 200, 50).press("0", "g", "enter")
	if !looksAt(workspace.PlaceNodes)(d) {
		t.Error("the list does not have the focus")
	}
	d.sees("/model/layers.0/")
	if row := d.app.ws.Row(); row <= 0 {
		t.Errorf("the cursor is at row %d", row)
	}
}

// opened opens a decoder of testdata.
func opened(t *testing.T, name string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open("../testdata/decoders/"+name+".onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCacheViews draws the overview of a language model, and the prompt for a length.
func TestCacheViews(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		for name, keys := range map[string][]string{"overview": {"0"}, "prompt": {"0", "c", "4", "k"}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				d := newDesk(t, opened(t, "grouped"), size[0], size[1]).press(keys...)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}
