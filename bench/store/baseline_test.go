package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lathe/bench"
	"lathe/bench/store"
)

// TestPairUp has baselines and measurements, and what of them belongs together.
func TestPairUp(t *testing.T) {
	with := func(r *store.Result, key, value string) *store.Result {
		for i := range r.Subjects {
			r.Subjects[i].Settings[key] = value
		}
		return r
	}
	renamed := func(r *store.Result, i int, path string) *store.Result {
		r.Models[i].Path, r.Models[i].Absolute = path, "/elsewhere/"+path
		return r
	}
	for _, c := range []struct {
		name           string
		baseline, here *store.Result
		want           string
	}{
		{"the same", measured(t, 4, "a 1 1", "b 1 1"), measured(t, 4, "b 1 1", "a 1 1"), "1:0 0:1"},
		{"by content before names", measured(t, 4, "a 1 1", "b 1 1"), renamed(renamed(measured(t, 4, "a 1 1", "b 1 1"), 0, "b"), 1, "a"), "0:0 1:1"},
		{"one of another name", measured(t, 4, "a 1 1"), measured(t, 4, "z 1 1"), "0:0"},
		{"one left of another name", measured(t, 4, "a 1 1", "b 1 1"), measured(t, 4, "a 1 1", "z 1 1"), "0:0 1:1"},
		{
			"two of other names", measured(t, 4, "a 1 1", "b 1 1"), measured(t, 4, "y 1 1", "z 1 1"),
			"only baseline a (ep cpu, batch 1), only baseline b (ep cpu, batch 1), only here y (ep cpu, batch 1), only here z (ep cpu, batch 1)",
		},
		{"more here", measured(t, 4, "a 1 1"), measured(t, 4, "a 1 1", "b 1 1"), "0:0 only here b (ep cpu, batch 1)"},
		{"another batch alone", measured(t, 4, "a 1 1"), measured(t, 4, "a 8 1"), `0:0 batch: "1" in the baseline, "8" here`},
		{"another machine", measured(t, 4, "a 1 1"), measured(t, 8, "a 1 1"), `0:0 machine: cores: "4" in the baseline, "8" here`},
		{"another runtime", measured(t, 4, "a 1 1"), with(measured(t, 4, "a 1 1"), "runtime", "1.24.3"), `0:0 runtime: "1.30.0" in the baseline, "1.24.3" here`},
		{"threads", measured(t, 4, "a 1 1", "b 1 1"), with(measured(t, 4, "a 1 1", "b 1 1"), "threads", "2"), `0:0 1:1 threads: not set in the baseline, "2" here`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := store.PairUp(c.baseline, c.here)
			var pairs, only []string
			for _, x := range p.Pairs {
				pairs = append(pairs, fmt.Sprintf("%d:%d", x.Baseline, x.Here))
			}
			for _, s := range p.OnlyBaseline {
				only = append(only, "only baseline "+s)
			}
			for _, s := range p.OnlyHere {
				only = append(only, "only here "+s)
			}
			got := strings.Join(slices.Concat(pairs, []string{strings.Join(only, ", ")}), " ")
			for _, d := range p.Differences {
				got += d.String()
			}
			if strings.TrimSpace(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if len(p.Differences) > 0 != (p.Problem(false) != "") && len(p.Pairs) > 0 || len(p.Pairs) > 0 && p.Problem(true) != "" {
				t.Errorf("problem %q, with differences let pass %q", p.Problem(false), p.Problem(true))
			}
			if len(p.Pairs) == 0 && p.Problem(true) == "" {
				t.Error("nothing to compare, and no problem")
			}
		})
	}
}

// TestSentenceOfRatio: both times are in the sentence, and a ratio that is not theirs is explained.
func TestSentenceOfRatio(t *testing.T) {
	c := store.BaselineComparison{Here: "a", Baseline: "a", P50: 20.75, P50Was: 9.18, Verdict: store.Regression, Shift: bench.Shift{Ratio: 1.872, CI95: &[2]bench.Number{1.2, 2.5}}}
	want := "a: regression: more than 5 % slower than the baseline (ratio 1.872, 95 % between 1.2 and 2.5; p50 20.75 ms, was 9.180 ms, which is 2.26; the ratio is the middle of those of all pairs of blocks, so it can differ)"
	if got := c.Sentence(0.05); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	c.P50Was = c.P50 / c.Ratio
	if got := c.Sentence(0.05); strings.Contains(got, "every block") {
		t.Errorf("a ratio that is that of the medians is explained: %s", got)
	}
}

