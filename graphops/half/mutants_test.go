package half

import (
	"context"
	"errors"
	"testing"

	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
)

// mutantsOfEach is how many mutants of each operator are converted.
const mutantsOfEach = 3

// TestMutants converts models that are nearly valid: what comes out has no error that
// the original has not.
func TestMutants(t *testing.T) {
	bases := mutate.Bases(t)
	for i, base := range bases {
		for seed := range uint64(mutantsOfEach) {
			message, what := mutate.New(base, bases, seed+uint64(1000*i))
			m := graphtest.Decode(t, message)
			before, err := check.Model(context.Background(), m, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			q, _, err := Float16(context.Background(), m, DefaultOptions(), nil)
			if errors.Is(err, errNothing) || err != nil && hasErrors(before) {
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", base.Name, what, err)
				continue
			}
			after, err := check.Model(context.Background(), q, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			had := map[string]bool{}
			for _, p := range before {
				had[p.Code] = true
			}
			for _, p := range after {
				if p.Severity == check.Error && !had[p.Code] && !hasErrors(before) {
					t.Errorf("%s, %s: %s: %s", base.Name, what, p.Code, p.Message)
				}
			}
			if _, _, err := Bfloat16(context.Background(), m, DefaultOptions(), nil); err != nil && !errors.Is(err, errNothing) {
				t.Errorf("%s, %s: %v", base.Name, what, err)
			}
		}
	}
}

func hasErrors(list []check.Problem) bool {
	for _, p := range list {
		if p.Severity == check.Error {
			return true
		}
	}
	return false
}
