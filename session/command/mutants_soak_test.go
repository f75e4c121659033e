//go:build soak

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/session"
	"lathe/session/command/commandtest"
	"lathe/session/ort"
	"lathe/session/ort/orttest"
	"lathe/session/runtime"
	"lathe/session/steps/measure"
)

// seedFile is the archive of mutants that are kept.
const seedFile = "testdata/mutants/seeds.txtar"

// patience is how long a command may take before it is interrupted, and then to end.
const patience = 4 * time.Second

// TestMutantsInCommands runs every kept mutant through the commands that load models. No command
// may panic, or leave a process or a part of a file behind. An error must be one line.
func TestMutantsInCommands(t *testing.T) {
	orttest.Chosen(t)
	for _, line := range []string{
		"run-model $m --memory-limit 2G --save out.npz",
		"run-model $m --memory-limit 2G --timeout 2s --opt disable --json",
		"bench $m --memory-limit 2G --seconds 0.1",
		"validate $m $m --memory-limit 2G --timeout 2s",
		"check $m --runtime-load --weights --memory-limit 2G --timeout 2s",
		"check $m --json",
	} {
		name, _, _ := strings.Cut(line, " ")
		t.Run(name, func(t *testing.T) {
			count := map[int]int{}
			for _, s := range mutate.ReadSeeds(t, seedFile) {
				count[commandOnMutant(t, s, line)]++
			}
			t.Logf("exit codes: %v", count)
		})
	}
}

func commandOnMutant(t *testing.T, s mutate.Seed, line string) int {
	dir := t.TempDir()
	model := "mutant.onnx"
	if err := os.WriteFile(filepath.Join(dir, model), s.Bytes(t), 0o600); err != nil {
		t.Fatal(err)
	}
	mark := "LATHE_TEST_MUTANT=" + dir
	stdout, stderr, code := interrupted(t, dir, mark, strings.Fields(strings.ReplaceAll(line, "$m", model)))
	about := s.Name + ": lathe " + line
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	last := lines[len(lines)-1]
	switch code {
	case 0, exitNo:
	case exitFailed, exitInterrupted:
		if len(lines) != 1 || !strings.HasPrefix(last, "lathe: ") || last == "lathe: " {
			t.Errorf("%s: standard error is not one line: %q", about, stderr)
		}
		if stdout != "" {
			t.Errorf("%s: standard output of a failure: %q", about, stdout)
		}
	default:
		t.Errorf("%s: exit code %d: %q", about, code, stderr)
	}
	if strings.Contains(stderr, "goroutine ") || strings.Contains(stderr, "internal error") || graphtest.Unprintable(stderr) != "" {
		t.Errorf("%s: %q", about, stderr)
	}
	for _, e := range entries(t, dir) {
		if e != model && (e != "out.npz" || code != 0) {
			t.Errorf("%s: left %s", about, e)
		}
	}
	if left := commandtest.ProcessesWith(mark); len(left) > 0 {
		t.Errorf("%s: processes are left: %v", about, left)
	}
	return code
}

// interrupted runs lathe. If that takes longer than patience, it sends an interrupt, and kills the
// process if it still does not end.
func interrupted(t *testing.T, dir, mark string, args []string) (stdout, stderr string, code int) {
	lathe, err := exec.LookPath("lathe")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, lathe, args...)
	var out, errOut bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &out, &errOut, append(os.Environ(), mark)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * patience
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

func entries(t *testing.T, dir string) []string {
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range list {
		found = append(found, e.Name())
	}
	return found
}

// TestMutantsInJobs runs every kept mutant in a job, as the workbench does. If the model fails, the
// job has an error. If it hangs, the job ends when it is cancelled. In both cases the next job
// runs.
func TestMutantsInJobs(t *testing.T) {
	lib := orttest.Chosen(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := session.Env{
		Runtime: &runtime.Workers{
			Library: func(context.Context) (ort.Library, error) { return lib, nil },
			Command: []string{self, "worker"}, Env: os.Environ(),
		},
		Progress: func(session.Progress) {},
	}
	jobs := &session.Jobs{Now: time.Now}
	good := graphtest.Model(t, "input x f32[2]\ny = Relu(x)\noutput y f32[2]")
	for _, s := range mutate.ReadSeeds(t, seedFile) {
		m, err := graphops.Decode(s.Bytes(t))
		if err != nil {
			t.Logf("%s: not opened: %v", s.Name, err)
			continue
		}
		if err := jobOn(t, jobs, env, m, s.Name); err != nil && (strings.Contains(err.Error(), "internal error") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v", s.Name, err)
		}
		if err := jobOn(t, jobs, env, good, s.Name); err != nil {
			t.Errorf("the job after %s: %v", s.Name, err)
		}
	}
}

func jobOn(t *testing.T, jobs *session.Jobs, env session.Env, m *graphops.Model, about string) error {
	t.Helper()
	job := jobs.Start(t.Context(), &measure.RunModel{}, env, m)
	select {
	case <-job.Done():
		_, err := job.Result()
		return err
	case <-time.After(patience):
	}
	job.Cancel()
	select {
	case <-job.Done():
	case <-time.After(3 * patience):
		t.Fatalf("%s: the job does not end when it is cancelled", about)
	}
	_, err := job.Result()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%s: a cancelled job ended with %v", about, err)
	}
	return fmt.Errorf("cancelled: %w", err)
}
