//go:build cgo

package quantization

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/sessiontest"
)

// TestGPTQOnTrainedModel quantizes a trained model by round to nearest and by GPTQ, on a part of its data,
// and compares the results on all of it.
func TestGPTQOnTrainedModel(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	m, err := graphops.Open("../../testdata/text_classifier.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	snr := map[string]float64{}
	for _, method := range []string{"rtn", "gptq"} {
		s := &Quantization{Mode: "nbits"}
		s.Method, s.Data = method, "../../testdata/text_test.npz"
		if method == "gptq" {
			s.Samples = 200
		}
		result, r, err := s.Quantize(t.Context(), env, m)
		if err != nil {
			t.Fatal(err)
		}
		if d := r.OnData; (d != nil) != (method == "gptq") || d != nil && (d.Cases != 25 || d.Runs != 25) {
			t.Errorf("%s: data %+v", method, d)
		}
		s.Samples = 0
		judged := &trialReport{}
		if _, _, err := s.judge(t.Context(), env, m, result, judged); err != nil {
			t.Fatal(err)
		}
		snr[method] = float64(*judged.Validation.Outputs[0].SNRAll)
	}
	t.Logf("SNR %v dB", snr)
	if snr["gptq"] < snr["rtn"]+1 {
		t.Errorf("SNR %v dB, expected gptq to be better by 1 dB", snr)
	}
}

// TestMethodUsage has options that do not fit the method.
func TestMethodUsage(t *testing.T) {
	m, err := graphops.Open("../../testdata/text_classifier.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		change func(s *Quantization)
		want   string
	}{
		{func(s *Quantization) { s.Method = "gptq" }, "needs samples"},
		{func(s *Quantization) { s.Method, s.Damping = "gptq", "much" }, `"much" is not a share`},
		{func(s *Quantization) { s.Method, s.Damping = "gptq", "-1" }, "from 0 to 1"},
		{func(s *Quantization) { s.Method, s.Damping = "gptq", "NaN" }, "from 0 to 1"},
		{func(s *Quantization) { s.Damping = "0.1" }, "only with --method gptq"},
		{func(s *Quantization) { s.Samples = 3 }, "--samples: has an effect only with --method gptq"},
		{func(s *Quantization) { s.Method, s.LargestFirst = "hqq", true }, "only with --method gptq"},
		{func(s *Quantization) { s.Method, s.Symmetric = "hqq", true }, "leave out --symmetric"},
		{func(s *Quantization) { s.Method, s.previewing, s.DataCommand = "gptq", true, "cat" }, "does not run the command"},
	} {
		s := &Quantization{Mode: "nbits"}
		tt.change(s)
		if _, _, err := s.Quantize(t.Context(), session.Env{}, m); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}
