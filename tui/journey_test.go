//go:build linux

package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/steps"
	"lathe/tui/controls/keytest"
	"lathe/tui/overview"
)

// journey is a user at a terminal: what is typed, and what the user waits for.
type journey struct {
	*emulator
	t *testing.T
}

// setOut opens a model of the repository with the real steps.
func setOut(t *testing.T, model string, w, h uint16, more ...func(*Options)) journey {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../testdata", model))
	if err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	o := testOptions(m)
	o.Path, o.Steps = path, steps.All
	o.Env = session.Env{Progress: func(session.Progress) {}}
	for _, set := range more {
		set(&o)
	}
	j := journey{emulate(t, o, w, h), t}
	return j.sees(model)
}

// types sends keys as the key table spells them, and quoted words as text.
func (j journey) types(keys ...string) journey {
	j.t.Helper()
	for _, k := range keys {
		if text, ok := strings.CutPrefix(k, "'"); ok {
			j.send(text)
			continue
		}
		j.send(keytest.Bytes(j.t, k))
		if k == "esc" {
			time.Sleep(150 * time.Millisecond) // a key that follows at once would be read as that key with Alt
		}
	}
	return j
}

// finds confirms a filter and does not wait: keys typed after it act on what it finds.
func (j journey) finds(filter string) journey {
	j.t.Helper()
	return j.types("/", "'"+filter, "enter")
}

// sees waits until all texts are on the screen.
func (j journey) sees(texts ...string) journey {
	j.t.Helper()
	for _, text := range texts {
		for end := time.Now().Add(deadline); !strings.Contains(strings.Join(j.lines(), "\n"), text); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				j.t.Fatalf("waited for %q in vain:\n%s", text, strings.Join(j.lines(), "\n"))
			}
		}
	}
	return j
}

// waits waits until a text is gone from the screen.
func (j journey) waits(text string) {
	j.t.Helper()
	j.poll("an end of "+text, func() bool { return !strings.Contains(strings.Join(j.lines(), "\n"), text) })
}

// TestJourneyToAPart cuts a model at an inner value, writes it, saves the recipe and leaves.
func TestJourneyToAPart(t *testing.T) {
	j := setOut(t, "digits.onnx", 80, 24)
	j.finds("fc1").types("space").sees("1 mark", "keeps 7 nodes")
	j.types("p").sees("prune: ok", "7 nodes").types("E").sees("export:", "digits.Gemm_output_0.onnx")
	j.sees("exports 7 nodes").types("enter").sees("export: ok").types("esc")
	j.types("s").sees("save the recipe").types("enter").sees("saved the recipe as digits.yaml")
	j.types("u").sees("took back").types("ctrl+r").sees("again").types("q")
	if err := j.finish(); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob("*.onnx")
	if err != nil || len(found) != 1 {
		t.Fatalf("%v is written, want one model: %v", found, err)
	}
	m, err := graphops.Open(found[0], graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(m.Graph().Nodes()); got != 7 {
		t.Errorf("the part has %d nodes, want 7", got)
	}
	recipe, err := os.ReadFile("digits.yaml")
	if err != nil || !strings.Contains(string(recipe), "prune:") || !strings.Contains(string(recipe), "export:") {
		t.Errorf("the recipe is %q: %v", recipe, err)
	}
}

// TestJourneyIntoBodies enters the body of a node, finds something there, and comes back the same
// way.
func TestJourneyIntoBodies(t *testing.T) {
	j := setOut(t, "if_loop.onnx", 120, 40)
	j.finds("has:body").types("enter").sees("then_branch")
	j.types("enter").sees("▸").types("esc").types("backspace").types("[").sees("▸").types("q")
	if err := j.finish(); err != nil {
		t.Fatal(err)
	}
}

// TestJourneyInALargePicture sorts, groups, jumps and looks at everything on a wide screen.
func TestJourneyInALargePicture(t *testing.T) {
	j := setOut(t, "text_classifier.onnx", 200, 60)
	j.sees("layers.0…3", "modules", "detail").types("c", "j", "j", "j", "space", "s", "esc").sees("params↓").waits("─ columns ─")
	j.types("c", "r", "g", "b", "esc").sees("▸ MatMul").waits("─ columns ─")
	j.types("c", "g", "b", "esc").waits("─ columns ─") // Escape and a letter in one read are Alt and the letter
	j.types("f").sees("jump").types("'layers.2/query").sees("layers.2/attention/query").types("enter").waits("─ jump ─")
	j.types("<").sees("depends on").types("F").sees("matches only").types("esc")
	for _, p := range panels() {
		if p.Place != overview.Place { // it has no title beside another pane
			j.types("tab").sees(p.Title)
		}
	}
	j.types("0").sees("overview")
	j.types(":", "'theme").sees("next theme").types("enter").sees("theme: ").types("q")
	if err := j.finish(); err != nil {
		t.Fatal(err)
	}
}
