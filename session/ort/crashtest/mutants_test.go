//go:build cgo

package crashtest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/session/ort"
	"lathe/session/ort/crashtest"
)

// someSeeds returns n seeds from all parts of the archive.
func someSeeds(t *testing.T, n int) []mutate.Seed {
	all := mutate.ReadSeeds(t, seedFile)
	if len(all) < n {
		t.Fatalf("%s has %d seeds, %d are wanted", seedFile, len(all), n)
	}
	some := make([]mutate.Seed, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// TestMutants runs some of the models that crash ONNX Runtime or never end. The error must explain
// what happened, and the next model must run.
func TestMutants(t *testing.T) {
	tr := newTrial(t)
	tr.Options.Limit, tr.Options.Grace = 500*time.Millisecond, 300*time.Millisecond
	failed := 0
	for _, s := range someSeeds(t, 12) {
		for i, o := range tr.Both(s.Model) {
			if fault := misreported(o); fault != "" {
				t.Errorf("%s at level %v: %s", s.Name, crashtest.Levels[i], fault)
			}
			if o.Fails() {
				failed++
			}
			tr.heals(s.Name)
		}
	}
	if strings.HasPrefix(tr.version, "1.30.") && failed < 12 {
		t.Errorf("%d of 24 mutants failed; the seeds were made of those that do", failed)
	}
}

// TestMutantPhases compares the reported phase and signal with what mutants are known to do, one mutant
// for each.
func TestMutantPhases(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tr := newTrial(t)
	if !strings.HasPrefix(tr.version, "1.30.") {
		t.Skipf("the seeds are known to fail on ONNX Runtime 1.30, not on %s", tr.version)
	}
	tr.Options.Limit, tr.Options.Grace = 500*time.Millisecond, 300*time.Millisecond
	wanted := map[string]bool{
		"SIGSEGV loading": true, "SIGSEGV running": true, "SIGABRT loading": true, "SIGABRT running": true, "SIGFPE loading": true, "SIGFPE running": true,
		"hangs, is cancelled running": true, "hangs, is killed running": true,
	}
	for _, s := range mutate.ReadSeeds(t, seedFile) {
		_, want, _ := strings.Cut(s.Notes[0], ": ")
		want, _, _ = strings.Cut(want, ": ")
		if !wanted[want] {
			continue
		}
		delete(wanted, want)
		if got := tr.Both(s.Model)[0]; got.String() != want {
			t.Errorf("%s: %s (%v), want %s", s.Name, got, got.Err, want)
		}
	}
	for want := range wanted {
		t.Errorf("no seed does this: %s", want)
	}
}

// heals checks that a model runs after one that did not.
func (tr *trial) heals(after string) {
	tr.t.Helper()
	if o := tr.Run(ort.IdentityModel(), ort.OptimizeDefault); o.End != crashtest.Fine {
		tr.t.Fatalf("a model after %s: %v: %v", after, o, o.Err)
	}
}

// misreported returns what is wrong with the error of an outcome, or "".
func misreported(o crashtest.Outcome) string {
	if o.Err == nil {
		return ""
	}
	text := o.Err.Error()
	switch {
	case o.End == crashtest.Broken:
		return "no model makes a worker speak nonsense: " + text
	case text == "" || strings.Contains(text, "\n"):
		return fmt.Sprintf("%q is not a line", text)
	case graphtest.Unprintable(text) != "":
		return fmt.Sprintf("%q holds %s", text, graphtest.Unprintable(text))
	case !o.Fails():
		return ""
	case !strings.Contains(text, fmt.Sprintf("%s %q", o.Phase, crashtest.ModelName)):
		return fmt.Sprintf("%q does not say that it was %s %q", text, o.Phase, crashtest.ModelName)
	case o.Signal != 0 && !strings.Contains(text, unix.SignalName(o.Signal)):
		return fmt.Sprintf("%q does not say that it was %v", text, unix.SignalName(o.Signal))
	}
	return ""
}
