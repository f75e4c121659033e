//go:build linux

package python

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// asParent has the test be a Lathe that starts a script and waits for it.
const asParent = "LATHE_TEST_PYTHON_PARENT"

// TestNoOrphan: what a script is at, and what it has started, ends when Lathe is killed, also
// where it holds the interpreter's lock.
func TestNoOrphan(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	python := interpreter(t)
	const started = "import subprocess\np = subprocess.Popen(['sleep', '600'])\nprint(os.getpid(), p.pid, file=sys.stderr, flush=True)\n"
	if source := os.Getenv(asParent); source != "" {
		_ = python.Run(t.Context(), Script{Source: source, Needed: "the test", TempDir: t.TempDir(), Output: os.Stdout}, nil)
		return
	}
	for name, work := range map[string]string{
		"waits":          "import time\nanswer(lambda: time.sleep(600))",
		"computes":       "def f():\n  while True: pass\nanswer(f)",
		"holds the lock": "import re\nanswer(lambda: re.match('(a+)+$', 'a' * 60 + 'b'))",
	} {
		t.Run(name, func(t *testing.T) {
			parent := exec.Command(os.Args[0], "-test.run=^TestNoOrphan$")
			parent.Env = append(os.Environ(), asParent+"="+started+work)
			output, err := parent.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(output).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond) // it is at its work
			if err := parent.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = parent.Wait()
			for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				left := running(strings.Fields(line))
				if len(left) == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("of %s there are %q", strings.TrimSpace(line), left)
				}
			}
		})
	}
}

// running are those of some processes that have not ended.
func running(pids []string) (left []string) {
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%s/stat", pid))
		_, state, _ := strings.Cut(string(stat), ") ")
		if err == nil && !strings.HasPrefix(state, "Z") {
			left = append(left, pid+" "+state)
		}
	}
	return left
}
