//go:build cgo

package generating

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/generation"
	"lathe/session/inputs"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
	"lathe/session/sizing"
)

// endOfText is the token that the configurations of the folders call eos_token_id. expected.json was
// made with min_length, so that GenAI did not choose it.
const endOfText = 2

// TestTokensOfGenAI: both sides generate the tokens of each expected.json, which onnxruntime-genai chose:
// optimized and not.
func TestTokensOfGenAI(t *testing.T) {
	paths, _ := filepath.Glob("../../../shared/models/llm/*/model.onnx")
	if len(paths) == 0 {
		t.Skip("the shared models are not here")
	}
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(filepath.Dir(path), "expected.json"))
			if err != nil {
				t.Fatal(err)
			}
			var want struct{ Prompt, Generated []int64 }
			if err := json.Unmarshal(content, &want); err != nil {
				t.Fatal(err)
			}
			a, b := loaded(t, path, "all"), loaded(t, path, "disable")
			o := Options{Tokens: len(want.Generated), Avoid: []int64{endOfText}, Tolerance: tensor.Tolerance{ATol: 1e-5, RTol: 1e-5}}
			r, _, err := Compare(t.Context(), a, b, []Prompt{{Name: "expected", IDs: want.Prompt}}, o)
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Generated) != 24 || !slices.Equal(r.Prompts[0].A, want.Generated) || !slices.Equal(r.Prompts[0].B, want.Generated) {
				t.Errorf("a %v\nb %v\nwant %v", r.Prompts[0].A, r.Prompts[0].B, want.Generated)
			}
			t.Logf("%s; KL mean %g, largest %g", r.Headline, float64(r.KL.Mean), float64(r.KL.Max))
		})
	}
}

// loaded loads a model as a side.
func loaded(t *testing.T, path, opt string) *Side {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := sessiontest.Workers(t).Load(t.Context(), m, runtime.Execution{Threads: 1, Opt: opt})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	fit, err := inputs.Fit(t.Context(), l.Inputs(), inputs.Options{Model: m, Batch: 1}, sizing.Check)
	if err != nil {
		t.Fatal(err)
	}
	sizes, ok := fit.Next(t.Context())
	if !ok {
		t.Fatal(fit.Err())
	}
	made, err := inputs.Generate(l.Inputs(), inputs.Options{Model: m, Sizes: sizes, Roles: fit.Roles()})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := generation.Of(m, fit.Roles(), made.Feeds)
	if err != nil {
		t.Fatal(err)
	}
	return &Side{Decoder: Model{Plan: plan, Run: func(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
		return runtime.RunWhole(ctx, l, in)
	}}}
}
