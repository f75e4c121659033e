package opschema

import (
	"slices"
	"testing"
)

// TestDraws: every operator of the list is one, those that draw in training have an input
// that says so, and every operator of the table with a seed is listed.
func TestDraws(t *testing.T) {
	for o, when := range drawing() {
		versions := Versions(o.domain, o.name)
		if len(versions) == 0 {
			t.Errorf("%s::%s is no operator of the table", o.domain, o.name)
			continue
		}
		newest := versions[len(versions)-1]
		trains := slices.ContainsFunc(newest.Inputs, func(p Param) bool { return p.Name == "training_mode" })
		if trains != (when == DrawsInTraining) {
			t.Errorf("%s::%s: training_mode %v, listed as %d", o.domain, o.name, trains, when)
		}
	}
	for _, domain := range Domains() {
		for _, name := range Names(domain) {
			for _, s := range Versions(domain, name) {
				_, seeded := s.Attribute("seed")
				hash := name == "MurmurHash3" // its seed is a parameter of the hash
				if seeded && !hash && DrawsOf(domain, name) == DrawsNever {
					t.Errorf("%s::%s has a seed and is not listed", domain, name)
				}
			}
		}
	}
	if DrawsOf("ai.onnx", "Dropout") != DrawsInTraining || DrawsOf("", "Add") != DrawsNever {
		t.Error("Dropout, or Add")
	}
}
