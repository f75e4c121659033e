//go:build soak

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
	"lathe/session/ort/orttest"
	"lathe/session/proof"
)

// The verdicts on a repair. Those that begin with FAULT are faults.
const (
	repairProved   sweepVerdict = "proved, every row as alone"
	repairUnjudged sweepVerdict = "proved, rows not made here"
	repairNot      sweepVerdict = "exit 3 with a reason"
	repairRefused  sweepVerdict = "refused with a reason, nothing written"
	repairSilent   sweepVerdict = "FAULT: no reason given"
	repairWrong    sweepVerdict = "FAULT: proved, and rows differ"
)

// TestAnyRepair repairs the first axis of every model. That of which the command says that
// it is proved gives three items at once what the original gives for each; of anything
// else a reason is given.
func TestAnyRepair(t *testing.T) {
	t.Setenv("LATHE_ORT_LIB", orttest.Library(t))
	t.Setenv("GORACE", "atexit_sleep_ms=0") // each worker would wait a second at its end
	for _, corpus := range []reference.Corpus{{Name: "testdata", Folder: "testdata"}, reference.Shared, reference.Debian} {
		t.Run(corpus.Name, func(t *testing.T) {
			s := newSweep(t)
			for _, path := range corpus.Models(t) {
				if m := openedAt(path); m != nil {
					s.repairs(modelName(path), path, m)
				}
			}
			t.Log(s.count)
		})
	}
	t.Run("operators", func(t *testing.T) {
		s := newSweep(t)
		for _, b := range mutate.Bases(t) {
			if m := decoded(b.Model); m != nil {
				s.repairs(b.Name, saved(t, m), m)
			}
		}
		t.Log(s.count)
	})
}

func (s *sweep) repairs(name, path string, m *graphops.Model) {
	defer s.forget()
	for _, a := range fixedAxes(m, 1) {
		v, why := s.repair(path, a)
		s.count[v]++
		if strings.HasPrefix(string(v), "FAULT") {
			s.t.Errorf("%s: %s: %s: %s", name, a, v, why)
		} else if v == repairUnjudged {
			s.t.Logf("%s: %s: %s: %s", name, a, v, why)
		}
	}
}

// repair runs the command on a file.
func (s *sweep) repair(path string, a freedAxis) (sweepVerdict, string) {
	free := filepath.Join(s.t.TempDir(), "free.onnx")
	axis := fmt.Sprintf("%s:%d=%s", a.input, a.axis, freedSymbol)
	var out, errOut bytes.Buffer
	code := run(context.Background(), []string{"axes", path, "--dynamic", axis, "--repair", "--json", "-o", free}, strings.NewReader(""), &out, &errOut)
	if code == 1 && errOut.Len() > 0 {
		return repairRefused, errOut.String()
	}
	var doc struct {
		NotProved []string    `json:"not_proved"`
		Proof     *proof.Axes `json:"proof"`
		File      any         `json:"file"`
	}
	err := json.Unmarshal(out.Bytes(), &doc)
	switch {
	case err != nil || doc.File == nil || code != 0 && code != 3 || (code == 3) != (len(doc.NotProved) > 0):
		return repairSilent, fmt.Sprintf("exit code %d, %v, %q, %s", code, err, doc.NotProved, errOut.String())
	case code == 3:
		return repairNot, strings.Join(doc.NotProved, ", ")
	}
	m := openedAt(free)
	if m == nil || doc.Proof == nil {
		return repairSilent, "there is no proof or no file"
	}
	delete(doc.Proof.Sizes, freedSymbol) // the original has no such symbol
	return s.rows(a, m, doc.Proof.Sizes)
}

// rows compares three items at once with each alone.
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

// judgeRows looks at the outputs that have the freed axis as one of their own.
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

// values are all outputs of a model.
func (s *sweep) values(m *graphops.Model, in graphops.Feeds) (map[string]graphops.Value, error) {
	var names []string
	for _, v := range m.Graph().Outputs() {
		if !slices.Contains(names, v.Name()) {
			names = append(names, v.Name())
		}
	}
	got := map[string]graphops.Value{}
	return got, s.Run(s.t.Context(), m, in, graphops.Whole(names...), func(g graphops.Got) error {
		got[g.Name] = g.Value
		return nil
	})
}
