package ort_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lathe/session/ort"
)

// A launcher that is given up is asked to end before it is killed: first by the end of
// its input, then by SIGTERM. What it notes down shows how far that had to go.
func TestLaunchGivenUp(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	notes := filepath.Join(t.TempDir(), "notes")
	note := func(word string) string { return fmt.Sprintf("echo %s >> %s", word, notes) }
	asked := "trap '" + note("asked") + "; exit 0' TERM; "
	for _, tt := range []struct {
		name, script, notes, left string
		grace                     time.Duration // a quarter of it is for the end by the input
	}{
		{"ends with its input", asked + "cat > /dev/null; " + note("closed"), "closed\n", "", 40 * time.Second},
		{"ends when it is asked", asked + "while :; do sleep 0.01; done", "asked\n", "", 8 * time.Second},
		{"has a child that ends when it is asked", "(" + asked + "while :; do sleep 0.01; done) & wait", "asked\n", "", 8 * time.Second},
		{
			"does not end", "trap \"" + note("deaf") + "\" TERM; while :; do sleep 0.01; done", "deaf\n",
			"; it did not end when asked to and was killed, so what it started may still run: check there with squeue --me or docker ps", time.Second,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_ = os.Remove(notes)
			pidFile := filepath.Join(t.TempDir(), "pid")
			script := "echo $$ > " + pidFile + "; echo started >&2; " + tt.script
			on := launcher(t, "sh -c '"+strings.ReplaceAll(script, "'", `'\''`)+"' sh")
			_, err := ort.Start(t.Context(), ort.Options{Launcher: on, StartTimeout: 500 * time.Millisecond, Grace: tt.grace})
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no worker answered within 500ms: started; if the connection is slow") || !strings.HasSuffix(err.Error(), tt.left) {
				t.Errorf("got %v, want one that ends with %q", err, tt.left)
			}
			if got, err := os.ReadFile(notes); string(got) != tt.notes {
				t.Errorf("noted down %q, %v, want %q", got, err, tt.notes)
			}
			waitGone(t, readPID(t, pidFile))
		})
	}
}

func readPID(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// What is left running is said: a process in a session of its own is out of reach.
func TestLaunchLeavesChild(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	pidFile := filepath.Join(t.TempDir(), "pid")
	script := `sh -c 'setsid sh -c "echo \$\$ > ` + pidFile + `; exec sleep 1000" & while ! [ -s ` + pidFile + ` ]; do sleep 0.01; done; echo lost >&2; exit 1' sh`
	_, err := ort.Start(t.Context(), ort.Options{Launcher: launcher(t, script), Grace: 20 * time.Second})
	t.Cleanup(func() { _ = syscall.Kill(readPID(t, pidFile), syscall.SIGKILL) })
	if err == nil {
		t.Fatal("it started")
	}
	for _, want := range []string{"it ended with status 1 before a worker answered: lost", "it left a process behind that still runs on this machine"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A worker that breaks the protocol has its launcher asked as well.
func TestLaunchGivenUpInTheMiddle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	notes := filepath.Join(t.TempDir(), "notes")
	t.Setenv("PATH", fakeLathe(t, "huge frame")+":"+os.Getenv("PATH"))
	// The shell waits for its child in a way that a signal breaks off.
	text := `sh -c 'trap "echo asked >> ` + notes + `; exit" TERM; exec 3<&0; "$@" <&3 & wait' sh`
	client, err := ort.Start(t.Context(), ort.Options{Launcher: launcher(t, text), Grace: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	_, err = run(t.Context(), loadFake(t, client), nil)
	var crash *ort.CrashError
	if !errors.As(err, &crash) || !crash.LineBroke() || !strings.Contains(err.Error(), "broke (a frame is too large") {
		t.Errorf("got %v", err)
	}
	if got, err := os.ReadFile(notes); string(got) != "asked\n" {
		t.Errorf("noted down %q, %v", got, err)
	}
}
