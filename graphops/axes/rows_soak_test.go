//go:build cgo && soak

package axes_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/proof"
	"lathe/session/sessiontest"
	"lathe/session/steps/cut"
)

// The verdicts on a repair. Those that begin with FAULT are faults.
const (
	repairProved   sweepVerdict = "proved, every row as alone"
	repairUnjudged sweepVerdict = "proved, rows not made here"
	repairNot      sweepVerdict = "not proved, with a reason"
	repairRefused  sweepVerdict = "refused with a reason, nothing written"
	repairSilent   sweepVerdict = "FAULT: no reason given"
	repairWrong    sweepVerdict = "FAULT: proved, and rows differ"
)

// TestAnyRepair makes the first axis of every model dynamic, with repairs. If the step says that the
// result is proved, three items together must give what the original gives for each. Otherwise the
// step must give a reason.
func TestAnyRepair(t *testing.T) {
	env := sessiontest.Env(t)
	for _, corpus := range []reference.Corpus{reference.Testdata, reference.Shared, reference.Debian} {
		t.Run(corpus.Name, func(t *testing.T) {
			s := newSweep(t)
			for _, path := range corpus.Models(t) {
				if m := openedAt(path); m != nil {
					s.repairs(env, modelName(path), m)
				}
			}
			t.Log(s.count)
		})
	}
	t.Run("operators", func(t *testing.T) {
		s := newSweep(t)
		for _, b := range mutate.Bases(t) {
			if m := decoded(b.Model); m != nil {
				s.repairs(env, b.Name, opened(t, saved(t, m)))
			}
		}
		t.Log(s.count)
	})
}

func (s *sweep) repairs(env session.Env, name string, m *graphops.Model) {
	defer s.forget()
	for _, a := range fixedAxes(m, 1) {
		v, why := s.repair(env, a)
		s.count[v]++
		if strings.HasPrefix(string(v), "FAULT") {
			s.t.Errorf("%s: %s: %s: %s", name, a, v, why)
		} else if v == repairUnjudged {
			s.t.Logf("%s: %s: %s: %s", name, a, v, why)
		}
	}
}

// repair makes an axis dynamic as the command does.
func (s *sweep) repair(env session.Env, a freedAxis) (sweepVerdict, string) {
	free := filepath.Join(s.t.TempDir(), "free.onnx")
	step := &cut.Axes{Dynamic: []string{fmt.Sprintf("%s:%d=%s", a.input, a.axis, freedSymbol)}, Repair: true}
	step.Out = free
	result, err := step.Run(s.t.Context(), env, a.model)
	if err != nil {
		return repairRefused, err.Error()
	}
	r := result.Report.(*cut.AxesReport)
	switch {
	case r.File == nil || result.No != (len(r.NotProved) > 0):
		return repairSilent, fmt.Sprintf("doubtful: %v, %q", result.No, r.NotProved)
	case result.No:
		return repairNot, strings.Join(r.NotProved, ", ")
	}
	m := openedAt(free)
	if m == nil || r.Proof == nil {
		return repairSilent, "there is no proof or no file"
	}
	delete(r.Proof.Sizes, freedSymbol) // the original has no such symbol
	return s.rows(a, m, r.Proof.Sizes)
}

// rows compares three items together with each alone.
func (s *sweep) rows(a freedAxis, changed *graphops.Model, sizes map[string]int64) (sweepVerdict, string) {
	var items []graphops.Feeds
	var want []map[string]graphops.Value
	for seed := range uint64(3) {
		made, err := inputs.Generate(graphops.NamedTypes(a.model.Graph().FeedInputs()), inputs.Options{Model: a.model, Dims: sizes, Seed: 100 + seed})
		if err != nil {
			return repairUnjudged, err.Error()
		}
		if seed > 0 {
			own := made.Feeds[a.input]
			made.Feeds = maps.Clone(items[0])
			made.Feeds[a.input] = own
		}
		got, err := s.values(a.model, made.Feeds)
		if err != nil {
			return repairUnjudged, err.Error()
		}
		items, want = append(items, made.Feeds), append(want, got)
	}
	var parts []tensor.Tensor
	for _, item := range items {
		parts = append(parts, item[a.input].Tensor)
	}
	all, err := proof.Join(parts, a.axis)
	if err != nil {
		return repairUnjudged, err.Error()
	}
	in := maps.Clone(items[0])
	in[a.input] = graphops.TensorValue(all)
	got, err := s.values(changed, in)
	if err != nil {
		return repairWrong, err.Error()
	}
	return judgeRows(a, changed, got, want)
}

// judgeRows compares the outputs that have the freed axis.
func judgeRows(a freedAxis, changed *graphops.Model, got map[string]graphops.Value, want []map[string]graphops.Value) (sweepVerdict, string) {
	for _, v := range changed.Graph().Outputs() {
		axis := slices.IndexFunc(v.Type().Shape, func(d graphops.Dim) bool { return d.Symbol == freedSymbol })
		if axis < 0 || !got[v.Name()].IsTensor() {
			continue
		}
		for i, alone := range want {
			part, err := proof.Cut(got[v.Name()].Tensor, axis, int64(i)*a.old, int64(i+1)*a.old)
			if err != nil {
				return repairWrong, err.Error()
			}
			m, err := tensor.Compare(alone[v.Name()].Tensor, part, tensor.Tolerance{RTol: 1e-3, ATol: 1e-4})
			if err != nil || m.Mismatched > 0 {
				return repairWrong, fmt.Sprintf("output %q, item %d: %v", v.Name(), i, err)
			}
		}
	}
	return repairProved, ""
}

// values runs a model and returns all outputs.
func (s *sweep) values(m *graphops.Model, in graphops.Feeds) (map[string]graphops.Value, error) {
	var names []string
	for _, v := range m.Graph().Outputs() {
		if !slices.Contains(names, v.Name()) {
			names = append(names, v.Name())
		}
	}
	got := map[string]graphops.Value{}
	return got, s.Run(s.t.Context(), m, in, execution.Whole(names...), func(g execution.Got) error {
		got[g.Name] = g.Value
		return nil
	})
}
