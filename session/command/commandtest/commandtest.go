// Package commandtest lets a test binary be the program, for tests that start it as a process.
package commandtest

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"github.com/rogpeppe/go-internal/testscript"
)

// Main is the TestMain of a package whose tests start the program under the name lathe, or others
// under their names. A command that a test runs within its own process starts its worker from the
// same executable. Without the check of the first argument such a worker would run the tests, which
// start workers, without end.
//
// The tests run in root, the folder of the repository as seen from the package, so that paths in
// tests and in examples are those that a person types there.
func Main(m *testing.M, root string, lathe func(), others map[string]func()) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		lathe()
		os.Exit(0)
	}
	programs := maps.Clone(others)
	if programs == nil {
		programs = map[string]func(){}
	}
	programs["lathe"] = lathe
	testscript.Main(apart{m, root}, programs)
}

// apart runs tests in a folder, and with an own folder for data, so that what they measure is not
// stored among a person's results.
type apart struct {
	tests testscript.TestingM
	root  string
}

func (a apart) Run() int {
	if err := os.Chdir(a.root); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "lathe-data")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is a few files
	if err := os.Setenv("XDG_DATA_HOME", dir); err != nil {
		panic(err)
	}
	xdg.Reload()
	return a.tests.Run()
}

// Process is the program in a process that has not started yet. It is killed at the end of the
// test if it still runs.
func Process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	lathe, err := exec.LookPath("lathe") // Main puts it on the path
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(lathe, args...)
	// Under the race detector a process waits a second before it ends.
	c.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	t.Cleanup(func() {
		if c.ProcessState == nil && c.Process != nil {
			_ = c.Process.Kill() // the test has failed already
			_ = c.Wait()
		}
	})
	return c
}

// Eventually waits up to 30 seconds for something that another process does.
func Eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no ", what)
		}
	}
}

// ProcessesWith finds the processes that have a text in their environment. It waits up to a second
// for those that are ending.
func ProcessesWith(mark string) (found []string) {
	for range 20 {
		found = nil
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range files {
			if environ, err := os.ReadFile(file); err == nil && bytes.Contains(environ, []byte(mark)) {
				found = append(found, file)
			}
		}
		if len(found) == 0 {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return found
}
