//go:build cgo

package quantization

import (
	"strings"
	"testing"

	"lathe/bench"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/sessiontest"
	"lathe/session/sides"
	"lathe/session/timing"
)

// TestQuantizeTrial tries results that are right, wrong, or unsound, and results with operators
// that no runtime has.
func TestQuantizeTrial(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	const text = "input x f32[n,4]\ninit w f32[4] 1 2 3 4\noutput z f32[n,4]\nm: h = Mul(x, w)\nr: z = Tanh(h)"
	for name, c := range map[string]struct{ from, to, err, notRun, worse string }{
		"equal":   {text, text, "", "", ""},
		"wrong":   {text, strings.Replace(text, "3 4", "3 5", 1), "", "", "differs on generated inputs; --data judges it on your data: fail"},
		"unsound": {text, strings.Replace(text, "Tanh(h)", "Tanh(g)", 1), "the result has an error and is not written", "", ""},
		"foreign": {text, "opset my.ops 1\n" + strings.Replace(text, "Tanh(h)", "my.ops::Tanh(h)", 1), "the result does not load, and is not written", "", ""},
		"neither": {"opset my.ops 1\n" + strings.Replace(text, "Tanh(h)", "my.ops::Tanh(h)", 1), text, "", "the original does not load: ", "accuracy undecided: the original does not load: "},
	} {
		t.Run(name, func(t *testing.T) {
			s, r := &Quantization{Mode: "dynamic"}, &Report{}
			err := s.Try(t.Context(), env, graphtest.Model(t, c.from), graphtest.Model(t, c.to), r)
			switch {
			case c.err != "":
				if err == nil || !strings.HasPrefix(err.Error(), c.err) {
					t.Errorf("%v, expected %q", err, c.err)
				}
				return
			case err != nil:
				t.Fatal(err)
			}
			if !strings.HasPrefix(r.Trial.NotRun, c.notRun) || (c.notRun == "") != (r.Trial.NotRun == "") {
				t.Errorf("not run: %q, expected %q", r.Trial.NotRun, c.notRun)
			}
			if worse := strings.Join(r.Trial.worse(), "; "); !strings.HasPrefix(worse, c.worse) {
				t.Errorf("%q, expected %q", worse, c.worse)
			}
			if r.IsDoubtful() != (c.notRun != "") {
				t.Error("generated inputs show no loss of accuracy, and a model that does not load leaves it open")
			}
			if c.notRun == "" && r.Trial.comparison() == nil {
				t.Error("nothing was measured")
			}
			s.NoTrial, r.Trial = true, nil
			if err := s.Try(t.Context(), env, graphtest.Model(t, c.from), graphtest.Model(t, c.to), r); err != nil || r.Trial != nil {
				t.Errorf("without a trial: %v, %v", r.Trial, err)
			}
		})
	}
}

// TestWorse checks what the report says of lost accuracy.
func TestWorse(t *testing.T) {
	centre := tensor.Number(1.5)
	noise := &timing.Report{Report: &bench.Report{Comparisons: []bench.Comparison{{A: "a", B: "b", Ratio: 1.4, Round: &centre}}}}
	fast := &timing.Report{Report: &bench.Report{Comparisons: []bench.Comparison{{A: "a", B: "b", Ratio: 0.5, Significant: true}}}}
	judged := func(v compare.Verdict, a, b float64) *sides.Report {
		return &sides.Report{Report: &compare.Report{Judged: v.Judged(), Headline: "as it is", Accuracy: []compare.Accuracy{{Output: "y", Rows: 50, A: tensor.Number(a), B: tensor.Number(b)}}}}
	}
	for want, trial := range map[string]*trialReport{
		"":                  nil,
		"accuracy as it is": {Validation: judged(compare.Undecided, 0.9, 0.9), OnData: true},
		"accuracy as it is; --data tries it on your data":                      {Validation: judged(compare.Undecided, 0.9, 0.9)},
		"loses accuracy: as it is":                                             {Validation: judged(compare.Fail, 0.9, 0.95), Bench: noise, OnData: true},
		`less accurate: "y" is right in 80 % of 50, was 90 %`:                  {Validation: judged(compare.Pass, 0.9, 0.8), Bench: fast, OnData: true},
		"differs on generated inputs; --data judges it on your data: as it is": {Validation: judged(compare.Fail, 0.9, 0.9), Bench: fast},
	} {
		if got := strings.Join(trial.worse(), "; "); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
		r := Report{Trial: trial}
		doubtful := strings.HasPrefix(want, "loses") || strings.HasPrefix(want, "accuracy")
		if r.IsDoubtful() != doubtful {
			t.Errorf("%q: %v", want, r.IsDoubtful())
		}
	}
}

// TestSpeed: the line says slower or faster only if the difference is certain, and also if the
// times are noisy. Paths are left out.
func TestSpeed(t *testing.T) {
	centre := tensor.Number(1.36)
	runs := func(warnings ...bench.Warning) []bench.Run {
		a, b := bench.Run{Name: "/long/a.onnx", P50: 10, Warnings: warnings}, bench.Run{Name: "/long/b.onnx", P50: 13.6, Warnings: warnings}
		b.Batch, b.Threads = 8, 1
		return []bench.Run{a, b}
	}
	spread := bench.Warning{Kind: bench.Spread, Text: "varies"}
	for want, c := range map[string]struct {
		significant bool
		ratio       tensor.Number
		runs        []bench.Run
	}{
		"speed: slower, 1.36 × the time; p50 10.00 ms → 13.60 ms, batch 8, generated inputs, 1 thread":                                                                              {true, 1.36, runs()},
		"speed: slower, with noisy times, 1.36 × the time; p50 10.00 ms → 13.60 ms, batch 8, generated inputs, 1 thread; noisy: blocks far apart":                                   {true, 1.36, runs(spread)},
		"speed: slower, with noisy times, 1.36 × the time; p50 10.00 ms → 13.60 ms, batch 8, generated inputs, 1 thread; noisy: the machine's speed changed; " + bench.RatioOfPairs: {true, 1.7, runs()},
		"speed: no difference that is certain at 99 %, 1.36 × the time; p50 10.00 ms → 13.60 ms, batch 8, generated inputs, 1 thread":                                               {false, 1.36, runs()},
	} {
		trial := &trialReport{Bench: &timing.Report{Report: &bench.Report{Runs: c.runs, Comparisons: []bench.Comparison{{A: "/long/a.onnx", B: "/long/b.onnx", Ratio: c.ratio, Round: &centre, Significant: c.significant}}}}}
		if got := trial.speed(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
