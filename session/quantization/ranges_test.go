//go:build cgo

package quantization

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/sessiontest"
	"lathe/session/sides"
)

// TestFindRanges finds ranges of a model on its test data, stores them in a file, and reads them
// from there without a run.
func TestFindRanges(t *testing.T) {
	env := sessiontest.Env(t)
	m, err := graphops.Open("../../testdata/digits.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"input", "features"}
	file := filepath.Join(t.TempDir(), "ranges.json")
	s := &Quantization{Mode: "static"}
	s.Data, s.Ranges, s.Samples = "../../testdata/digits_test.npz", file, 40
	s.previewing = true
	first, r, err := s.findRanges(t.Context(), env, m, values)
	if err != nil {
		t.Fatal(err)
	}
	if r.File != "" || r.Cases != 40 || r.Runs != 40 || r.Values != 2 || r.Method != "minmax" {
		t.Errorf("previewed: %+v", r)
	}
	if _, err := os.Stat(file); err == nil {
		t.Fatal("a preview wrote the ranges")
	}
	s.previewing = false
	if _, r, err = s.findRanges(t.Context(), env, m, values); err != nil || r.File != file {
		t.Fatalf("%+v, %v", r, err)
	}
	if x := first.Tensors["input"].Range; x != (calibration.Range{Low: 0, High: 1}) {
		t.Errorf("input: %v", x)
	}
	env.Runtime = nil // nothing is run
	kept, r, err := s.findRanges(t.Context(), env, m, values)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(first, kept); d != "" || !r.Reused {
		t.Errorf("%+v: %s", r, d)
	}
	var text strings.Builder
	r.writeText(&text)
	if want := "ranges of 2 values by minmax, stored in " + file + "\n"; text.String() != want {
		t.Errorf("%q, expected %q", text.String(), want)
	}
	if raw, err := json.Marshal(r); err != nil || !strings.Contains(string(raw), `"reused":true`) {
		t.Errorf("%s, %v", raw, err)
	}
	for want, change := range map[string]func(*Quantization, *[]string){
		"it was made by method minmax, and --calibration says entropy": func(s *Quantization, _ *[]string) { s.Calibration = "entropy" },
		`it has no range for value "logits"`:                           func(_ *Quantization, v *[]string) { *v = append(*v, "logits") },
		"--percentile: has an effect only with":                        func(s *Quantization, _ *[]string) { s.Percentile = 99 },
		"--histogram-bins: --calibration minmax":                       func(s *Quantization, _ *[]string) { s.HistogramBins = 99 },
		"needs samples":                                                func(s *Quantization, _ *[]string) { s.Ranges, s.Data = "", "" },
	} {
		draft, names := *s, values
		change(&draft, &names)
		if _, _, err := draft.findRanges(t.Context(), env, m, names); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// TestRangeFlags checks that every flag has an effect, and that flags of another method are
// rejected.
func TestRangeFlags(t *testing.T) {
	f := Quantization{rangeFlags: rangeFlags{Calibration: "percentile", Percentile: 90, SignedRanges: true, HistogramBins: 600, Collection: 3}}
	o, err := f.calibrationOptions()
	if err != nil || o.Percent != 90 || o.Symmetric || o.Bins != 600 || o.Collection != 3 {
		t.Errorf("%+v, %v", o, err)
	}
	f = Quantization{rangeFlags: rangeFlags{SymmetricRanges: true, MovingAverage: true}}
	if o, err = f.calibrationOptions(); err != nil || o.Method != calibration.MethodMinMax || !o.Symmetric || !o.Average {
		t.Errorf("%+v, %v", o, err)
	}
	var usage session.UsageError
	f = Quantization{rangeFlags: rangeFlags{Calibration: "entropy", SymmetricRanges: true}}
	if _, err = f.calibrationOptions(); !errors.As(err, &usage) {
		t.Errorf("%v", err)
	}
}

// TestRangeNotes checks the notes about ranges that are not what their method promises, and about a
// trial on the data of the calibration.
func TestRangeNotes(t *testing.T) {
	env := sessiontest.Env(t)
	m, err := graphops.Open("../../testdata/digits.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Quantization{Mode: "static"}
	s.Data, s.Samples, s.Calibration = "../../testdata/digits_test.npz", 4, "entropy"
	_, r, err := s.findRanges(t.Context(), env, m, []string{"input"})
	if err != nil || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "with 128 bins and all samples at once, entropy cuts nothing") {
		t.Errorf("%+v, %v", r, err)
	}
	s.HistogramBins = 256
	if _, r, err = s.findRanges(t.Context(), env, m, []string{"input"}); err != nil || len(r.Notes) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	lines := (&trialReport{OnData: true, OnCalibration: true, Validation: &sides.Report{Report: &compare.Report{Headline: "as it is"}}}).lines()
	if want := "on the data that the ranges were found on, 0 cases: as it is"; len(lines) != 1 || lines[0] != want {
		t.Errorf("%q, expected %q", lines, want)
	}
}

// TestDataCommand quantizes with data that a command prints. A preview does not run the command.
func TestDataCommand(t *testing.T) {
	env := sessiontest.Env(t)
	m, err := graphops.Open("../../testdata/digits.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Quantization{Mode: "static"}
	s.DataCommand, s.NoTrial, s.Samples = "cat ../../testdata/digits_test.npz", true, 10
	done, err := s.Run(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	if r := done.Report.(*Report).Ranges; r.Cases != 10 || r.Runs != 10 {
		t.Errorf("%+v", r)
	}
	if _, err := s.Planned(t.Context(), env, m); !errors.Is(err, errNotPreviewed) {
		t.Errorf("a preview: %v", err)
	}
	s.DataCommand = "echo it is gone >&2; exit 4"
	if _, err := s.Run(t.Context(), env, m); err == nil || !strings.HasSuffix(err.Error(), "--data-command: exit status 4: it is gone") {
		t.Errorf("a command that fails: %v", err)
	}
	s.Data = "../../testdata/digits_test.npz"
	var usage session.UsageError
	if _, err := s.Run(t.Context(), env, m); !errors.As(err, &usage) {
		t.Errorf("with data: %v", err)
	}
}
