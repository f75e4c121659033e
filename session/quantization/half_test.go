//go:build cgo

package quantization

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/sessiontest"
	"lathe/session/sides"
)

func halved16(t *testing.T, s *Quantization, m *graphops.Model) (session.Result, *Report) {
	t.Helper()
	s.Mode = "float16"
	r, err := s.Run(t.Context(), sessiontest.Env(t), m)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.Report.(*Report)
}

// TestFloat16KeepsAccuracy converts models for which data with correct answers is known.
func TestFloat16KeepsAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	folder := filepath.Join("..", "..", "testdata")
	for model, data := range map[string]string{"digits.onnx": "digits_test.npz", "text_classifier.onnx": "text_test.npz"} {
		m, err := graphops.Open(filepath.Join(folder, model), graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), model)
		s := &Quantization{Saving: flags.Saving{Out: out}}
		s.Data, s.NoTrial = filepath.Join(folder, data), true
		s.NoScan = model != "digits.onnx" // its scan takes a second, the others take several
		_, r := halved16(t, s, m)
		if !s.NoScan && (r.Scan == nil || r.Scan.NotRun != "" || !r.Scan.OnData || len(r.Scan.Beyond) > 0) {
			t.Errorf("%s: scan %+v", model, r.Scan)
		}
		if r.After.Bytes > r.Before.Bytes*6/10 {
			t.Errorf("%s: %d bytes, were %d", model, r.After.Bytes, r.Before.Bytes)
		}
		v := &sides.Comparison{A: filepath.Join(folder, model), B: out}
		v.Data = s.Data
		judged, err := v.Run(t.Context(), env)
		if err != nil {
			t.Fatal(err)
		}
		validation := judged.Report.(*sides.Report)
		if !validation.Pass || len(validation.Accuracy) == 0 {
			t.Errorf("%s: %s", model, validation.Verdict)
		}
		for _, a := range validation.Accuracy {
			if float64(a.A)-float64(a.B) > 0.005 {
				t.Errorf("%s: accuracy %v, was %v", model, a.B, a.A)
			}
		}
	}
}

// overflowing has values beyond the range of float16 between two nodes, and values too small for it
// between two others.
const overflowing = `
	input x f32[2,4]
	output y f32[2,4]
	output z f32[2,4]
	init large f32[4] 60000
	init small f32[4] 1e-3
	init mask f32[4] 0 0 -3.4e38 0
	up: h = Mul(x, large)
	more: k = Mul(h, large)
	log: l = Tanh(k)
	end: y = Neg(l)
	down: a = Mul(x, small)
	less: b = Mul(a, small)
	vanish: c = Mul(b, small)
	back: d = Div(c, small)
	masked: e = Add(d, mask)
	soft: z = Softmax(e)`

