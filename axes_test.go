package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/ort/orttest"
	"lathe/session/proof"
)

// proofOf runs a command and reads its proof.
func proofOf(t *testing.T, args []string) proof.Axes {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(context.Background(), args, strings.NewReader(""), &out, &errOut); code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	var doc struct {
		Proof    *proof.Axes `json:"proof"`
		Warnings []string    `json:"warnings"`
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || doc.Proof == nil || len(doc.Proof.Freed) == 0 {
		t.Fatalf("no proof: %v, %q", err, doc.Warnings)
	}
	return *doc.Proof
}

// A model that was exported at a fixed batch of 1 gives seven items at once what it
// gives each of them alone. The runtime optimizes both graphs as it does for anyone.
func TestBatchOfSeven(t *testing.T) {
	t.Setenv("LATHE_ORT_LIB", orttest.Library(t))
	t.Setenv("GORACE", "atexit_sleep_ms=0") // each worker would wait a second at its end
	for _, name := range []string{"digits_batch1", "lm_batch1", "vit_batch1", "cnn_batch1", "rnn_batch1"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".onnx")
			m, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			in := m.Graph().FeedInputs()[0].Name()
			free := filepath.Join(t.TempDir(), "free.onnx")
			p := proofOf(t, []string{"axes", path, "--dynamic", in + ":0=batch", "--repair", "--json", "-o", free})
			if len(p.Freed) != 1 || !p.Freed[0].Rows {
				t.Errorf("proved is %+v", p)
			}
			sevenOf(t, path, free, in)
		})
	}
}

// sevenOf compares a batch with its items. Both have their items in front.
func sevenOf(t *testing.T, path, free, in string) {
	t.Helper()
	one, seven := loadedFrom(t, path), loadedFrom(t, free)
	var all tensor.Tensor
	var singles [][]graphops.Got
	for seed := range uint64(7) {
		made, err := inputs.Generate(one.Inputs(), inputs.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		x := made.Feeds[in].Tensor
		all.DType, all.Data = x.DType, append(all.Data, x.Data...)
		all.Shape = slices.Concat([]int64{7}, x.Shape[1:])
		got, err := session.RunWhole(t.Context(), one, made.Feeds)
		if err != nil {
			t.Fatal(err)
		}
		singles = append(singles, got)
	}
	got, err := session.RunWhole(t.Context(), seven, graphops.Feeds{in: graphops.TensorValue(all)})
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

func loadedFrom(t *testing.T, path string) session.Loaded {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&app{}).workers().Load(t.Context(), m, session.Execution{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
