//go:build cgo

package modes

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/accuracy"
	"lathe/session/inputs"
	"lathe/session/ort/workertest"
	"lathe/session/quantization"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
	"lathe/session/sides"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// brief compares with short measurements.
func brief(modes ...string) *Compare { return &Compare{Modes: modes, Seconds: 0.05} }

// compared runs a step and returns its report.
func (s *Compare) compared(t *testing.T, env session.Env, m *graphops.Model) *Report {
	t.Helper()
	need, how := s.Ahead()
	end := env.Ready(t.Context(), need, how)
	out, err := s.Run(t.Context(), env, m)
	end()
	if err != nil {
		t.Fatal(err)
	}
	return out.Report.(*Report)
}

func opened(t *testing.T, path ...string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(filepath.Join(append([]string{"..", ".."}, path...)...), graphops.OpenOptions{})
	if errors.Is(err, os.ErrNotExist) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (r *Report) row(mode string) *Row {
	for _, row := range r.Rows {
		if row.Mode == mode {
			return row
		}
	}
	return nil
}

// TestEqualsCommands compares each row with what the command of its mode reports for the same inputs: the
// size of the file, the error and the accuracy are equal.
func TestEqualsCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	checkCommands(t, []modelAndData{
		{"testdata/digits.onnx", "digits_test.npz"},
		{"testdata/gather_mlp.onnx", ""},
		{"testdata/cnn_batch1.onnx", ""},
		{"testdata/rnn_batch1.onnx", ""},
		{"testdata/external.onnx", ""},
		{"../shared/models/vision/mnist.onnx", ""},
	})
}

// modelAndData are a model, and data in testdata or "".
type modelAndData struct{ path, data string }

// checkCommands compares the rows of models with the commands of their modes.
func checkCommands(t *testing.T, list []modelAndData) {
	t.Helper()
	for _, c := range list {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			env, m := sessiontest.Env(t), opened(t, c.path)
			s := brief()
			if c.data != "" {
				s.Quant.Data = filepath.Join("..", "..", "testdata", c.data)
			}
			r, ran := s.compared(t, env, m), 0
			need, how := s.Ahead()
			defer env.Ready(t.Context(), need, how)()
			for _, row := range r.Rows {
				ran += checkRow(t, env, s, m, row)
			}
			if ran == 0 {
				t.Error("no mode ran")
			}
		})
	}
}

// checkRow compares a row with what lathe quantize MODE --no-check and lathe validate say, and returns 1 if it
// ran.
func checkRow(t *testing.T, env session.Env, s *Compare, m *graphops.Model, row *Row) int {
	t.Helper()
	v := variant{}
	for _, x := range variants {
		if strings.TrimSuffix(row.Mode, "-reduced") == x.name {
			v = x
		}
	}
	v.reduced = strings.HasSuffix(row.Mode, "-reduced")
	q := s.quantization(v)
	q.NoStore, q.NoTrial, q.Out = true, true, filepath.Join(t.TempDir(), "x.onnx")
	out, err := q.Run(t.Context(), env, m)
	if row.NotApplied || row.Failed != "" {
		if err == nil {
			t.Errorf("%s: %q, and the command makes a model", row.Mode, row.Failed)
		}
		return 0
	}
	if err != nil {
		t.Errorf("%s ran, and the command ends with: %v", row.Mode, err)
		return 0
	}
	r := out.Report.(*quantization.Report)
	if row.Bytes != r.After.Bytes || row.Quantized != len(r.Quantized) {
		t.Errorf("%s: %d bytes, %d nodes; the command makes %d, %d", row.Mode, row.Bytes, row.Quantized, r.After.Bytes, len(r.Quantized))
	}
	x := &sides.Comparison{A: m.Path(), B: q.Out, WithoutSteps: true, Feeding: q.Feeding}
	if q.Data == "" {
		x.Cases = []string{string(inputs.Seeds)}
	}
	x.NoStore = true
	if out, err = x.Run(t.Context(), env); err != nil {
		t.Errorf("%s: %v", row.Mode, err)
		return 0
	}
	validated := out.Report.(*sides.Report)
	same := func(what string, a, b *tensor.Number) {
		if (a == nil) != (b == nil) || a != nil && *a != *b {
			t.Errorf("%s: %s %v, that of the command %v", row.Mode, what, number(a), number(b))
		}
	}
	want := errorOf(validated.Report)
	same("SNR", row.Error.SNR, want.SNR)
	same("largest difference", row.Error.MaxAbs, want.MaxAbs)
	if row.Error.Verdict != want.Verdict || row.Error.MaxCase != want.MaxCase {
		t.Errorf("%s: %+v, expected %+v", row.Mode, row.Error, want)
	}
	if row.Time == nil || row.Time.Ratio == nil || row.Here == nil {
		t.Errorf("%s: time %+v, here %+v; %v", row.Mode, row.Time, row.Here, row.Warnings)
	}
	for _, a := range validated.Accuracy {
		if row.Accuracy == nil || row.Accuracy.Top1.Share != a.B || row.Accuracy.Against.Of != a.Rows {
			t.Errorf("%s: accuracy %+v, expected %v of %d", row.Mode, row.Accuracy, a.B, a.Rows)
		}
	}
	return 1
}

