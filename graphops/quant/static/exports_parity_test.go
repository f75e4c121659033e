//go:build parity

package static

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/check"
	"lathe/graphops/durable"
	"lathe/graphops/quant"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
)

// exportWays are what TestExports compares: operators of integers most of all, whose nodes
// differ by operator more than pairs do.
func exportWays() map[string]Options {
	of := func(f Format, a, w tensor.DType, perChannel bool) Options {
		o := DefaultOptions()
		o.Format, o.ActivationType, o.WeightType, o.PerChannel, o.Masks = f, a, w, perChannel, true
		return o
	}
	return map[string]Options{
		"pairs, u8 and i8, per channel":     of(FormatQDQ, tensor.U8, tensor.I8, true),
		"operators, i8":                     of(FormatOperators, tensor.I8, tensor.I8, false),
		"operators, u8 and i8, per channel": of(FormatOperators, tensor.U8, tensor.I8, true),
		"operators, u8":                     of(FormatOperators, tensor.U8, tensor.U8, false),
	}
}

// TestExports quantizes whole models that others made, those below LATHE_CORPUS among them,
// and compares nodes up to order and initializers bit for bit with the reference, which
// chooses the ranges. Where a departure is reported, the number of differences is told. Each
// result is checked, and runs where the original does.
func TestExports(t *testing.T) {
	python := reference.Start(t, "testdata/reference.py")
	var hello answer
	python.Read(t, &hello)
	corpora := []reference.Corpus{reference.Testdata, reference.Shared}
	if c := reference.Others(); c != reference.Debian {
		corpora = append(corpora, c)
	}
	for _, corpus := range corpora {
		t.Run(corpus.Name, func(t *testing.T) {
			for _, path := range corpus.Models(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil || quant.Already(m).Nodes > 0 || strings.Contains(path, "broken") {
					continue
				}
				t.Run(filepath.Base(path), func(t *testing.T) { compareExport(t, python, path, m) })
			}
		})
	}
}

func compareExport(t *testing.T, python *reference.Python, path string, m *graphops.Model) {
	folder := t.TempDir()
	cache := filepath.Join(folder, "ranges.json")
	for way, o := range exportWays() {
		theirs, ours := filepath.Join(folder, "theirs.onnx"), filepath.Join(folder, "ours.onnx")
		_ = os.Remove(theirs)
		var a answer
		python.Ask(t, request{Model: path, Out: theirs, Cache: cache, Options: forReference(o)}, &a)
		f, err := os.Open(cache)
		if err != nil {
			t.Skipf("no ranges: %s", *a.Error)
		}
		table, err := calibration.ReadTable(f)
		f.Close()
		if err != nil {
			t.Skip(err)
		}
		q, report, err := Quantize(context.Background(), m, table, o)
		if errors.Is(err, quant.ErrNothing) {
			t.Logf("%s: %v", way, err)
			continue
		}
		if err != nil {
			t.Logf("%s: %v; the reference: %v", way, err, said(a.Error))
			if a.Error == nil {
				t.Fail()
			}
			continue
		}
		if _, err := graphops.Save(context.Background(), q, ours, graphops.SaveOptions{Options: durable.Options{Overwrite: true}}); err != nil {
			t.Fatal(err)
		}
		if problems, err := check.Model(context.Background(), q, check.Options{}); err != nil || !check.OK(problems) {
			t.Errorf("%s: %v, %v", way, problems, err)
		}
		python.Ask(t, request{Model: path, Others: []string{ours}}, &a)
		if a.Error == nil && a.Difference[0] == nil {
			t.Errorf("%s: the result does not run, departures %v", way, report.Departures)
		}
		compareFiles(t, way, theirs, ours, report)
		if a.Error == nil && a.Difference[0] != nil {
			t.Logf("%s: %d nodes quantized, outputs differ by %.3g of the largest", way, len(report.Quantized), *a.Difference[0])
		}
	}
}

func compareFiles(t *testing.T, way, theirs, ours string, report *Report) {
	t.Helper()
	if _, err := os.Stat(theirs); err != nil {
		t.Logf("%s: the reference makes nothing; departures %v", way, report.Departures)
		if len(report.Departures) == 0 {
			t.Fail()
		}
		return
	}
	want, got := contents(t, theirs), contents(t, ours)
	if len(report.Departures) == 0 {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-reference +ours):\n%.6000s", way, diff)
		}
		return
	}
	nodes, other := map[string]int{}, 0
	for _, n := range want.Nodes {
		nodes[n]++
	}
	for _, n := range got.Nodes {
		nodes[n]--
	}
	for _, n := range nodes {
		other += max(n, -n)
	}
	same := 0
	for name, x := range want.Initializers {
		if cmp.Equal(x, got.Initializers[name]) {
			same++
		}
	}
	t.Logf("%s: departures %v: %d of %d nodes differ, %d of %d initializers are the same", way, report.Departures, other, len(want.Nodes)+len(got.Nodes), same, len(want.Initializers))
}

func said(text *string) string {
	if text == nil {
		return "takes it"
	}
	return *text
}
