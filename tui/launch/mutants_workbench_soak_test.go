//go:build soak && linux

package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"lathe/graphops/graphtest/mutate"
	"lathe/session/command/commandtest"
	"lathe/session/ort/orttest"
)

// workbench is the program in a pseudo-terminal.
type workbench struct {
	t      *testing.T
	ptmx   *os.File
	cmd    *exec.Cmd
	screen vt10x.Terminal
}

// patience is how long a person waits for the screen to change.
const patience = 4 * time.Second

func openWorkbench(t *testing.T, dir, model string, env ...string) *workbench {
	lathe, err := exec.LookPath("lathe")
	if err != nil {
		t.Fatal(err)
	}
	w := &workbench{t: t, cmd: exec.Command(lathe, model), screen: vt10x.New(vt10x.WithSize(140, 40))}
	w.cmd.Dir, w.cmd.Env = dir, append(append(os.Environ(), "TERM=xterm-256color"), env...)
	if w.ptmx, err = pty.StartWithSize(w.cmd, &pty.Winsize{Cols: 140, Rows: 40}); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill()
		_ = w.ptmx.Close()
	})
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := w.ptmx.Read(buffer)
			if err != nil {
				return
			}
			_, _ = w.screen.Write(buffer[:n])
		}
	}()
	return w
}

func (w *workbench) text() string { return w.screen.String() }

// until waits until one of the texts is on the screen.
func (w *workbench) until(within time.Duration, texts ...string) {
	w.t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for _, text := range texts {
			if strings.Contains(w.text(), text) {
				return
			}
		}
	}
	w.t.Fatalf("none of %q within %v:\n%s", texts, within, w.text())
}

// gone waits until a title is not on the screen.
func (w *workbench) gone(within time.Duration, title string) {
	w.t.Helper()
	for end := time.Now().Add(within); strings.Contains(w.text(), "── "+title); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("%q is still there after %v:\n%s", title, within, w.text())
		}
	}
}

func (w *workbench) press(keys string) {
	w.t.Helper()
	if _, err := w.ptmx.WriteString(keys); err != nil {
		w.t.Fatal(err)
	}
}

// TestMutantsInTheWorkbench runs one seed of every kind as a person would: from the palette, and
// cancelled if it takes too long. The workbench must report what happened and stay usable.
func TestMutantsInTheWorkbench(t *testing.T) {
	orttest.Library(t)
	known := map[string]bool{}
	for _, s := range mutate.ReadSeeds(t, "testdata/mutants/seeds.txtar") {
		does, _, _ := strings.Cut(strings.TrimPrefix(s.Notes[1], "all: "), ": ")
		if known[does] {
			continue
		}
		known[does] = true
		t.Run(does, func(t *testing.T) {
			dir, state := t.TempDir(), t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "mutant.onnx"), s.Bytes(t), 0o600); err != nil {
				t.Fatal(err)
			}
			mark := "LATHE_TEST_MUTANT=" + dir
			w := openWorkbench(t, dir, "mutant.onnx", mark, "XDG_STATE_HOME="+state)
			w.runOnce(does)
			w.runOnce(does) // in a new worker
			w.press("q")
			if err := w.cmd.Wait(); err != nil {
				t.Errorf("%s: the workbench ended with %v", s.Name, err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
				t.Errorf("%s: left %v, %v", s.Name, left, err)
			}
			if left := commandtest.ProcessesWith(mark); len(left) > 0 {
				t.Errorf("%s: processes are left: %v", s.Name, left)
			}
		})
	}
}

// runOnce runs the model from the palette and checks how the result is reported.
func (w *workbench) runOnce(does string) {
	w.t.Helper()
	w.until(patience, ": palette")
	w.press(":")
	w.until(patience, "palette ─")
	w.press("run-model")
	w.until(patience, ": run-model")
	w.press("\r")
	w.until(patience, "Enter runs")
	w.press("\r")
	if strings.HasPrefix(does, "hangs") {
		w.until(patience, "x cancel the job")
		time.Sleep(time.Second) // by then it is busy in the runtime, not in loading
		w.press("x")
		w.until(3*patience, "run-model: cancelled")
	} else {
		w.until(3*patience, "run-model: failed", "run-model: ok")
	}
	if signal, _, found := strings.Cut(does, " "); found && strings.HasPrefix(signal, "SIG") && strings.Contains(w.text(), "run-model: failed") {
		w.until(patience, signal, "crashed with") // the signal depends on the machine
	}
	w.press("\x1b")
	w.gone(patience, "run-model: ")
}
