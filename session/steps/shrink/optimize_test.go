//go:build cgo

package shrink

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/adopt"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort"
	"lathe/session/python"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

func openTestdata(t *testing.T, name string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(filepath.Join("..", "..", "..", "testdata", name), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// optimized runs a step and opens the written model.
func optimized(t *testing.T, env session.Env, m *graphops.Model, s Optimize) (*graphops.Model, *optimizeReport) {
	t.Helper()
	s.Out = filepath.Join(t.TempDir(), "out.onnx")
	r, err := s.Run(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	written, err := graphops.Open(s.Out, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return written, r.Report.(*optimizeReport)
}

func declarations(list []*graphops.ValueInfo) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Name()+" "+v.Type().Declaration())
	}
	return out
}

func TestOptimize(t *testing.T) {
	env := sessiontest.Env(t)
	for _, c := range []struct {
		model, level string
		fused        map[string]int // smallest expected counts
	}{
		{"digits_batch1.onnx", "basic", nil},
		{"digits.onnx", "extended", map[string]int{"com.microsoft::FusedConv": 2, "com.microsoft::FusedGemm": 1}},
		{"cnn_batch1.onnx", "all", nil}, // the result depends on the CPU
		{"function.onnx", "basic", nil},
		{"function.onnx", "extended", map[string]int{"com.microsoft::QuickGelu": 2}},
		{"if_loop.onnx", "all", nil},
		{"external.onnx", "extended", nil},
		{"strings.onnx", "extended", nil},
		{"text_classifier.onnx", "extended", map[string]int{"com.microsoft::BiasGelu": 4}},
	} {
		t.Run(c.model+" "+c.level, func(t *testing.T) {
			m := openTestdata(t, c.model)
			got, r := optimized(t, env, m, Optimize{Level: c.level})
			if a, b := declarations(m.Graph().FeedInputs()), declarations(got.Graph().FeedInputs()); !slices.Equal(a, b) {
				t.Errorf("inputs %q, were %q", b, a)
			}
			if a, b := declarations(m.Graph().Outputs()), declarations(got.Graph().Outputs()); !slices.Equal(a, b) {
				t.Errorf("outputs %q, were %q", b, a)
			}
			if got.HasExternalData() != m.HasExternalData() || !slices.Equal(got.Metadata(), m.Metadata()) || len(got.Functions()) > 0 {
				t.Error("storage, metadata or functions are not as they were")
			}
			if !r.Proof.Pass || len(r.Proof.LeftOut) > 0 || r.Runtime.Provider != "cpu" {
				t.Errorf("proof %+v, by %+v", r.Proof, r.Runtime)
			}
			for op, n := range c.fused {
				if r.Fused[op] < n {
					t.Errorf("fused %v, want %d %s", r.Fused, n, op)
				}
			}
			if got.UnknownField() != "" || got.IRVersion() < got.NeededIR().Version {
				t.Errorf("IR version %d", got.IRVersion())
			}
		})
	}
}

// A second run reports that there is nothing to do.
func TestOptimizeAgain(t *testing.T) {
	env := sessiontest.Env(t)
	once, _ := optimized(t, env, openTestdata(t, "digits.onnx"), Optimize{Level: "extended"})
	twice, r := optimized(t, env, once, Optimize{Level: "extended"})
	c, err := adopt.Compare(t.Context(), once, twice)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Made)+len(c.Gone) > 0 || r.Weights.Made > 0 || !r.Proof.BitsEqual {
		t.Errorf("%+v, %+v", c, r.Weights)
	}
	var said strings.Builder
	if err := r.WriteText(&said); err != nil || !strings.Contains(said.String(), "there is nothing left to optimize") {
		t.Errorf("%v: %s", err, said.String())
	}
}

