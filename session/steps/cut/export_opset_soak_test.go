//go:build soak && cgo

package cut

import (
	"errors"
	"testing"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest"
	bases "lathe/graphops/graphtest/mutate"
	"lathe/graphops/opschema"
	"lathe/graphops/reference"
	"lathe/session/sessiontest"
	"lathe/session/trial"
)

// TestRaisedModels converts every model of the corpora, and one for nearly every operator of ONNX
// Runtime, and compares the results of both models.
func TestRaisedModels(t *testing.T) {
	models := map[string]*graphops.Model{}
	for _, b := range bases.Bases(t) {
		models[b.Name] = graphtest.Decode(t, b.Model)
	}
	for _, c := range []reference.Corpus{reference.Testdata, reference.Shared, reference.Debian, reference.Others()} {
		if !c.Exists(t) {
			continue
		}
		for _, path := range c.Models(t) {
			if m, err := graphops.Open(path, graphops.OpenOptions{}); err == nil && m.FileBytes() < 8<<20 {
				models[path] = m
			}
		}
	}
	for _, to := range []int64{21, check.NewestOpset(sessiontest.Env(t).RuntimeVersion(t.Context()))} {
		var sum raisedSum
		for name, m := range models {
			sum.add(t, name, m, to)
		}
		t.Logf("to opset %d: of %d models of earlier ones %d are carried over and %d are not; %d run, %d with the same bits; %d have no kernel there", to, sum.models, sum.raised, sum.models-sum.raised, sum.run, sum.equal, sum.unimplemented)
	}
}

type raisedSum struct{ models, raised, run, equal, unimplemented int }

func (sum *raisedSum) add(t *testing.T, name string, m *graphops.Model, to int64) {
	t.Helper()
	if from, ok := m.Opset(""); !ok || from >= to || draws(m) {
		return
	}
	sum.models++
	c, err := trial.Convert(t.Context(), m, to, sessiontest.Env(t).RuntimeVersion(t.Context()))
	if err != nil {
		t.Logf("%s: %v", name, err)
		return
	}
	raised := c.Model
	sum.raised++
	if c.Unrunnable != "" {
		sum.unimplemented++
		return
	}
	apart, err := apartOf(t.Context(), sessiontest.Env(t), m, raised)
	var original notRun
	switch {
	case errors.As(err, &original):
		return
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case apart > 1e-5:
		t.Errorf("%s: apart by %g", name, apart)
	case apart == 0:
		sum.equal++
	}
	sum.run++
}

// draws reports whether a model may draw random numbers, which differ in every run.
func draws(m *graphops.Model) bool {
	for n := range m.AllNodes() {
		if opschema.DrawsOf(n.Domain(), n.OpType()) != opschema.DrawsNever {
			return true
		}
	}
	return false
}