// TestFloat16Scan checks that exactly the nodes whose values float16 cannot represent stay in
// float32. A mask beyond the range is truncated, and the value to which it is added is not beyond.
func TestFloat16Scan(t *testing.T) {
	s := &Quantization{}
	s.NoTrial, s.Fill = true, "uniform(0.5,1)"
	result, r := halved16(t, s, graphtest.Model(t, overflowing))
	var kept []string
	for _, x := range r.Skipped {
		kept = append(kept, x.Node)
	}
	if want := []string{"more", "log", "vanish", "back"}; !slices.Equal(kept, want) {
		t.Errorf("kept %v, expected %v: %+v", kept, want, r.Skipped)
	}
	var beyond []string
	for _, v := range r.Scan.Beyond {
		beyond = append(beyond, v.Name)
	}
	if want := []string{"k", "c"}; !slices.Equal(beyond, want) {
		t.Errorf("beyond float16: %v, expected %v", beyond, want)
	}
	if len(r.Truncated) != 1 || r.Truncated[0].Weight != "mask" || r.Truncated[0].Lowered != 1 {
		t.Errorf("truncated %+v", r.Truncated)
	}
	if problems := graphtest.Problems(result.Model); len(problems) > 0 {
		t.Error(problems)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`makes "k", which reaches`, "2 beyond float16", "mask  1 lowered to the largest of 4"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
}

// TestFloat16OfWhatOverflowsOutside checks that inputs and outputs beyond the range of float16 stay
// in float32.
func TestFloat16OfWhatOverflowsOutside(t *testing.T) {
	s := &Quantization{}
	s.NoTrial, s.Fill = true, "uniform(200000,300000)"
	result, r := halved16(t, s, graphtest.Model(t, "input x f32[4]\noutput y f32[4]\noutput z f32[4]\na: h = Tanh(x)\nb: y = Neg(h)\nc: z = Neg(x)"))
	var types []string
	for _, v := range slices.Concat(result.Model.Graph().Inputs(), result.Model.Graph().Outputs()) {
		types = append(types, v.Name()+" "+v.Type().String())
	}
	if want := []string{"x f32", "y f16", "z f32"}; !slices.Equal(types, want) {
		t.Errorf("%v, expected %v; %+v", types, want, r.Skipped)
	}
	if len(r.Warnings) != 2 {
		t.Errorf("warnings %v, expected one for x and one for z", r.Warnings)
	}
}

// TestFloat16Previews checks that a preview runs nothing.
func TestFloat16Previews(t *testing.T) {
	s := &Quantization{Mode: "float16"}
	env := session.Env{Progress: func(session.Progress) {}} // without a runtime
	r, err := s.Planned(t.Context(), env, graphtest.Model(t, overflowing))
	if err != nil {
		t.Fatal(err)
	}
	if r.Scan != nil || len(r.Quantized) != 10 {
		t.Errorf("%+v", r)
	}
	if s.previewing {
		t.Error("the step is not as it was")
	}
}

// TestBfloat16 checks the warning about operators that cannot run here.
func TestBfloat16(t *testing.T) {
	s := &Quantization{Mode: "bfloat16"}
	r, err := s.Run(t.Context(), sessiontest.Env(t), graphtest.Model(t, "input x f32[2,4]\noutput y f32[2,4]\ninit w f32[4,4] 0.3\nfc: h = MatMul(x, w)\nr: y = Tanh(h)"))
	if err != nil {
		t.Fatal(err)
	}
	report := r.Report.(*Report)
	if len(report.NoKernel) == 0 || report.NoKernel[0].Op != "MatMul" || report.NoKernel[0].First != "fc" || report.Elsewhere == "" || report.Trial.NotRun == "" {
		t.Errorf("%+v, %+v", report.NoKernel, report)
	}
	b, err := json.Marshal(report)
	if err != nil || !strings.Contains(string(b), `"no_cpu_kernel":[{"op":"MatMul","nodes":1,"first":"fc"}`) {
		t.Errorf("%v: %s", err, b)
	}
}

// TestHalfFlags checks the errors for options without effect.
func TestHalfFlags(t *testing.T) {
	m := graphtest.Model(t, overflowing)
	for want, s := range map[string]*Quantization{
		`--convert-ops "Conv": is converted anyway`: {Mode: "float16", halfFlags: halfFlags{ConvertOps: []string{"Conv"}}},
		`node "nobody"`: {Mode: "float16", Exclude: []string{"nobody"}},
	} {
		if _, err := s.Planned(t.Context(), session.Env{Progress: func(session.Progress) {}}, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

// TestWeightsStayOutside checks that external weights stay external.
func TestWeightsStayOutside(t *testing.T) {
	m, err := graphops.Open(filepath.Join("..", "..", "testdata", "external.onnx"), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Quantization{Saving: flags.Saving{Out: filepath.Join(t.TempDir(), "half.onnx")}}
	s.NoTrial, s.NoScan = true, true
	_, r := halved16(t, s, m)
	if r.File == nil || r.File.ExternalData == "" || r.File.ExternalBytes == 0 {
		t.Errorf("wrote %+v", r.File)
	}
}

// TestScanOfTheFirst checks the warning that only the first part of the data was used.
func TestScanOfTheFirst(t *testing.T) {
	for first, parts := range map[bool][]string{
		true:  {"on the first part of the data, because all of it does not fit in memory, 3 cases", "searched for only in the first 3 cases of the data"},
		false: {"on the data, 3 cases", ""},
	} {
		s := &overflowScan{OnData: true, OnlyFirst: first, Cases: 3, Values: 2}
		var b strings.Builder
		if err := (&halved{Scan: s}).writeText(&b); err != nil || !strings.Contains(b.String(), parts[0]) {
			t.Errorf("%q lacks %q, error %v", b.String(), parts[0], err)
		}
		if w := strings.Join(s.warnings(), "\n"); (w != "") != first || !strings.Contains(w, parts[1]) {
			t.Errorf("warnings %q", w)
		}
	}
}
