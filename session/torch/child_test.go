package torch_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lathe/session/python"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// standIn is a torch that is just enough for a target to be looked for, so that what becomes of
// code that misbehaves is tried without PyTorch.
const standIn = `
import ctypes
__version__ = "0.0"
int64 = "int64"
strided = "strided"
class Tensor:
    dtype, layout, _version = int64, strided, 0
    def __init__(self, *v): self.held, self.shape = (ctypes.c_int64 * len(v))(*v), [len(v)]
    def detach(self): return self
    cpu = contiguous = detach
    def clone(self): return Tensor(*self.held)
    def is_conj(self): return False
    def is_inference(self): return False
    def numel(self): return len(self.held)
    def element_size(self): return 8
    def data_ptr(self): return ctypes.addressof(self.held)
class onnx:
    def export(): pass
class cuda:
    def is_initialized(): return False
    is_available = staticmethod(lambda: False)
def equal(a, b): return list(a.held) == list(b.held)
def manual_seed(n): pass
def get_num_threads(): return 1
def set_num_threads(n): pass
class nn:
    class Parameter: pass
    class Module:
        training = False
        def train(self, on): pass
        def parameters(self): return []
        def named_modules(self): return [("", self)]
        def __call__(self, *args): return self.forward(*args)
        _buffers, _parameters = {}, {}
class jit:
    class ScriptModule: pass
    class ScriptFunction: pass
class no_grad:
    def __enter__(self): pass
    def __exit__(self, *x): pass
`

// standInChild runs the python3 that is there with that torch, and a target file.
func standInChild(t *testing.T, code string) torch.Child {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 in PATH")
	}
	packages, folder := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(packages, "torch"), 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		filepath.Join(packages, "torch", "__init__.py"): standIn,
		filepath.Join(folder, "target.py"):              "import os, sys, time, torch\n" + code,
		filepath.Join(folder, "queue.py"):               "raise Exception('another queue')\n", // beside the user's code, and not ours
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return torch.Child{
		Interpreter: python.Interpreter{Path: path, Environ: append(os.Environ(), "PYTHONPATH="+packages)},
		Folder:      folder, TempDir: t.TempDir(), Timeout: time.Minute,
	}
}

// A child that misbehaves is one clear error.
func TestChildMisbehaves(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, c := range map[string]struct {
		code, want string
		timeout    time.Duration
	}{
		"ends":               {"os._exit(3)", "exit status 3", 0},
		"exits":              {"sys.exit('enough')", "SystemExit: enough", 0},
		"crashes":            {"import ctypes; ctypes.string_at(0)", "segmentation fault", 0},
		"is killed":          {"os.kill(os.getpid(), 9)", "signal: killed", 0},
		"hangs":              {"while True: pass", "took more than", 2 * time.Second},
		"protocol":           {"for fd in range(3, 30):\n  try: os.write(fd, b'garbage\\n')\n  except OSError: pass", "is not in the expected format", 0},
		"raises":             {"raise ValueError('a\\x1b[31m\\nb')", `ValueError: a\x1b[31m\x0ab`, 0},
		"raises what breaks": {"class E(Exception):\n  def __str__(self): raise KeyError(1)\nraise E()", "its message cannot be made", 0},
		"asks":               {"input('name? ')", "EOFError", 0},
		"no memory":          {"x = bytearray(1 << 40)", "MemoryError", 0},
		"no such name":       {"", "there is no make in it", 0},
		"something else":     {"make = 3", "target.py:make is a int, expected an nn.Module", 0},
		"no example":         {"class make(torch.nn.Module):\n  def forward(self, image, mask=None): pass", "it takes image, mask: give --input NAME=", 0},
		"syntax":             {"def f(:", "SyntaxError", 0},
	} {
		t.Run(name, func(t *testing.T) {
			child := standInChild(t, c.code)
			if c.timeout > 0 {
				child.Timeout = c.timeout
			}
			b, err := torch.Open(t.Context(), child, torch.Opening{Target: "target.py:make"})
			if err == nil {
				b.Close()
				t.Fatal("it is open")
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("says %q, want %q", err, c.want)
			}
		})
	}
}

// Endings without a word are told apart: each wants something else of the user.
func TestChildEndings(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, c := range map[string]struct {
		code, entry string
		timeout     time.Duration
	}{
		"ends":      {"os._exit(3)", "ended", 0},
		"crashes":   {"import ctypes; ctypes.string_at(0)", "crashed", 0},
		"is killed": {"os.kill(os.getpid(), 9)", "killed", 0},
		"hangs":     {"while True: pass", "timeout", 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			child := standInChild(t, c.code)
			if c.timeout > 0 {
				child.Timeout = c.timeout
			}
			_, err := torch.Open(t.Context(), child, torch.Opening{Target: "target.py:make"})
			var failed *torch.FailedError
			if !errors.As(err, &failed) {
				t.Fatalf("says %v", err)
			}
			if f := failure.Distil(failed.Raw); f.Entry != c.entry || f.Stage != "killed" {
				t.Errorf("%q at %q, want %q", f.Entry, f.Stage, c.entry)
			}
		})
	}
}

// What is printed, even to standard output itself, is not taken for an answer, and a package
// that is not there is named with what installs it.
func TestChildPrints(t *testing.T) {
	child := standInChild(t, "print('noise')\nos.write(1, b'{\"result\": 1}\\n')\nos.write(2, b'{}\\n')\nimport no_such_package_at_all")
	_, err := torch.Open(t.Context(), child, torch.Opening{Target: "target.py:make"})
	var failed *torch.FailedError
	if !errors.As(err, &failed) || failed.Raw.Missing != "no_such_package_at_all" {
		t.Fatalf("says %v", err)
	}
	frames := failed.Raw.Chain[0].Frames
	if last := frames[len(frames)-1]; !last.User || last.Line != 5 || last.Code != "import no_such_package_at_all" || filepath.Base(last.File) != "target.py" || failed.Raw.Stage != "load" {
		t.Errorf("the frame is %+v, at %s", last, failed.Raw.Stage)
	}
}

// What a child has started ends with it, also where it ended by itself.
func TestChildLeavesNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, end := range map[string]string{"exit": "os._exit(0)", "hang": "time.sleep(600)", "error": "raise ValueError()"} {
		t.Run(name, func(t *testing.T) {
			child := standInChild(t, "import subprocess\np = subprocess.Popen(['sleep', '600'])\nopen('pid', 'w').write(str(p.pid))\n"+end)
			child.Timeout = 10 * time.Second // only the one that hangs waits for it
			if b, err := torch.Open(t.Context(), child, torch.Opening{Target: "target.py:make"}); err == nil {
				b.Close()
				t.Fatal("it is open")
			}
			text, err := os.ReadFile(filepath.Join(child.Folder, "pid"))
			if err != nil {
				t.Fatal(err)
			}
			pid, _ := strconv.Atoi(string(text))
			for range 100 {
				if syscall.Kill(pid, 0) != nil || isZombie(pid) {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Errorf("process %d still runs", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		})
	}
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// writeModule puts a module beside the stand-in.
func writeModule(t *testing.T, c torch.Child, name, code string) {
	t.Helper()
	packages := c.Interpreter.Environ[len(c.Interpreter.Environ)-1]
	path := filepath.Join(strings.TrimPrefix(packages, "PYTHONPATH="), name+".py")
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
}

// touch makes an empty file, and gives what removes it.
func touch(t *testing.T, folder, name string) (remove func()) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
