package command

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/session/ort"
)

// someSeeds is a number of seeds from all over the archive.
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

// TestMutants runs some of the models that are known to crash ONNX Runtime or to
// keep it busy for good. What each one does is the runtime's affair; that it is told
// well and that the next model runs is Lathe's.
func TestMutants(t *testing.T) {
	tr := newTrial(t)
	tr.options.Limit, tr.options.Grace = 500*time.Millisecond, 300*time.Millisecond
	failed := 0
	for _, s := range someSeeds(t, 12) {
		for i, o := range tr.both(s.Model) {
			if fault := misreported(o); fault != "" {
				t.Errorf("%s at level %v: %s", s.Name, levels[i], fault)
			}
			if o.fails() {
				failed++
			}
			tr.heals(s.Name)
		}
	}
	if strings.HasPrefix(tr.version, "1.30.") && failed < 12 {
		t.Errorf("%d of 24 mutants failed; the seeds were made of those that do", failed)
	}
}

// TestMutantPhases holds what is said of the phase and the signal against what
// mutants are known to do, one for each.
func TestMutantPhases(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tr := newTrial(t)
	if !strings.HasPrefix(tr.version, "1.30.") {
		t.Skipf("the seeds are known to fail on ONNX Runtime 1.30, not on %s", tr.version)
	}
	tr.options.Limit, tr.options.Grace = 500*time.Millisecond, 300*time.Millisecond
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
		if got := tr.both(s.Model)[0]; got.String() != want {
			t.Errorf("%s: %s (%v), want %s", s.Name, got, got.err, want)
		}
	}
	for want := range wanted {
		t.Errorf("no seed does this: %s", want)
	}
}

// heals checks that a model runs after one that did not.
func (tr *trial) heals(after string) {
	tr.t.Helper()
	if o := tr.run(ort.IdentityModel(), ort.OptimizeDefault); o.end != endFine {
		tr.t.Fatalf("a model after %s: %v: %v", after, o, o.err)
	}
}

// misreported is what is wrong with the error that tells an outcome, "" if nothing
// is.
func misreported(o outcome) string {
	if o.err == nil {
		return ""
	}
	text := o.err.Error()
	switch {
	case o.end == endBroken:
		return "no model makes a worker speak nonsense: " + text
	case text == "" || strings.Contains(text, "\n"):
		return fmt.Sprintf("%q is not a line", text)
	case graphtest.Unprintable(text) != "":
		return fmt.Sprintf("%q holds %s", text, graphtest.Unprintable(text))
	case !o.fails():
		return ""
	case !strings.Contains(text, fmt.Sprintf("%s %q", o.phase, mutantName)):
		return fmt.Sprintf("%q does not tell that it was %s %q", text, o.phase, mutantName)
	case o.signal != 0 && !strings.Contains(text, unix.SignalName(o.signal)):
		return fmt.Sprintf("%q does not tell that it was %v", text, unix.SignalName(o.signal))
	}
	return ""
}
