//go:build cgo

package timing

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"lathe/bench"
	"lathe/graphops"
	"lathe/session/flags"
	"lathe/session/generation"
	"lathe/session/ort"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// The variables of BenchmarkGenAI: a Python that has onnxruntime-genai, and a folder with models as
// testdata/genai_make.py makes them. LATHE_ORT_LIB has to be the library that this Python uses.
// The provider is that for which the models were made, default: cpu. Each comparison takes a number of
// seconds for each program, default: 4.
const (
	genAIPython   = "LATHE_GENAI_PYTHON"
	genAIModels   = "LATHE_GENAI_MODELS"
	genAIProvider = "LATHE_GENAI_EP"
	genAISeconds  = "LATHE_GENAI_SECONDS"
)

// BenchmarkGenAI measures models in turn as `lathe bench --decode` does and with onnxruntime-genai, at
// two depths and with one and two threads. It reports the ratio of Lathe's median to that of GenAI
// with its interval, and Lathe's own part of a run.
func BenchmarkGenAI(b *testing.B) {
	python, folder := os.Getenv(genAIPython), os.Getenv(genAIModels)
	if python == "" || folder == "" {
		b.Skipf("%s and %s name no Python with onnxruntime-genai, and no models", genAIPython, genAIModels)
	}
	models, _ := filepath.Glob(filepath.Join(folder, "*", "model.onnx"))
	for _, path := range models {
		for _, threads := range []int64{1, 2} {
			for _, depth := range []int64{128, 2048} {
				name := fmt.Sprintf("%s/threads=%d/depth=%d", filepath.Base(filepath.Dir(path)), threads, depth)
				b.Run(name+"/tg", func(b *testing.B) { againstGenAI(b, python, path, threads, depth, false) })
			}
			for _, prompt := range []int64{128, 2048} {
				name := fmt.Sprintf("%s/threads=%d/prompt=%d", filepath.Base(filepath.Dir(path)), threads, prompt)
				b.Run(name+"/pp", func(b *testing.B) { againstGenAI(b, python, path, threads, prompt, true) })
			}
		}
	}
}

// againstGenAI compares the generation of 128 tokens at a depth, or prompts of a length.
func againstGenAI(b *testing.B, python, path string, threads, n int64, prompts bool) {
	const tokens = 128
	t, kind, depth, length := decodeTarget(b, path, threads), "tg", n, int64(tokens)
	if prompts {
		kind, depth, length = "pp", 0, n
		t.prompt, t.tokens = t.plan.Prompt(n), n
	} else {
		t.depth, t.tokens = n, tokens
	}
	if err := t.goTo(b.Context(), depth, length); err != nil {
		b.Fatal(err)
	}
	subjects := []bench.Subject{
		{Target: newLoop(b, "GenAI", python, "testdata/genai_loop.py", filepath.Dir(path), kind, strconv.FormatInt(depth, 10), strconv.FormatInt(length, 10), strconv.FormatInt(threads, 10))},
		{Target: called{t, "lathe"}},
	}
	for b.Loop() {
		r, err := bench.Measure(b.Context(), subjects, genAIPlan(b), bench.Surroundings{Now: time.Now})
		if err != nil {
			b.Fatal(err)
		}
		c := r.Comparisons[0]
		b.ReportMetric(c.Centre(), "lathe/GenAI")
		if c.CI95 != nil {
			b.ReportMetric(float64(c.CI95[1]-c.CI95[0])/2, "±")
		}
		b.ReportMetric(float64(r.Runs[0].P50)*1000, "µs/GenAI")
		b.ReportMetric(float64(r.Runs[1].P50)*1000, "µs/lathe")
		b.ReportMetric(float64(t.facts().Decode.Lathe)*1000, "µs/own")
	}
}

func genAIPlan(b *testing.B) bench.Plan {
	seconds := 4 * time.Second
	if given := os.Getenv(genAISeconds); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil {
			b.Fatalf("%s: %v", genAISeconds, err)
		}
		seconds = time.Duration(n) * time.Second
	}
	return bench.Plan{Seconds: seconds, MinTime: seconds, Block: 100 * time.Millisecond}
}

// decodeTarget is a model as bench loads it for a comparison.
func decodeTarget(b *testing.B, path string, threads int64) *test {
	env := sessiontest.Env(b)
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	s := &Benchmark{Models: []string{path, path}, Running: flags.Running{Threads: threads}}
	subject, err := s.Load(b.Context(), env, m, &Subject{Model: m, Path: path, Chain: os.Getenv(genAIProvider)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = subject.Session.Close() })
	plan, err := generation.Of(m, subject.roles, subject.feeds)
	if err != nil {
		b.Fatal(err)
	}
	return &test{decoder: &decoder{Subject: subject, plan: plan, mode: plan.Usual()}}
}

// BenchmarkChosenOnDevice compares tokens that are chosen on a device with tokens that are chosen on the
// host, after all scores were copied.
func BenchmarkChosenOnDevice(b *testing.B) {
	folder := os.Getenv(genAIModels)
	if folder == "" || os.Getenv(genAIProvider) == "" {
		b.Skipf("%s and %s name no models for a device", genAIModels, genAIProvider)
	}
	models, _ := filepath.Glob(filepath.Join(folder, "*", "model.onnx"))
	for _, path := range models {
		b.Run(filepath.Base(filepath.Dir(path)), func(b *testing.B) {
			const depth, tokens = 128, 128
			onDevice, onHost := decodeTarget(b, path, 1), decodeTarget(b, path, 1)
			if err := onDevice.goTo(b.Context(), depth, tokens); err != nil {
				b.Fatal(err)
			}
			if onDevice.chooser == nil {
				b.Fatalf("tokens are chosen on the host: %v", onDevice.notes)
			}
			l := onHost.Session.(runtime.Loaded)
			if _, err := l.Decode(b.Context(), onHost.plan.Decode(onHost.mode, depth+tokens, false)); err != nil {
				b.Fatal(err)
			}
			if _, err := l.Generate(b.Context(), ort.Generation{Restart: true, Prompt: onHost.plan.Prompt(depth), Mark: true, Timed: true}); err != nil {
				b.Fatal(err)
			}
			for _, t := range []*test{onDevice, onHost} {
				t.depth, t.tokens = depth, tokens
			}
			subjects := []bench.Subject{{Target: called{onHost, "host"}}, {Target: called{onDevice, "device"}}}
			for b.Loop() {
				r, err := bench.Measure(b.Context(), subjects, genAIPlan(b), bench.Surroundings{Now: time.Now})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.Comparisons[0].Centre(), "device/host")
				b.ReportMetric(float64(r.Runs[0].P50)*1000, "µs/host")
				b.ReportMetric(float64(r.Runs[1].P50)*1000, "µs/device")
			}
		})
	}
}
