//go:build cgo && soak

package crashtest_test

import (
	"runtime"
	"slices"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/reference"
	"lathe/session/ort/crashtest"
)

// freshMutants is how many mutants are tried; -hunt-from tries others.
const freshMutants = 6000

// TestFreshMutants runs new mutants: of the bases of package mutate, of the models in testdata, of the
// conformance models if they are installed, and of the seeds.
func TestFreshMutants(t *testing.T) {
	bases := slices.Concat(mutate.Bases(t), mutate.Files(t, reference.Testdata.Dir(t), 64<<10), mutate.Files(t, mutate.Conformance, 8<<10))
	for _, s := range mutate.ReadSeeds(t, seedFile) {
		bases = append(bases, mutate.Base{Name: s.Name, Model: s.Model})
	}
	// Names that pile up marks are escaped where they are printed, which TestHostileNamesAtRuntime tests.
	bases = slices.DeleteFunc(bases, func(b mutate.Base) bool { return b.Name == "hostile_names.onnx" })
	tr := newTrial(t)
	before := runtime.NumGoroutine()
	count := map[string]int{}
	for number := *huntFrom; number < *huntFrom+freshMutants; number++ {
		m, did := mutate.Numbered(bases, number)
		for i, o := range tr.Both(m) {
			count[o.String()]++
			if fault := misreported(o); fault != "" {
				t.Errorf("mutant %d (%s) at level %v: %s", number, did, crashtest.Levels[i], fault)
			}
			if o.Fails() {
				tr.heals(did)
			}
		}
	}
	tr.Fresh()
	t.Logf("%v", count)
	if count[string(crashtest.Fine)] < freshMutants/10 || count[string(crashtest.Refused)] < freshMutants/10 {
		t.Errorf("%v: mutants of any use are neither all good nor all bad", count)
	}
	graphtest.NoMoreGoroutines(t, before+2)
}

// TestMutantSeeds runs every seed.
func TestMutantSeeds(t *testing.T) {
	tr := newTrial(t)
	for _, s := range mutate.ReadSeeds(t, seedFile) {
		for i, o := range tr.Both(s.Model) {
			if fault := misreported(o); fault != "" {
				t.Errorf("%s at level %v: %s", s.Name, crashtest.Levels[i], fault)
			}
			tr.heals(s.Name)
		}
	}
}
