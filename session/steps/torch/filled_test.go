//go:build cgo && torch

package torch

import (
	"encoding/json"
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/sides"
	"lathe/session/steps/cut"
)

var filledOnly = flag.String("filled", "", "the one model to fill, as FILE:NAME")

// filledModels are models of testdata/torch by their files.
var filledModels = map[string][]string{
	"weights":       {"tied", "turned", "buffers", "equal", "half", "weight_normed", "spectral_normed", "constant_pad"},
	"faults/nets":   {"conv_bn", "residual", "mobile", "group_normed", "encoder_layers", "lstm_tagger", "gru_reader", "multihead", "called_twice", "batch_norm_after_linear", "activations", "squares", "vit", "distilbert"},
	"corpus/layers": {"conv_grouped", "conv_transposed", "batch_norm", "instance_norm_tracked", "rms_norm", "bilinear", "containers"},
	"corpus/nets":   {"generator", "language_model", "wave", "experts"},
}

// TestTorchFilled checks that an export without weights that is filled with the model's state_dict
// computes the same as an export with weights, bit for bit, and has the bytes of the state_dict.
func TestTorchFilled(t *testing.T) {
	env, states := torchRuntime(t), t.TempDir()
	for file, names := range filledModels {
		path, err := filepath.Abs("../../../testdata/torch/" + file + ".py")
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"save", states}
		for _, name := range names {
			args = append(args, path+":"+name)
		}
		runStates(t, env, args...)
	}
	t.Run("models", func(t *testing.T) {
		for file, names := range filledModels {
			for _, name := range names {
				if *filledOnly != "" && *filledOnly != file+":"+name {
					continue
				}
				for _, strategy := range []string{"non-strict", "legacy"} {
					t.Run(file+"/"+name+"/"+strategy, func(t *testing.T) {
						t.Parallel()
						holdFilled(t, env, file+".py:"+name, strategy, filepath.Join(states, name+".pt"))
					})
				}
			}
		}
	})
}

// holdFilled exports a model with and without weights, fills the latter, and compares both.
func holdFilled(t *testing.T, env session.Env, target, strategy, weights string) {
	dir := t.TempDir()
	export := func(name string, bare bool) string {
		s := &Export{NoInitializers: bare, NoValidate: true, Strategy: []string{strategy}}
		s.Target, s.Out = "../../../testdata/torch/"+target, filepath.Join(dir, name)
		r, err := s.Run(t.Context(), env, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.No {
			var text strings.Builder
			if err := r.Report.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			if bare {
				t.Fatalf("exported with weights, and not without: %s", text.String())
			}
			t.Skipf("PyTorch does not export it this way: %s", text.String())
		}
		return s.Out
	}
	whole, bare := export("whole.onnx", false), export("bare.onnx", true)
	m, err := graphops.Open(bare, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := &cut.Export{}
	e.Weights, e.Out = weights, filepath.Join(dir, "filled.onnx")
	if _, err := e.Run(t.Context(), env, m); err != nil {
		t.Fatal(err)
	}
	got := heldOf(t, env, e.Out, weights)
	if got.Held == 0 || len(got.Other) > 0 {
		t.Errorf("holds %d of the state_dict, and other bytes of %q", got.Held, got.Other)
	}
	switch bits, report := equalModels(t, env, whole, e.Out, true); {
	case bits:
		t.Log("equal bits")
	case heldOf(t, env, whole, weights).Held >= got.Held:
		t.Errorf("is not equal to the export with weights:\n%s", report)
	default:
		// The export with weights may have folded constants, such as a normalization into the
		// weights before it.
		same, report := equalModels(t, env, whole, e.Out, false)
		t.Log("equal but for rounding: the export with weights has folded some")
		if !same {
			t.Errorf("is not equal to the export with weights, within tolerance:\n%s", report)
		}
	}
}

// equalModels reports whether two models give the same results, bit for bit or within tolerance. A
// kernel, such as that of LSTM, may round differently if its weights are computed by nodes and not
// constants. At level basic they are constants in both models when it runs.
func equalModels(t *testing.T, env session.Env, a, b string, bits bool) (bool, string) {
	t.Helper()
	v := &sides.Comparison{A: a, B: b}
	v.NoStore, v.Opt = true, "basic"
	if zero := 0.0; bits {
		v.RTol, v.ATol = &zero, &zero
	}
	r, err := v.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.Report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	return !r.No, text.String()
}

// held is what a file has of a state_dict: how many entries with equal bytes, and the names of
// those with other bytes.
type held struct {
	Held  int
	Other []string
}

func heldOf(t *testing.T, env session.Env, file, weights string) held {
	t.Helper()
	var got held
	if err := json.Unmarshal(runStates(t, env, "held", file, weights), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// runStates returns the output of testdata/torch/states.py.
func runStates(t *testing.T, env session.Env, args ...string) []byte {
	t.Helper()
	python, err := env.Python()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python.Path, append([]string{"-B", "../../../testdata/torch/states.py"}, args...)...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("states.py %q: %v: %s", args, err, said.String())
	}
	return out
}
