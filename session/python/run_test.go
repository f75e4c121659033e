package python

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func interpreter(t *testing.T) Interpreter {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 in PATH")
	}
	return Interpreter{Path: path, Environ: os.Environ()}
}

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	python := interpreter(t)
	for name, c := range map[string]struct {
		source string
		want   string // of the error, "" for none
	}{
		"an answer":        {"print('noise')\nanswer(lambda: ask['n'] + 1)", ""},
		"a missing module": {"def f():\n  import no_such_module_at_all\nanswer(f)", `has no package "no_such_module_at_all", which the test needs; install it there with`},
		"an exception":     {"def f():\n  raise ValueError('x\\n\\x1b[31my')\nanswer(f)", `the test: ValueError: x\x0a\x1b[31my`},
		"an exit":          {"def f():\n  sys.exit('enough')\nanswer(f)", "the test: it exited: enough"},
		"a refusal":        {"say(refused='no')\nos._exit(0)", "no"},
		"no word":          {"sys.stderr.write('last \\x1b[1mwords\\n')\nsys.stderr.flush()\nos._exit(3)", `exit status 3: last \x1b[1mwords`},
		"a crash":          {"os.kill(os.getpid(), 11)", "signal: segmentation fault"},
		"nonsense":         {"os.write(_answers.fileno(), b'hello\\n')\nos._exit(0)", "is not in the expected format"},
		"too long a line":  {"say(phase='x' * (20 << 20))\nanswer(lambda: 1)", "is not in the expected format"},
	} {
		t.Run(name, func(t *testing.T) {
			var got int
			phases := 0
			err := python.Run(t.Context(), Script{Source: c.source, Needed: "the test", Ask: map[string]int{"n": 41}, TempDir: t.TempDir(), Phase: func(string) { phases++ }}, &got)
			switch {
			case c.want == "" && (err != nil || got != 42):
				t.Errorf("got %d, %v", got, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			case err != nil && strings.ContainsAny(err.Error(), "\n\x1b"):
				t.Errorf("not one clean line: %q", err)
			}
		})
	}
}

// A script may be longer than an argument of a process, and its file is removed with it.
func TestLongScript(t *testing.T) {
	python, folder := interpreter(t), t.TempDir()
	var got int
	long := "text = '" + strings.Repeat("ü", 200<<10) + "'\nanswer(lambda: len(text) + ask['n'])"
	err := python.Run(t.Context(), Script{Source: long, Needed: "the test", Ask: map[string]int{"n": 1}, TempDir: folder}, &got)
	if err != nil || got != 200<<10+1 {
		t.Errorf("got %d, %v", got, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	missing := Interpreter{Path: filepath.Join(folder, "no python"), Environ: os.Environ()}
	if err := missing.Run(t.Context(), Script{Source: "", Needed: "the test", TempDir: folder}, &got); err == nil {
		t.Error("a program that does not exist was run")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// A script and what it started end with the context, and a script ends when nobody
// holds its standard input any more.
func TestRunEnds(t *testing.T) {
	python := interpreter(t)
	folder := t.TempDir()
	mark := filepath.Join(folder, "mark")
	ctx, cancel := context.WithCancel(t.Context())
	source := "import subprocess, time\nsubprocess.Popen(['sh', '-c', 'sleep 1; touch " + mark + "'])\nsay(phase='waiting')\ntime.sleep(60)"
	start := time.Now()
	err := python.Run(ctx, Script{Source: source, Needed: "the test", TempDir: folder, Phase: func(string) { cancel() }}, nil)
	if !errors.Is(err, context.Canceled) || time.Since(start) > 30*time.Second {
		t.Errorf("got %v after %s", err, time.Since(start))
	}
	time.Sleep(1500 * time.Millisecond)
	if _, err := os.Stat(mark); err == nil {
		t.Error("what the script started went on")
	}
	cmd := exec.Command(python.Path, "-I", "-c", preamble+"import time\ntime.sleep(60)", "{}")
	if err := cmd.Run(); err == nil { // with no standard input
		t.Error("it went on without standard input")
	}
}

// Modules of the working folder and of PYTHONPATH are not taken.
func TestIsolated(t *testing.T) {
	python := interpreter(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "planted.py"), []byte("x = 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	python.Environ = append(python.Environ, "PYTHONPATH="+folder)
	err := python.Run(t.Context(), Script{Source: "def f():\n  import planted\nanswer(f)", Needed: "the test", TempDir: folder}, nil)
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Module != "planted" {
		t.Errorf("got %v", err)
	}
}
