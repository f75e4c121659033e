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

// TestWorse checks that the report begins with what got worse, and with nothing if it may be noise.
func TestWorse(t *testing.T) {
	centre := tensor.Number(1.5)
	slow := &timing.Report{Report: &bench.Report{Comparisons: []bench.Comparison{{A: "a", B: "b", Ratio: 1.4, Round: &centre, Significant: true}}}}
	noise := &timing.Report{Report: &bench.Report{Comparisons: []bench.Comparison{{A: "a", B: "b", Ratio: 1.4, Round: &centre}}}}
	fast := &timing.Report{Report: &bench.Report{Comparisons: []bench.Comparison{{A: "a", B: "b", Ratio: 0.5, Significant: true}}}}
	judged := func(v compare.Verdict, a, b float64) *sides.Report {
		return &sides.Report{Report: &compare.Report{Judged: v.Judged(), Headline: "as it is", Accuracy: []compare.Accuracy{{Output: "y", Rows: 50, A: tensor.Number(a), B: tensor.Number(b)}}}}
	}
	for want, trial := range map[string]*trialReport{
		"":                  nil,
		"accuracy as it is": {Validation: judged(compare.Undecided, 0.9, 0.9), OnData: true},
		"accuracy as it is; --data tries it on your data":                      {Validation: judged(compare.Undecided, 0.9, 0.9)},
		"slower: b takes 1.50 times as long as a (ratio 1.5)":                  {Validation: judged(compare.Pass, 0.9, 0.9), Bench: slow, OnData: true},
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
