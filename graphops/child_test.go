package graphops_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"lathe/graphops"
	"lathe/graphops/durable"
)

// A test starts its own binary as a child, under one of these jobs, where it
// needs a process that can be killed or limited.
const jobVariable = "LATHE_TEST_JOB"

var jobs = map[string]func(args []string) error{
	"save":     saveJob,
	"limited":  limitedJob,
	"crowded":  crowdedJob,
	"nobody":   nobodyJob,
	"removing": removingJob,
	"scratch":  scratchJob,
}

func TestMain(m *testing.M) {
	name := os.Getenv(jobVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := jobs[name](os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	// Under the race detector a process waits a second before it ends.
	c.Env = append(os.Environ(), jobVariable+"="+name, "GORACE=atexit_sleep_ms=0")
	return c
}

// saveJob saves model args[0] over args[1], external where args[2] says so, each
// tensor in a file of its own where it says "split", and tells when it begins.
func saveJob(args []string) error {
	m, err := graphops.Open(args[0], graphops.OpenOptions{})
	if err != nil {
		return err
	}
	o := graphops.SaveOptions{Storage: graphops.StoreEmbedded}
	switch args[2] {
	case "split":
		o.Split = 1
		fallthrough
	case "external":
		o.Storage = graphops.StoreExternal
	}
	o.Overwrite = true
	fmt.Println("ready")
	_, err = graphops.Save(context.Background(), m, args[1], o)
	return err
}

// limitedJob is saveJob in a process whose files may not grow past args[3]
// bytes.
func limitedJob(args []string) error {
	n, err := strconv.ParseUint(args[3], 10, 64)
	if err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}); err != nil {
		return err
	}
	return saveJob(args)
}

// crowdedJob is saveJob in a process that may open a few files more than it has: some of the
// data files, and not all.
func crowdedJob(args []string) error {
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	n := uint64(f.Fd()) + 8
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: n}); err != nil {
		return err
	}
	return saveJob(args)
}

// nobodyJob is saveJob by a user without rights.
func nobodyJob(args []string) error {
	const nobody = 65534
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
		return err
	}
	return saveJob(args)
}

// removingJob removes its temporaries while it writes to args[0], and says what
// comes of the file and of another one.
func removingJob(args []string) error {
	write := func(path string) error {
		return graphops.WriteFile(context.Background(), path, graphops.WriteOptions{}, func(w io.Writer) error {
			durable.RemoveTemporaries()
			_, err := w.Write(make([]byte, 1<<20))
			return err
		})
	}
	for _, path := range []string{args[0], args[0] + ".other"} {
		fmt.Println(write(path))
	}
	list, err := os.ReadDir(filepath.Dir(args[0]))
	fmt.Println(len(list), "files are left")
	return err
}

// TestRemoveTemporaries ends a program while it writes.
func TestRemoveTemporaries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.onnx")
	out, err := child(t, "removing", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"out.onnx: was removed by another program", "out.onnx.other: the program is ending", "0 files are left"}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if !strings.Contains(line, want[i]) {
			t.Errorf("line %d is %q, want %q", i, line, want[i])
		}
	}
}