// TestAccuracyEqualsCommand compares the accuracy of kept models with that of lathe accuracy.
func TestAccuracyEqualsCommand(t *testing.T) {
	env, m := sessiontest.Env(t), opened(t, "testdata", "digits.onnx")
	s := brief("dynamic", "static")
	s.Keep = filepath.Join(t.TempDir(), "kept")
	s.Quant.Data = filepath.Join("..", "..", "testdata", "digits_test.npz")
	s.Labels = s.Quant.Data + ":labels"
	r := s.compared(t, env, m)
	if r.Original.Accuracy == nil || r.Folder != s.Keep {
		t.Fatalf("accuracy %+v, folder %q", r.Original.Accuracy, r.Folder)
	}
	for _, row := range r.Rows {
		step := &accuracy.Accuracy{Of: sides.Comparison{A: m.Path(), B: row.File.Path}, Labels: s.Labels}
		step.Of.Data, step.NoStore = s.Quant.Data, true
		out, err := step.Run(t.Context(), env)
		if err != nil {
			t.Fatal(err)
		}
		want := out.Report.(*accuracy.Report)
		if *row.Accuracy.Top1 != *want.Models[1].Top1 || *row.Accuracy.Against != *want.Top1 || *r.Original.Accuracy.Top1 != *want.Models[0].Top1 {
			t.Errorf("%s: %+v, expected %+v", row.Mode, row.Accuracy, want)
		}
		if info, err := os.Stat(row.File.Path); err != nil || info.Size() != row.Bytes {
			t.Errorf("%s: %v, %v; the row says %d bytes", row.Mode, info, err, row.Bytes)
		}
	}
}

// TestWrongLabels refuses labels that do not fit the data before anything is quantized.
func TestWrongLabels(t *testing.T) {
	env, m := sessiontest.Env(t), opened(t, "testdata", "digits.onnx")
	env.Progress = func(p session.Progress) {
		if strings.Contains(p.Phase, "quantizing") {
			t.Errorf("phase %q", p.Phase)
		}
	}
	s := brief()
	s.Quant.Data, s.Labels = filepath.Join("..", "..", "testdata", "digits_test.npz"), filepath.Join(t.TempDir(), "few.csv")
	if err := os.WriteFile(s.Labels, []byte("0,3\n1,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), env, m); err == nil || !strings.Contains(err.Error(), "2 labels for 360 rows") {
		t.Errorf("%v", err)
	}
}

// TestNothingApplies compares a model in which only float16 changes anything, and one in which nothing does.
func TestNothingApplies(t *testing.T) {
	env := sessiontest.Env(t)
	r := brief().compared(t, env, graphtest.Model(t, "input x f32[2,4]\noutput y f32[2,4]\ny = Relu(x)"))
	for _, mode := range []string{"dynamic", "nbits-8", "nbits-4"} {
		if row := r.row(mode); row == nil || !row.NotApplied || row.Time != nil || row.Bytes != 0 {
			t.Errorf("%s: %+v", mode, row)
		}
	}
	r = brief().compared(t, env, graphtest.Model(t, "input x i64[2,4]\noutput y i64[2,4]\ny = Identity(x)"))
	if len(r.Rows) != len(variants) || len(r.Advice) != 0 || r.Bench != nil {
		t.Errorf("%d rows, advice %v, bench %v", len(r.Rows), r.Advice, r.Bench)
	}
	for _, row := range r.Rows {
		if row.Failed == "" {
			t.Errorf("%s: %+v", row.Mode, row)
		}
	}
}

// refusing is a runtime that does not load models with an operator.
type refusing struct {
	runtime.Runtime
	op string
}

// Load implements runtime.Runtime.
func (r refusing) Load(ctx context.Context, m *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	for n := range m.AllNodes() {
		if n.OpType() == r.op {
			return nil, errors.New("no kernel for " + r.op)
		}
	}
	return r.Runtime.Load(ctx, m, o)
}

const small = "opset ai.onnx 17\ninput x f32[n,4]\ninit w f32[4,2] 1 -2 3 -4 5 -6 7 -8\noutput y f32[n,2]\ny = MatMul(x, w)"

// TestOneModeFails lets the results of one mode not load. The others are complete, and the row of that mode has
// the reason and no time.
func TestOneModeFails(t *testing.T) {
	env := sessiontest.Env(t)
	env.Runtime = refusing{env.Runtime, "MatMulNBits"}
	s := brief("nbits-4", "float16")
	s.Keep = filepath.Join(t.TempDir(), "kept")
	r := s.compared(t, env, graphtest.Model(t, small))
	bad, good := r.row("nbits-4"), r.row("float16")
	if bad.Failed != "the result does not load: no kernel for MatMulNBits" || bad.NotApplied || bad.Time != nil || bad.File != nil {
		t.Errorf("%+v", bad)
	}
	if good.Failed != "" || good.Time == nil || good.File == nil {
		t.Errorf("%+v", good)
	}
	if list, err := os.ReadDir(s.Keep); err != nil || len(list) != 1 {
		t.Errorf("%v, %v: expected one model", list, err)
	}
}

// TestMissingProvider is an error, and not a row of the same error for each mode.
func TestMissingProvider(t *testing.T) {
	env := sessiontest.Env(t)
	s := brief()
	s.Quant.How.EP = "cuda"
	if _, err := s.Run(t.Context(), env, graphtest.Model(t, small)); err == nil || !strings.Contains(err.Error(), "cuda") {
		t.Errorf("%v", err)
	}
}

// TestOverflowingSums adds a row with --reduce-range to each mode whose sums overflow, unless that is requested
// anyway.
func TestOverflowingSums(t *testing.T) {
	exact := sessiontest.Env(t)
	overflowing := exact
	overflowing.Runtime = sessiontest.Saturating(exact.Runtime)
	for name, c := range map[string]struct {
		env     session.Env
		reduced bool
		want    bool
	}{"overflowing": {overflowing, false, true}, "reduced already": {overflowing, true, false}, "exact": {exact, false, false}} {
		t.Run(name, func(t *testing.T) {
			if name == "exact" && !sessiontest.HasExactSums() {
				t.Skip("the sums of this processor overflow")
			}
			s := brief("dynamic", "float16")
			s.Quant.ReduceRange = c.reduced
			r := s.compared(t, c.env, graphtest.Model(t, small))
			row := r.row("dynamic-reduced")
			if (row != nil) != c.want || c.want && (row.Failed != "" || r.Rows[2] != row) {
				t.Fatalf("%d rows, %+v", len(r.Rows), row)
			}
			if c.want && (row.Here.Overflows() || !r.row("dynamic").Here.Overflows()) {
				t.Error("expected overflows in the first row only")
			}
		})
	}
}

// TestCancel ends the context at each phase. The report has the rows that were complete, and no file stays.
func TestCancel(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	m := graphtest.Model(t, small)
	phases := map[string]bool{}
	env := sessiontest.Env(t)
	env.Progress = func(p session.Progress) { phases[p.Phase] = true }
	brief("float16", "nbits-4").compared(t, env, m)
	if len(phases) < 8 {
		t.Errorf("only the phases %v", phases)
	}
	for phase := range phases {
		folder := t.TempDir()
		t.Setenv("TMPDIR", folder)
		ctx, cancel := context.WithCancel(t.Context())
		env.Progress = func(p session.Progress) {
			if p.Phase == phase {
				cancel()
			}
		}
		s := brief("float16", "nbits-4")
		s.Keep = filepath.Join(t.TempDir(), "kept")
		need, how := s.Ahead()
		end := env.Ready(t.Context(), need, how)
		out, err := s.Run(ctx, env, m)
		end()
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", phase, err)
		}
		if r, ok := out.Report.(*Report); ok && (r.Stopped == "" || len(r.Advice) > 0 || len(r.Rows) == 0) {
			t.Errorf("%s: %+v", phase, r)
		} else if !ok && !strings.HasPrefix(phase, "float16") && phase != "loading the original" {
			t.Errorf("%s: no report", phase)
		}
		if list, err := os.ReadDir(folder); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v stay", phase, list, err)
		}
		if _, err := os.Stat(s.Keep); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v: the folder exists", phase, err)
		}
	}
}

