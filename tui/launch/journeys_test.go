//go:build linux

package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"lathe/session/command/commandtest"
	"lathe/session/ort/orttest"
	"lathe/tui/controls/keytest"
)

// traveller is a person at a terminal of 80 × 24 who counts the keys. Typed text counts as one key,
// and waiting as none.
type traveller struct {
	t      *testing.T
	keys   *os.File
	screen vt10x.Terminal
	count  int
}

// waits is how long a traveller waits for a text. A run of a small model takes a second.
const waits = 25 * time.Second

// travel opens models in an empty folder with no stored results.
func travel(t *testing.T, folder string, models ...string) *traveller {
	t.Helper()
	cmd := commandtest.Process(t, models...)
	cmd.Dir = folder
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "XDG_STATE_HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir())
	j := &traveller{t: t, screen: vt10x.New(vt10x.WithSize(80, 24))}
	var err error
	if j.keys, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = j.keys.Close()
	})
	go j.read()
	return j
}

func (j *traveller) read() {
	b := make([]byte, 1<<16)
	for {
		n, err := j.keys.Read(b)
		if err != nil {
			return
		}
		_, _ = j.screen.Write(b[:n])
		if strings.Contains(string(b[:n]), "\x1b[c") { // a query for the terminal's type, which real terminals answer
			_, _ = j.keys.WriteString("\x1b[?62c")
		}
	}
}

// sees waits for texts.
func (j *traveller) sees(texts ...string) *traveller {
	j.t.Helper()
	for _, text := range texts {
		for end := time.Now().Add(waits); !strings.Contains(j.screen.String(), text); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				j.t.Fatalf("after %d keys the screen does not show %q:\n%s", j.count, text, j.screen.String())
			}
		}
	}
	return j
}

// press presses keys, or types text that begins with a quote.
func (j *traveller) press(keys ...string) *traveller {
	j.t.Helper()
	for _, k := range keys {
		j.count++
		bytes, isText := strings.CutPrefix(k, "'")
		if !isText {
			bytes = keytest.Bytes(j.t, k)
		}
		if _, err := j.keys.WriteString(bytes); err != nil {
			j.t.Fatal(err)
		}
		if k == "esc" {
			time.Sleep(150 * time.Millisecond) // a key that follows at once would be read as that key with Alt
		}
	}
	return j
}

// within fails if more keys were needed.
func (j *traveller) within(most int) {
	j.t.Helper()
	if j.count > most {
		j.t.Errorf("it took %d keys, want at most %d", j.count, most)
	}
	j.t.Logf("%d keys", j.count)
}

// madeFrom runs a command that makes a model from one of testdata.
func madeFrom(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := commandtest.Process(t, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// TestJourneys does what people come for, with an upper bound on the keys.
func TestJourneys(t *testing.T) {
	if testing.Short() {
		t.Skip("runs models")
	}
	orttest.Library(t)
	classifier, err := filepath.Abs("testdata/text_classifier.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		most int
		walk func(t *testing.T, folder string) *traveller
	}{
		{"overview", 1, func(t *testing.T, folder string) *traveller {
			return travel(t, folder, classifier).sees("4 × encoder layer (attention 8 × 8, MLP 256)", "inputs ids, mask")
		}},
		{"repeated structure", 1, func(t *testing.T, folder string) *traveller {
			return travel(t, folder, classifier).sees("encoder layer").press("0").sees("groups", "4 × encoder layer", "classifier")
		}},
		{"attention layers", 3, func(t *testing.T, folder string) *traveller {
			return travel(t, folder, classifier).sees("encoder layer").press("/", "'attention/query/MatMul", "enter").sees("match 1 of 4")
		}},
		{"slow nodes", 4, func(t *testing.T, folder string) *traveller {
			return travel(t, folder, classifier).sees("encoder layer").press("T").sees("profile:").press("enter").sees("operator", "bound").press("enter").sees("go to the node that the line names").press("enter").sees("3 detail", "outputs")
		}},
		{"cut and write", 4, func(t *testing.T, folder string) *traveller {
			j := travel(t, folder, classifier).sees("encoder layer", "/Shape").press("j", "j")
			j.count = 0 // the node is chosen already
			j.press("space").sees("1 mark").press("p").sees("prune: ok").press("ctrl+s").sees("write the model to").press("enter").sees("wrote text_classifier.")
			return j
		}},
		{"fix a wrong Cast", 3, func(t *testing.T, folder string) *traveller {
			madeFrom(t, folder, "attribute", classifier, "--node", "/Cast", "--set", "to=f16", "--no-check", "-o", "cast.onnx")
			return travel(t, folder, "cast.onnx").sees("error").press("P").sees("/Sub").press("f").sees("attribute:", "to=1").press("enter").sees("no problems found")
		}},
		{"first divergence", 4, func(t *testing.T, folder string) *traveller {
			madeFrom(t, folder, "attribute", classifier, "--node", "/layers.2/output_norm/LayerNormalization", "--set", "epsilon=0.5", "-o", "other.onnx")
			j := travel(t, folder, classifier, "other.onnx").sees("1 difference, number 1").press("V").sees("validate:").press("enter").sees("first divergence").press("enter").sees("/layers.2/output_norm")
			return j
		}},
		{"dynamic batch on all inputs", 4, func(t *testing.T, folder string) *traveller {
			madeFrom(t, folder, "axes", classifier, "--fix", "batch=1", "-o", "fixed.onnx")
			return travel(t, folder, "fixed.onnx").sees("batch fixed at 1").press("a").sees("input_ids:0=batch", "attention_mask:0=batch").press("enter").sees("axes: ok")
		}},
		{"float against int8", 4, func(t *testing.T, folder string) *traveller {
			return travel(t, folder, classifier).sees("encoder layer").press("Q").sees("→ 303.9 KiB").press("enter").sees("quantize dynamic: ok").press("b").sees("bench:").press("enter").sees("bench: ok", "p50")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.walk(t, t.TempDir()).within(c.most)
		})
	}
}
