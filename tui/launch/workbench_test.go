//go:build linux

package launch

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"

	"lathe/session/command/commandtest"
	"lathe/session/ort/orttest"
)

// atTerminal is the program in a pseudo-terminal.
type atTerminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys *os.File
	mu   sync.Mutex
	out  bytes.Buffer
}

func openTerminal(t *testing.T, args ...string) *atTerminal {
	t.Helper()
	return openTerminalIn(t, ".", args...)
}

func openTerminalIn(t *testing.T, folder string, args ...string) *atTerminal {
	t.Helper()
	orttest.Library(t)
	x := &atTerminal{t: t, cmd: commandtest.Process(t, args...)}
	x.cmd.Dir = folder
	x.cmd.Env = append(x.cmd.Env, "TERM=xterm-256color", "XDG_STATE_HOME="+t.TempDir())
	var err error
	if x.keys, err = pty.StartWithSize(x.cmd, &pty.Winsize{Rows: 40, Cols: 140}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.keys.Close() })
	go x.read()
	return x
}

func (x *atTerminal) read() {
	b := make([]byte, 1<<16)
	for {
		n, err := x.keys.Read(b)
		if err != nil {
			return
		}
		x.mu.Lock()
		x.out.Write(b[:n])
		x.mu.Unlock()
		if bytes.Contains(b[:n], []byte("\x1b[c")) { // a query for the terminal's type, which real terminals answer
			x.types("\x1b[?62c")
		}
	}
}

func (x *atTerminal) types(keys string) {
	if _, err := x.keys.WriteString(keys); err != nil {
		x.t.Error(err)
	}
}

// sees waits until texts have been drawn, in any order: which rows a frame draws again depends on the
// frame before it. The next call searches only what comes after them.
func (x *atTerminal) sees(texts ...string) {
	x.t.Helper()
	commandtest.Eventually(x.t, fmt.Sprint(texts), func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		end := 0
		for _, text := range texts {
			i := bytes.Index(x.out.Bytes(), []byte(text))
			if i < 0 {
				return false
			}
			end = max(end, i+len(text))
		}
		x.out.Next(end)
		return true
	})
}

// workersOf returns the worker processes of a program.
func workersOf(t *testing.T, program string) []string {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, path := range list {
		b, _ := os.ReadFile(path) // it may have ended
		if words := strings.Split(string(b), "\x00"); len(words) > 1 && words[0] == program && words[1] == "worker" {
			out = append(out, path)
		}
	}
	return out
}

// TestValuesInTheWorkbench computes values of a model in a real ONNX Runtime, and checks that no
// worker stays behind.
func TestValuesInTheWorkbench(t *testing.T) {
	t.Setenv(orttest.PlainProgram, "") // workers are recognized by the test program
	x := openTerminal(t, "testdata/text_classifier.onnx")
	x.sees("parameters")
	x.types("Gk=") // the last node
	x.sees("computed from", "NaN", "seed 0")
	self, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", x.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	x.types("E")
	x.sees("[0, 0] = ")
	if n := len(workersOf(t, self)); n != 1 {
		t.Errorf("%d workers are there, want one", n)
	}
	x.types("{")
	x.sees("Div_output_0")
	x.types("q")
	if err := x.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if left := workersOf(t, self); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestModelsOfTheFolder starts the program without a model. It lists the models of the folder, and
// opens the one that is chosen. Leaving the list is not an error.
func TestModelsOfTheFolder(t *testing.T) {
	x := openTerminalIn(t, "testdata")
	x.sees("opset", "digits.onnx")
	x.types("digits_b")
	x.sees("digits_batch1.onnx")
	x.types("\r")
	x.sees("parameters", "/conv1/Conv")
	x.types("q")
	if err := x.cmd.Wait(); err != nil {
		t.Error(err)
	}
	x = openTerminalIn(t, "testdata")
	x.sees("digits.onnx")
	x.types("\x1b")
	if err := x.cmd.Wait(); err != nil {
		t.Error(err)
	}
}
