//go:build cgo

package quantization

import (
	"errors"
	"testing"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/quant"
	"lathe/session/sessiontest"
)

// TestQuantizeDraft compares drafts of every mode with what the mode then does to real models, with
// some nodes left out. Mode static does not know ranges in a draft, and simplifies first.
func TestQuantizeDraft(t *testing.T) {
	env := sessiontest.Env(t)
	for _, c := range []struct {
		model, data, leftOut string
	}{
		{"digits.onnx", "digits_test.npz", "/fc1/Gemm"},
		{"text_classifier.onnx", "text_test.npz", ""},
	} {
		m, err := graphops.Open("../../testdata/"+c.model, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range Modes() {
			for _, leave := range []bool{false, true} {
				s := &Quantization{Mode: mode}
				s.NoScan = mode == "float16"
				if mode == "static" {
					if c.data == "" {
						continue
					}
					s.Data, s.Samples = "../../testdata/"+c.data, 5
				}
				d, err := s.Draft(t.Context(), m, false)
				if err != nil {
					t.Fatal(err)
				}
				if mode == "nbits" && c.model == "digits.onnx" { // it has no MatMul
					if _, _, err := s.Quantize(t.Context(), env, m); d.Nothing == "" || !errors.Is(err, quant.ErrNothing) {
						t.Errorf("%s %s: the draft says %q, the step %v", c.model, mode, d.Nothing, err)
					}
					continue
				}
				if leave {
					for i := range d.Candidates {
						if x := &d.Candidates[i]; x.Reason == "" && len(x.Weights) > 0 && x.Node().Name() != "" {
							s.Exclude = []string{x.Node().Name()}
							break
						}
					}
					if d, err = s.Draft(t.Context(), m, false); err != nil {
						t.Fatal(err)
					}
				}
				_, r, err := s.Quantize(t.Context(), env, m)
				if err != nil {
					t.Fatal(err)
				}
				off := max(r.After.Bytes-d.After, d.After-r.After.Bytes)
				t.Logf("%s %s without %q: %d bytes projected, %d made", c.model, mode, s.Exclude, d.After, r.After.Bytes)
				// A mask can make all scores of a row equal, which only the ranges show. Those
				// scores, and the nodes around them, then stay in float, and the draft cannot know
				// that.
				if off > 0 && !(d.Supposed && 30*off < r.After.Bytes) {
					t.Errorf("%s %s without %q: %d bytes off", c.model, mode, s.Exclude, off)
				}
				if d.Before != r.Before.Bytes {
					t.Errorf("%d bytes before, the report has %d", d.Before, r.Before.Bytes)
				}
			}
		}
	}
}

// TestSpread checks the distribution of an activation of a real model. Without data it shows the
// stored range, and without both it says what is missing.
func TestSpread(t *testing.T) {
	env := sessiontest.Env(t)
	m, err := graphops.Open("../../testdata/digits.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Quantization{Mode: "static"}
	if _, err := s.Spread(t.Context(), env, m, "features"); err == nil {
		t.Error("without data there is a spread")
	}
	s.Data, s.Samples, s.Ranges = "../../testdata/digits_test.npz", 10, t.TempDir()+"/ranges.json"
	spread, err := s.Spread(t.Context(), env, m, "features")
	if err != nil || len(spread.Ranges) != 4 || spread.Histogram == nil || spread.Samples != 10 {
		t.Fatalf("%+v, %v", spread, err)
	}
	if _, _, err := s.findRanges(t.Context(), env, m, []string{"features"}); err != nil {
		t.Fatal(err)
	}
	s.Data = ""
	kept, err := s.Spread(t.Context(), env, m, "features")
	if err != nil || kept.Histogram != nil || kept.Ranges[calibration.MethodMinMax] != spread.Ranges[calibration.MethodMinMax] {
		t.Errorf("%+v, %v", kept, err)
	}
}
