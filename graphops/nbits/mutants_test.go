package nbits

import (
	"context"
	"errors"
	"testing"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/quant"
)

// mutantsOfEach is how many mutants of each base are quantized.
const mutantsOfEach = 60

// TestMutants quantizes models that are nearly valid: the result has no error that the original does not
// have.
func TestMutants(t *testing.T) {
	bases := mutate.Bases(t)
	changed := 0
	for i, base := range bases {
		if !readsProduct(graphtest.Decode(t, base.Model)) {
			continue
		}
		for seed := range uint64(mutantsOfEach) {
			message, what := mutate.New(base, bases, seed+uint64(1000*i))
			m := graphtest.Decode(t, message)
			for _, o := range []Options{with(func(o *Options) { o.OpTypes = OpTypes() }), with(func(o *Options) { o.Format, o.Symmetric = Standard, false }), {Method: HQQ, Bits: 4, BlockSize: 32}} {
				q, _, err := Quantize(context.Background(), m, o, nil)
				if errors.Is(err, quant.ErrNothing) {
					continue
				}
				before := errorCodes(t, m)
				switch {
				case err != nil && len(before) == 0 && o.Format == Operators:
					t.Errorf("%s, %s: %v", base.Name, what, err)
				case err == nil && len(before) == 0:
					changed++
					for code, message := range errorCodes(t, q) {
						t.Errorf("%s, %s: %s: %s", base.Name, what, code, message)
					}
				}
			}
		}
	}
	t.Logf("%d results", changed)
}

// readsProduct reports whether a model has a node that could be quantized.
func readsProduct(m *graphops.Model) bool {
	for n := range m.AllNodes() {
		if n.Is("MatMul") || n.Is("Gather") {
			return true
		}
	}
	return false
}

// errorCodes returns the errors of a model.
func errorCodes(t *testing.T, m *graphops.Model) map[string]string {
	t.Helper()
	list, err := check.Model(context.Background(), m, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, p := range list {
		if p.Severity == check.Error {
			found[p.Code] = p.Message
		}
	}
	return found
}