// An edited model is optimized with its changes, and the original model stays unchanged.
func TestOptimizeEdited(t *testing.T) {
	env := sessiontest.Env(t)
	m := openTestdata(t, "external.onnx")
	e := graphops.Edit(m)
	e.Outputs[0] = e.Outputs[0].WithName(e.Outputs[0].Name())
	e.SetDoc("edited")
	edited := e.Model()
	got, r := optimized(t, env, edited, Optimize{Level: "all"})
	if got.Doc() != "edited" || m.Doc() == "edited" || !r.Proof.Pass {
		t.Errorf("doc %q, proof %+v", got.Doc(), r.Proof)
	}
}

// A pass that changes results is named and left out. Here it is a runtime whose fusion of Conv and
// Relu is wrong.
func TestOptimizeLeavesOut(t *testing.T) {
	env := sessiontest.Env(t)
	env.Runtime = wrongFusion{env.Runtime.(*runtime.Workers)}
	_, r := optimized(t, env, openTestdata(t, "digits.onnx"), Optimize{Level: "extended"})
	if len(r.Proof.LeftOut) != 1 || r.Proof.LeftOut[0].Pass != "ConvActivationFusion" {
		t.Fatalf("left out %+v", r.Proof.LeftOut)
	}
	if want := map[string]int{"com.microsoft::FusedGemm": 1}; !maps.Equal(r.Fused, want) {
		t.Errorf("fused %v", r.Fused)
	}
}

type wrongFusion struct{ *runtime.Workers }

func (w wrongFusion) Optimize(ctx context.Context, m *graphops.Model, o runtime.Execution) (runtime.Optimized, error) {
	out, err := w.Workers.Optimize(ctx, m, o)
	if err != nil {
		return out, err
	}
	e := graphops.Edit(out.Model)
	for i, n := range e.Nodes {
		if n.OpType() == "FusedConv" {
			e.Nodes[i] = n.WithAttributes(slices.DeleteFunc(slices.Clone(n.Attributes()), func(a *graphops.Attribute) bool { return a.Name() == "activation" }))
		}
	}
	out.Model = e.Model()
	return out, nil
}

func TestOptimizeRefuses(t *testing.T) {
	env := sessiontest.Env(t)
	m := openTestdata(t, "digits.onnx")
	for name, c := range map[string]struct {
		step Optimize
		want string
	}{
		"nothing asked":      {Optimize{}, "give a level with --opt"},
		"elsewhere":          {Optimize{Level: "basic", Running: flags.Running{On: []string{"ssh x"}}}, "--on: the result fits only the machine that optimizes it"},
		"a type and no more": {Optimize{Level: "basic", ModelType: "bert"}, "only with --transformers"},
	} {
		_, err := c.step.Preview(t.Context(), env, m)
		var usage session.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := (&Optimize{Level: "basic", EP: "cuda"}).Preview(t.Context(), env, m)
	var refused *ort.ProviderError
	if !errors.As(err, &refused) {
		t.Skipf("cuda attaches or says something else here: %v", err)
	}
}

// Temporary files are removed in any case, and an error of Python is one line.
func TestOptimizePython(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	env := sessiontest.Env(t)
	m := openTestdata(t, "digits.onnx")
	for name, c := range map[string]struct {
		script, want string
	}{
		"fails":    {"echo '{\"failed\":\"a\\u001b[31mb\"}'", `the transformer optimizer: a\x1b[31mb`},
		"missing":  {"echo '{\"missing\":\"onnx\"}'", `has no package "onnx"`},
		"unknown":  {"echo '{\"refused\":\"x is not one of bert\"}'", "--model-type x is not one of bert"},
		"no model": {"echo '{\"result\":{\"version\":\"1\",\"fused\":{}}}'", "the file that the transformer optimizer wrote"},
		"dies":     {"kill -9 $$", "signal: killed"},
	} {
		fake := filepath.Join(t.TempDir(), "python3")
		if err := os.WriteFile(fake, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		env.Python = func() (python.Interpreter, error) {
			return python.Interpreter{Path: fake, Environ: os.Environ()}, nil
		}
		_, err := (&Optimize{Transformers: true}).Preview(t.Context(), env, m)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "lathe-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
