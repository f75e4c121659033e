//go:build cgo

package timing

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/session/flags"
	"lathe/session/generation"
	"lathe/session/ort"
	"lathe/session/runtime"
	"lathe/session/sessiontest"

	"github.com/google/go-cmp/cmp"
)

// llmFolders are the folders of onnxruntime-genai's builder.
func llmFolders(t *testing.T) []string {
	t.Helper()
	paths, _ := filepath.Glob("../../../shared/models/llm/*/model.onnx")
	if len(paths) == 0 {
		t.Skip("the shared models are not here")
	}
	return paths
}

// loadedFor loads a model as a measurement does, and returns how it generates.
func loadedFor(t *testing.T, path string, batch int64) (*Subject, *generation.Plan) {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := Benchmark{Running: flags.Running{Threads: 1}}
	subject, err := s.Load(t.Context(), sessiontest.Env(t), m, &Subject{Model: m, Path: path, batch: batch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = subject.Session.Close() })
	plan, err := generation.Of(m, subject.roles, subject.feeds)
	if err != nil {
		t.Fatal(err)
	}
	return subject, plan
}

// endOfText is the token that the configurations of the folders call eos_token_id. expected.json was
// made with min_length, so that GenAI did not choose it.
const endOfText = 2

// TestDecodersGenerateWhatGenAIDoes generates the tokens of each expected.json, which
// onnxruntime-genai chose, in every mode and with prompts in one and in several runs.
func TestDecodersGenerateWhatGenAIDoes(t *testing.T) {
	for _, path := range llmFolders(t) {
		folder := filepath.Dir(path)
		content, err := os.ReadFile(filepath.Join(folder, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Prompt, Generated []int64
			Margins           []float64
		}
		if err := json.Unmarshal(content, &want); err != nil {
			t.Fatal(err)
		}
		subject, plan := loadedFor(t, path, 0)
		for _, mode := range []generation.Mode{generation.Shared, generation.Swapped, generation.Copied} {
			for _, chunk := range []int64{0, 5} {
				t.Run(filepath.Base(folder)+" "+string(mode)+map[int64]string{5: " in parts"}[chunk], func(t *testing.T) {
					l := subject.Session.(runtime.Loaded)
					if _, err := l.Decode(t.Context(), plan.Decode(mode, 256, false)); err != nil {
						t.Fatal(err)
					}
					got, err := l.Generate(t.Context(), ort.Generation{Restart: true, Prompt: want.Prompt, Chunk: chunk, Steps: int64(len(want.Generated)) - 1, Avoid: []int64{endOfText}})
					if err != nil {
						t.Fatal(err)
					}
					for i, token := range want.Generated {
						if got.Tokens[i] == token {
							continue
						}
						if got.Margins[i] >= 0.001 {
							t.Errorf("token %d is %d by %g, want %d", i, got.Tokens[i], got.Margins[i], token)
						}
						t.Logf("differs first at token %d, by a margin of %g", i, got.Margins[i])
						break
					}
				})
			}
		}
		t.Run(filepath.Base(folder)+" with a chooser", func(t *testing.T) { sameTokensWithChooser(t, subject, plan, want.Prompt) })
	}
}

// sameTokensWithChooser checks that the model of Plan.Chooser chooses the tokens that the host chooses.
func sameTokensWithChooser(t *testing.T, subject *Subject, plan *generation.Plan, prompt []int64) {
	l := subject.Session.(runtime.Loaded)
	work := plan.Decode(plan.Usual(), 256, false)
	var want []int64
	for range 2 {
		if _, err := l.Decode(t.Context(), work); err != nil {
			t.Fatal(err)
		}
		got, err := l.Generate(t.Context(), ort.Generation{Restart: true, Prompt: prompt, Steps: 40})
		if err != nil {
			t.Fatal(err)
		}
		if work.Chooser != nil {
			if diff := cmp.Diff(want, got.Tokens); diff != "" {
				t.Error(diff)
			}
			return
		}
		want = got.Tokens
		model, err := plan.Chooser()
		if err != nil {
			t.Fatal(err)
		}
		if work.Chooser, err = l.Chooser(t.Context(), model); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTokensOneByOneAndAtOnce generates tokens one by one, and then each again by one prompt that contains
// all tokens before it. They differ only if the two best scores are nearly equal.
func TestTokensOneByOneAndAtOnce(t *testing.T) {
	paths := llmFolders(t)
	for _, name := range []string{"t5", "whisper"} {
		paths = append(paths, "../../../shared/models/optimum/"+name+"/decoder_model_merged.onnx", "../../../shared/models/optimum/"+name+"/decoder_with_past_model.onnx")
	}
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path))+" "+filepath.Base(path), func(t *testing.T) {
			subject, plan := loadedFor(t, path, 0)
			l := subject.Session.(runtime.Loaded)
			for _, mode := range []generation.Mode{plan.Usual(), generation.Swapped, generation.Copied} {
				if _, err := l.Decode(t.Context(), plan.Decode(mode, 64, false)); err != nil {
					t.Fatal(err)
				}
				generate := func(g ort.Generation) *ort.Generated {
					g.Restart = true
					out, err := l.Generate(t.Context(), g)
					if err != nil {
						t.Fatal(err)
					}
					return out
				}
				prompt := plan.Prompt(5)
				got := generate(ort.Generation{Prompt: prompt, Steps: 15})
				for i, token := range got.Tokens {
					again := generate(ort.Generation{Prompt: append(slices.Clone(prompt), got.Tokens[:i]...)})
					if again.Tokens[0] != token && got.Margins[i] > 0.02 {
						t.Fatalf("%s: token %d is %d by %g, and %d by %g all at once", mode, i, token, got.Margins[i], again.Tokens[0], again.Margins[0])
					}
				}
			}
		})
	}
}
