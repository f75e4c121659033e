package opset

import (
	"math"
	"testing"

	"lathe/graphops/opschema"
)

// TestEveryStep has a row for every version of every operator, and compares what the row
// says with the definitions.
func TestEveryStep(t *testing.T) {
	seen := map[change]bool{}
	for _, op := range opschema.Names("") {
		versions := opschema.Versions("", op)
		for i := 1; i < len(versions); i++ {
			at := change{op, versions[i].Since}
			seen[at] = true
			r, ok := table()[at]
			switch {
			case !ok:
				t.Errorf("steps.txt lacks %s %d; it must say what becomes of a node of version %d", op, at.since, versions[i-1].Since)
			case (r.verdict == adapted) != (adapters()[at] != nil):
				t.Errorf("%s %d: verdict %q, has an adapter: %t", op, at.since, r.verdict, adapters()[at] != nil)
			case r.verdict == none && r.why == "":
				t.Errorf("%s %d: none without a reason", op, at.since)
			case r.verdict == same:
				if what := unlike(versions[i-1], versions[i]); what != "" {
					t.Errorf("%s %d: same, but %s", op, at.since, what)
				}
			}
		}
	}
	for at := range table() {
		if !seen[at] {
			t.Errorf("steps.txt has %s %d, which is no step", at.op, at.since)
		}
	}
	for at := range adapters() {
		if !seen[at] {
			t.Errorf("adapter for %s %d, which is no step", at.op, at.since)
		}
	}
}

// unlike is what a node could say in one version and cannot in the next, or would mean
// otherwise there by what is left out. Types are looked at where a node is carried over.
func unlike(before, after *opschema.Schema) string {
	if after.Deprecated {
		return "it is deprecated"
	}
	for _, a := range before.Attributes {
		b, has := after.Attribute(a.Name)
		if !has || a.Kind != b.Kind || b.Required && !a.Required {
			return "attribute " + a.Name + " is another"
		}
		if a.HasDefault() && !sameDefault(a, b) {
			return "the default of " + a.Name + " is another"
		}
	}
	for _, b := range after.Attributes {
		if _, had := before.Attribute(b.Name); !had && b.Required {
			return "attribute " + b.Name + " is required"
		}
	}
	if after.MinInputs > before.MinInputs || after.MaxInputs < before.MaxInputs || after.MaxOutputs < before.MaxOutputs {
		return "the number of inputs or outputs is another"
	}
	return ""
}

func sameDefault(a, b opschema.Attribute) bool {
	return b.HasDefault() && a.Int() == b.Int() && math.Float32bits(a.Float()) == math.Float32bits(b.Float()) && a.Text() == b.Text()
}
