// Package commandtest turns a test binary into the lathe program, for tests that start lathe as a
// process.
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

	"lathe/session/ort/orttest"
)

// Main is the TestMain of a package whose tests start the program under the name lathe, or other
// programs under their names. A command that a test runs within its own process starts workers from
// the test binary. Main therefore looks at the first argument: without that check, such a worker
// would run all tests, which would start workers again, without end.
//
// The tests run in root, the root of the repository relative to the package, so that paths in tests
// and examples are the ones that a person would type there.
func Main(m *testing.M, root string, lathe func(), others map[string]func()) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		orttest.BePlain(os.Args[2:]...)
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

// apart runs tests in a folder, with a temporary folder for user data, so that measurements of
// tests are not stored among a person's results.
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
	defer func() { _ = os.RemoveAll(dir) }() // at worst a few files stay behind
	if err := os.Setenv("XDG_DATA_HOME", dir); err != nil {
		panic(err)
	}
	xdg.Reload()
	return a.tests.Run()
}

// Process returns the program as a process that is not started yet. If it still runs at the end of
// the test, it is killed.
func Process(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	lathe, err := exec.LookPath("lathe") // Main put it on PATH
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(lathe, args...)
	// Under the race detector a process would otherwise wait for a second before it ends.
	c.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	t.Cleanup(func() {
		if c.ProcessState == nil && c.Process != nil {
			_ = c.Process.Kill() // the test has failed already
			_ = c.Wait()
		}
	})
	return c
}

// Eventually waits for up to 30 seconds until f, which looks at another process, returns true.
func Eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no ", what)
		}
	}
}

// ProcessesWith returns the processes whose environment contains a text. It waits for up to a
// second for processes that are about to end.
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
