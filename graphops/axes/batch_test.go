//go:build cgo

package axes_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/proof"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
	"lathe/session/steps/cut"
)

// repaired makes axes dynamic with repairs, writes the result to a file and returns the proof.
func repaired(t *testing.T, env session.Env, m *graphops.Model, out string, dynamic ...string) *proof.Axes {
	t.Helper()
	s := &cut.Axes{Dynamic: dynamic, Repair: true}
	s.Out = out
	result, err := s.Run(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report.(*cut.AxesReport)
	if result.No || r.Proof == nil || len(r.Proof.Freed) == 0 {
		t.Fatalf("not proved: %q, %q", r.NotProved, r.Warnings)
	}
	return r.Proof
}

// TestBatchOfSeven makes the batch dynamic in models that were exported at a batch of 1. Seven
// items together must give what each gives alone, with the runtime's usual optimizations.
func TestBatchOfSeven(t *testing.T) {
	env := sessiontest.Env(t)
	for _, name := range []string{"digits_batch1", "lm_batch1", "vit_batch1", "cnn_batch1", "rnn_batch1"} {
		t.Run(name, func(t *testing.T) {
			m := opened(t, filepath.Join("..", "..", "testdata", name+".onnx"))
			in := m.Graph().FeedInputs()[0].Name()
			free := filepath.Join(t.TempDir(), "free.onnx")
			p := repaired(t, env, m, free, in+":0=batch")
			if len(p.Freed) != 1 || !p.Freed[0].Rows {
				t.Errorf("proved is %+v", p)
			}
			sevenOf(t, loadedOn(t, env, m), loadedOn(t, env, opened(t, free)), in)
		})
	}
}

// sevenOf runs seven items one by one and together, and compares the results. Items are along the
// first axis.
func sevenOf(t *testing.T, one, seven runtime.Loaded, in string) {
	t.Helper()
	var all tensor.Tensor
	var singles [][]execution.Got
	for seed := range uint64(7) {
		made, err := inputs.Generate(one.Inputs(), inputs.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		x := made.Feeds[in].Tensor
		all.DType, all.Data = x.DType, append(all.Data, x.Data...)
		all.Shape = slices.Concat([]int64{7}, x.Shape[1:])
		got, err := runtime.RunWhole(t.Context(), one, made.Feeds)
		if err != nil {
			t.Fatal(err)
		}
		singles = append(singles, got)
	}
	got, err := runtime.RunWhole(t.Context(), seven, graphops.Feeds{in: graphops.TensorValue(all)})
	if err != nil {
		t.Fatal(err)
	}
	for k, output := range got {
		for i, single := range singles {
			row, err := output.Value.Tensor.Rows(int64(i), int64(i)+1)
			if err != nil {
				t.Fatal(err)
			}
			m, err := tensor.Compare(single[k].Value.Tensor, row, tensor.Tolerance{RTol: 1e-4, ATol: 1e-5})
			if err != nil || m.Mismatched > 0 {
				t.Errorf("%s, item %d: %v, %s", output.Name, i, err, fmt.Sprint(m))
			}
		}
	}
}

func opened(t *testing.T, path string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func loadedOn(t *testing.T, env session.Env, m *graphops.Model) runtime.Loaded {
	t.Helper()
	l, err := env.Runtime.Load(t.Context(), m, runtime.Execution{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