// TestOneModelTwoBatches has a sweep over one model, of which each side has a batch that the
// other has not.
func TestOneModelTwoBatches(t *testing.T) {
	sweep := func(batches ...string) *store.Result {
		r := measured(t, 4, "a "+batches[0]+" 1", "a "+batches[1]+" 1")
		r.Models = r.Models[:1]
		r.Subjects[1].Model = 0
		return r
	}
	p := store.PairUp(sweep("1", "8"), sweep("16", "1"))
	if len(p.Pairs) != 1 || p.Pairs[0] != (store.Pair{Baseline: 0, Here: 1}) || len(p.OnlyHere) != 1 || len(p.OnlyBaseline) != 1 || len(p.Differences) != 0 {
		t.Errorf("%+v", p)
	}
}

// TestSeveralThreads has a sweep over the threads of one model. What was measured with the same number
// is paired. If neither side has several numbers, batches are paired whatever the number is.
func TestSeveralThreads(t *testing.T) {
	sweep := func(threads ...string) *store.Result {
		r := measured(t, 4, "a 1 1", "a 1 1")
		r.Models = r.Models[:1]
		for i, n := range threads {
			r.Subjects[i].Model, r.Subjects[i].Settings["threads"] = 0, n
		}
		return r
	}
	p := store.PairUp(sweep("1", "2"), sweep("2", "4"))
	if len(p.Pairs) != 1 || p.Pairs[0] != (store.Pair{Baseline: 1, Here: 0}) || len(p.OnlyHere) != 1 || len(p.Differences) != 0 || !strings.Contains(p.OnlyHere[0], "threads 4") {
		t.Errorf("%+v", p)
	}
	was, is := sweep("1", "1"), sweep("2", "2")
	was.Subjects[1].Settings["batch"], is.Subjects[1].Settings["batch"] = "8", "8"
	if p := store.PairUp(was, is); len(p.Pairs) != 2 || len(p.Differences) != 1 {
		t.Errorf("%+v", p)
	}
}

func TestAgainst(t *testing.T) {
	for _, c := range []struct {
		median  float64
		verdict string
	}{{1, store.Within}, {1.04, store.Within}, {1.1, store.Regression}, {0.8, store.Faster}, {1.0505, store.Unclear}} {
		was, is := measured(t, 4, "a 1 1"), measured(t, 4, fmt.Sprintf("a 1 %v", c.median))
		was.File = "base\x1b.json"
		b, err := store.PairUp(was, is).Against(was, is, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		x := b.Comparisons[0]
		if x.Verdict != c.verdict || b.Pass != (c.verdict != store.Regression) || !*x.SameModel {
			t.Errorf("%v: %+v", c.median, x)
		}
		var text strings.Builder
		if err := b.WriteText(&text); err != nil || strings.Contains(text.String(), "\x1b") {
			t.Errorf("%q, %v", text.String(), err)
		}
	}
	// Without a limit, slower does not count as a regression.
	for median, want := range map[float64]string{1: store.Unclear, 1.1: store.Slower, 0.8: store.Faster} {
		was, is := measured(t, 4, "a 1 1"), measured(t, 4, fmt.Sprintf("a 1 %v", median))
		b, err := store.PairUp(was, is).Against(was, is, store.NoLimit)
		if err != nil || b.Comparisons[0].Verdict != want || !b.Pass || strings.Contains(b.Comparisons[0].Sentence(store.NoLimit), "-1") {
			t.Errorf("%v: %+v, %v", median, b, err)
		}
	}
	// A document that holds less than its envelope tells is refused, not read past its end.
	was, is := measured(t, 4, "a 1 1"), measured(t, 4, "a 1 1")
	was.Subjects = append([]store.Subject{{Name: "x", Settings: store.Settings{"batch": "99"}}}, was.Subjects...)
	was.Subjects[1].Model = 0
	if _, err := store.PairUp(was, is).Against(was, is, 0.05); err == nil || !strings.Contains(err.Error(), "has 1 runs") {
		t.Errorf("%v", err)
	}
}