// TestStored stores the comparison, and reads it again.
func TestStored(t *testing.T) {
	env := sessiontest.Env(t)
	env.Results = filepath.Join(t.TempDir(), "results")
	r := brief("float16").compared(t, env, opened(t, "testdata", "external.onnx"))
	data, err := os.ReadFile(r.Stored)
	if err != nil {
		t.Fatal(err)
	}
	var kept struct {
		Kind   string
		Result Report
	}
	if err := json.Unmarshal(data, &kept); err != nil || kept.Kind != "compare" || len(kept.Result.Rows) != 1 || kept.Result.Rows[0].Bytes != r.Rows[0].Bytes {
		t.Errorf("%v: kept %+v", err, kept)
	}
}

// TestPlanned lists the sizes without running anything.
func TestPlanned(t *testing.T) {
	m := opened(t, "testdata", "digits.onnx")
	r, err := brief().Planned(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if row.Time != nil || row.Error != nil || row.Failed == "" && (row.Bytes == 0 || row.Bytes >= r.Original.Bytes) {
			t.Errorf("%+v", row)
		}
	}
	if row := r.row("nbits-4"); !row.NotApplied {
		t.Errorf("%+v", row)
	}
}

// TestChecked refuses options that do not fit together, before anything runs.
func TestChecked(t *testing.T) {
	exists := t.TempDir()
	for want, s := range map[string]*Compare{
		"--keep -":        {Keep: "-"},
		"exists already":  {Keep: exists},
		"--labels":        {Labels: "x.csv"},
		"--output":        {Output: "y"},
		"--samples":       {Samples: 3},
		"--method gptq":   {Quant: quantization.Quantization{}},
		"no such file or": {Keep: filepath.Join(exists, "none", "below")},
	} {
		if want == "--method gptq" {
			s.Quant.Method = methodOnData
		}
		if err := s.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
