package reporting_test

import (
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/session/reporting"
)

// summarized returns the summary of a model.
func summarized(t *testing.T, path string) *reporting.Summary {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	costs, err := cost.Analyze(t.Context(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := reporting.SummaryOf(t.Context(), m, costs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLayers says in one line how layers are built.
func TestLayers(t *testing.T) {
	for name, want := range map[string]string{
		"grouped": "2 × attention block (attention 4 × 16, 2 KV heads, rotary base 10,000, int4 in groups of 32, shared cache)",
		"joined":  "2 × attention block (attention 4 × 8, rotary base 10,000, growing cache)",
		"encoded": "2 × decoder layer (attention 4 × 8, cross-attention, MLP 64, growing cache)",
	} {
		s := summarized(t, "../../testdata/decoders/"+name+".onnx")
		if got := s.Parts[0].String(); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
}

// TestWindows says which layers have a window, and how long the cache is then.
func TestWindows(t *testing.T) {
	paths, _ := filepath.Glob("../../../shared/models/llm/gemma2-int4/model.onnx")
	if len(paths) == 0 {
		t.Skip("the shared models are not here")
	}
	s := summarized(t, paths[0])
	if got := s.Parts[0].String(); !strings.Contains(got, "window 64 in 1 of 2 layers") || !strings.Contains(got, "sliding cache in 1 of 2 layers") {
		t.Error(got)
	}
	if got := s.Cache.At.String(); got != "80.0 KiB at 256 tokens (the length in genai_config.json)" {
		t.Error(got)
	}
	if got := s.Cache.AtLength(1024, 2, "--context").String(); got != "544.0 KiB at 1,024 tokens (--context; more than 256, the length in genai_config.json), batch 2" {
		t.Error(got)
	}
}

// TestCacheText writes sizes, and what is not part of them.
func TestCacheText(t *testing.T) {
	s := summarized(t, "../../testdata/decoders/encoded.onnx")
	var b strings.Builder
	if err := s.WriteArchitecture(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"2 × decoder layer\n  heads       4 ", "  cache       growing cache  ", "vocabulary  96\n", "cache       512 B a token + 512 B an encoder position\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}
