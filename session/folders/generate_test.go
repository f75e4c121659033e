//go:build cgo

package folders

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/sessiontest"
	"lathe/session/sides"
)

// copied copies some models of a shared folder.
func copied(t *testing.T, name string, files ...string) string {
	t.Helper()
	from := filepath.Join("../../../shared/models/optimum", name)
	if _, err := os.Stat(from); err != nil {
		t.Skip("the shared models are not here")
	}
	to := t.TempDir()
	for _, f := range append(files, "config.json") {
		content, err := os.ReadFile(filepath.Join(from, f))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, f), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// spoil multiplies what the last node of a kind whose name contains a text makes.
func spoil(t *testing.T, path, op, part string, by float32) string {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := graphops.EditGraph(m.Graph())
	for i := len(e.Nodes) - 1; i >= 0; i-- {
		n := e.Nodes[i]
		if !n.Is(op) || !strings.Contains(n.Name(), part) {
			continue
		}
		made := n.Outputs()[0]
		e.Nodes[i] = n.WithOutputs([]string{made + "/own"})
		fault := graphops.NewNode(graphops.NodeSpec{Op: "Mul", Name: "fault", Inputs: []string{made + "/own", "by"}, Outputs: []string{made}})
		e.Nodes = slices.Insert(e.Nodes, i+1, fault)
		e.Initializers = append(e.Initializers, graphops.NewTensorOf("by", tensor.FromSlice([]float32{by})))
		out := filepath.Join(t.TempDir(), "spoiled.onnx")
		if _, err := graphops.Save(t.Context(), m.WithGraph(m.Places()[0], e.Graph()), out, graphops.SaveOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(out, path); err != nil {
			t.Fatal(err)
		}
		return made
	}
	t.Fatalf("%s has no %s with %q", path, op, part)
	return ""
}

// step is a comparison as a step.
type step struct{ *sides.Comparison }

func (step) Summary() string { return "" }

func (step) Preview(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
	return session.Preview{}, nil
}

func (s step) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	return Validate(ctx, env, s, s.Comparison)
}

func generated(t *testing.T, a, b string, change func(s *sides.Comparison)) (*sides.Report, error) {
	t.Helper()
	s := &sides.Comparison{A: a, B: b}
	s.Generate = 12
	if change != nil {
		change(s)
	}
	r, err := step{s}.Run(t.Context(), sessiontest.Env(t), nil)
	if err != nil {
		return nil, err
	}
	return r.Report.(*sides.Report), nil
}

// TestGenerate: an encoder with two decoders, and with the merged one, generate the same. The model that
// is spoiled is blamed, with the node.
func TestGenerate(t *testing.T) {
	const encoder, first, later, merged = "encoder_model.onnx", "decoder_model.onnx", "decoder_with_past_model.onnx", "decoder_model_merged.onnx"
	for _, c := range []struct {
		name, folder string
		files        []string // of b; a has the two decoders
		spoiled      string   // "" for nothing
		op, part     string
		by           float32
		blamed       string
	}{
		{"t5", "t5", []string{encoder, first, later}, "", "", "", 0, ""},
		{"t5 merged", "t5", []string{encoder, merged}, "", "", "", 0, ""},
		{"whisper merged", "whisper", []string{encoder, merged}, "", "", "", 0, ""},
		{"encoder of t5", "t5", []string{encoder, first, later}, encoder, "MatMul", "block.0/layer.1", 30, "encoder"},
		{"first decoder of t5", "t5", []string{encoder, first, later}, first, "MatMul", "block.0/layer.2/DenseReluDense/wo", -8, "decoder"},
		{"later decoder of t5", "t5", []string{encoder, first, later}, later, "MatMul", "block.0/layer.2/DenseReluDense/wo", -8, "decoder-with-past"},
		{"merged, and first decoder of t5", "t5", []string{encoder, first, later}, first, "MatMul", "block.0/layer.2/DenseReluDense/wo", -8, "decoder-merged"},
		{"later decoder of whisper", "whisper", []string{encoder, first, later}, later, "MatMul", "layers.0/fc2", -30, "decoder-with-past"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			if testing.Short() && c.spoiled != first {
				t.Skip("takes seconds")
			}
			a, b := copied(t, c.folder, encoder, first, later), copied(t, c.folder, c.files...)
			if c.blamed == "decoder-merged" {
				a = copied(t, c.folder, encoder, merged)
			}
			if c.spoiled != "" {
				spoil(t, filepath.Join(b, c.spoiled), c.op, c.part, c.by)
			}
			r, err := generated(t, a, b, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.spoiled == "" {
				if !r.Pass || r.Generated.Agreement.Share != 1 || r.Generated.KL.Max > 1e-9 {
					t.Errorf("%s, %+v", r.Headline, r.Generated.KL)
				}
				return
			}
			if r.Pass || r.FirstDivergence == nil || !slices.Contains(r.FirstDivergence.Region, "fault") || !strings.Contains(r.Headline, "it begins in "+c.blamed+" at node") {
				t.Errorf("%s; first %+v", r.Headline, r.FirstDivergence)
			}
			for _, l := range r.Generated.Located {
				if differs := l.Model == c.blamed; l.Report.Pass == differs {
					t.Errorf("%s on the inputs of a: %s", l.Model, l.Report.Headline)
				}
			}
		})
	}
}

// TestGenerateRefused: a folder in which nothing generates, and options that have no meaning, are errors.
func TestGenerateRefused(t *testing.T) {
	a := copied(t, "t5", "encoder_model.onnx", "decoder_model.onnx", "decoder_with_past_model.onnx")
	alone := copied(t, "t5", "decoder_model.onnx", "decoder_with_past_model.onnx")
	whisper := copied(t, "whisper", "encoder_model.onnx", "decoder_model_merged.onnx")
	for _, c := range []struct {
		name, a, b, want string
		change           func(s *sides.Comparison)
	}{
		{"other models", a, alone, "has none of that name", nil},
		{"other inputs", whisper, a, `its input "input_ids" has no counterpart`, nil},
		{"an option", a, a, "--tolerance is about one model", func(s *sides.Comparison) { s.Tolerance = []string{"logits=1"} }},
		{"an input of no model", a, a, "expected MODEL.NAME=WHAT", func(s *sides.Comparison) { s.Input = []string{"input_ids=i64[1,1]{1}"} }},
		{"a token", a, a, "the prompt has token 999", func(s *sides.Comparison) {
			s.Input = []string{"decoder.input_ids=i64[1,1]{999}", "decoder-with-past.input_ids=i64[1,1]{999}"}
		}},
	} {
		if _, err := generated(t, c.a, c.b, c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
