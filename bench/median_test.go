package bench

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"lathe/bench/machine"
)

func TestMedianText(t *testing.T) {
	for _, c := range []struct {
		median, low, high Number
		want              string
	}{
		{14.15, 12.97, 22.32, "14.15 ms (12.97 … 22.32)"},
		{0.002033, 0.0019, 0.00315, "2.033 µs (1.900 … 3.150)"},
		{0.98, 0.97, 1.02, "980.0 µs (970.0 … 1020.0)"}, // one unit for all
		{1500, 999, 2000, "1.500 s (0.999 … 2.000)"},
	} {
		if got := MedianText(c.median, &[2]Number{c.low, c.high}); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	if got := MedianText(2, nil); got != "2.000 ms" || IntervalText(2, nil) != "-" {
		t.Error(got)
	}
}

// TestMedianIsOfItsInterval: a machine that is fast for a short while makes most runs then. The
// median shown is that of blocks, as the interval is, and lies in it.
func TestMedianIsOfItsInterval(t *testing.T) {
	track := &track{subject: Subject{Target: silent{}}, steady: true}
	for round := range 12 {
		d, runs := 30*time.Microsecond, 10
		if round < 4 {
			d, runs = 10*time.Microsecond, 1000
		}
		for range runs {
			track.times = append(track.times, d)
		}
		track.blocks = append(track.blocks, block{round, d + time.Duration(round)})
	}
	r := (&engine{plan: Plan{MinRuns: 1}}).run(track)
	if r.P50 < 0.03 || r.P50 < r.CI95[0] || r.P50 > r.CI95[1] || *r.P90 > 0.01 {
		t.Errorf("p50 %v in %v, p90 %v", r.P50, *r.CI95, *r.P90)
	}
	if !has(r.Warnings, Imprecise) || strings.Contains(r.Verdict, "±") || !strings.Contains(r.Verdict, r.MedianText()) {
		t.Errorf("verdict %s", r.Verdict)
	}
}

// TestRecentre: a result of a version whose p50 was that of all runs says the same as one of
// today; one without blocks keeps what it says.
func TestRecentre(t *testing.T) {
	r := &Report{Runs: []Run{
		{P50: 3.195, CI95: &[2]Number{1.9, 2.2}, BlockMedians: []Number{1.9, 2.2, 2.0, 2.066}},
		{P50: 5},
	}}
	r.Recentre()
	if got := r.Runs[0].MedianText(); got != "2.033 ms (1.900 … 2.200)" || r.Runs[1].P50 != 5 {
		t.Errorf("%s, %v", got, r.Runs[1].P50)
	}
}

func TestLabels(t *testing.T) {
	long := strings.Repeat("encoder-", 8)
	for _, c := range []struct{ names, want []string }{
		{[]string{"/a/x.onnx", "/a/y.onnx"}, []string{"x.onnx", "y.onnx"}},
		{[]string{"/a/b/x.onnx", "/a/c/x.onnx", "y.onnx"}, []string{"b/x.onnx", "c/x.onnx", "y.onnx"}},
		{[]string{"x.onnx", "b/x.onnx"}, []string{"x.onnx", "b/x.onnx"}},
		{[]string{"x.onnx", "x.onnx"}, []string{"x.onnx", "x.onnx #2"}},
		{[]string{long + "a.onnx", long + "b.onnx"}, []string{"encoder-enco…coder-a.onnx", "encoder-enco…coder-b.onnx"}},
		{[]string{"a" + long, "b" + long}, []string{"aencoder-enc…der-encoder-", "bencoder-enc…der-encoder-"}},
		{[]string{long + "q" + long, long + "r" + long}, []string{"encode…-qencoder-encoder-", "encode…-rencoder-encoder-"}},
		{[]string{long + "q" + long, long + "q" + long}, []string{"encoder-enco…der-encoder-", "encoder-enco…-encoder- #2"}},
	} {
		var runs []Run
		for _, n := range c.names {
			runs = append(runs, Run{Name: n, Facts: Facts{Model: n}})
		}
		if diff := cmp.Diff(c.want, Labels(runs, 25)); diff != "" {
			t.Error(diff)
		}
	}
	got := Labels([]Run{{Name: "/m/a.onnx on cuda,cpu at batch 8", Facts: Facts{Model: "/m/a.onnx"}}, {Name: "/m/b\x1b[2J.onnx at batch 8", Facts: Facts{Model: "/m/b\x1b[2J.onnx"}}}, 60)
	if diff := cmp.Diff([]string{"a.onnx on cuda,cpu at batch 8", `b\x1b[2J.onnx at batch 8`}, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzLabels: labels are different and short, whatever names are.
func FuzzLabels(f *testing.F) {
	f.Add("/a/b.onnx", "/a/c.onnx", "x", 20)
	f.Add("b", "b", "b", 12)
	f.Fuzz(func(t *testing.T, a, b, c string, width int) {
		width = 12 + max(width%60, 0)
		var runs []Run
		for _, n := range []string{a, b, c} {
			runs = append(runs, Run{Name: n, Facts: Facts{Model: n}})
		}
		got := Labels(runs, width)
		if !allDiffer(got) {
			t.Errorf("%q", got)
		}
		for _, label := range got {
			if utf8.RuneCountInString(label) > width {
				t.Errorf("%q is wider than %d", label, width)
			}
		}
	})
}

// TestPairs: like is compared with like, and a larger batch or more threads with the same model's
// first.
func TestPairs(t *testing.T) {
	e := &engine{}
	name := func(i int) string { return e.tracks[i].subject.Name() }
	for _, m := range []string{"A", "B"} {
		for ep := range 2 {
			for batch := range 2 {
				p := Place{Model: int(m[0] - 'A'), EP: ep, Batch: batch}
				e.tracks = append(e.tracks, &track{subject: Subject{Target: &simTarget{name: m + string(rune('0'+ep)) + string(rune('0'+batch))}, Facts: Facts{Place: p}}})
			}
		}
	}
	var got []string
	for _, p := range e.pairs() {
		got = append(got, name(p.b)+"/"+name(p.a)+" "+p.along)
	}
	want := []string{
		"B00/A00 model", "B01/A01 model", "B10/A10 model", "B11/A11 model",
		"A10/A00 ep", "A11/A01 ep", "B10/B00 ep", "B11/B01 ep",
		"A01/A00 batch", "A11/A10 batch", "B01/B00 batch", "B11/B10 batch",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	e.tracks = e.tracks[:1]
	more := Place{Threads: 1}
	e.tracks = append(e.tracks, &track{subject: Subject{Target: &simTarget{name: "T"}, Facts: Facts{Place: more}}})
	if p := e.pairs(); len(p) != 1 || p[0] != (compared{0, 1, alongThreads}) {
		t.Errorf("two numbers of threads are compared as %v", p)
	}
}

// TestNoise: every headline says why to doubt a number, and a steady one says nothing.
func TestNoise(t *testing.T) {
	noisy := Run{Name: "b", P50: 2, Verdict: "noisy because it is", Warnings: []Warning{{Spread, ""}, {Kind("other_work"), ""}, {Imprecise, ""}, {Drift, ""}}}
	r := &Report{Runs: []Run{{Name: "a", P50: 1, Verdict: "steady"}, noisy}}
	for name, want := range map[string]string{
		"a": "", "b": "noisy: busy machine, blocks far apart, wide interval and 1 more reason",
	} {
		if got := r.Noise(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	r.Runs[1].BlockMedians = []Number{2, 2, 2.4, 2, 2, 2.4, 2.4, 2}
	if got := r.Noise("b"); got != "noisy by 20 %: busy machine, blocks far apart, wide interval and 1 more reason" {
		t.Errorf("with blocks: %q", got)
	}
	if got := r.RunHeadline(r.Runs[0]); strings.Contains(got, "noisy") {
		t.Error(got)
	}
	if got := r.ComparisonHeadline(Comparison{A: "a", B: "b", Ratio: 2}); !strings.HasSuffix(got, "; "+r.Noise("b")) {
		t.Error(got)
	}
	r.Warnings = []Warning{{BusyBefore, ""}, {Governor, ""}}
	if got := r.Noise("a"); got != "noisy: busy machine" {
		t.Errorf("of a busy machine: %q", got)
	}
	if got := (&Report{Runs: []Run{{Name: "c", Verdict: "noisy because of what comes later"}}}).Noise("c"); got != "noisy" {
		t.Errorf("of an unknown kind: %q", got)
	}
}

// TestBlocksMedian: another step that times blocks reports its median as bench does.
func TestBlocksMedian(t *testing.T) {
	for _, c := range []struct {
		blocks []float64
		median Number
		ci     bool
		noise  string
	}{
		{nil, 0, false, ""},
		{[]float64{1, 2, 3}, 2, false, "noisy: too few blocks for an interval"},
		{[]float64{2, 2, 2, 2, 2, 2, 2}, 2, true, ""},
		{[]float64{1, 2, 1, 3, 2, 1, 3, 2}, 2, true, "noisy by 62 %: blocks far apart, wide interval"},
	} {
		median, ci, noise := BlocksMedian(c.blocks)
		if median != c.median || (ci != nil) != c.ci || noise != c.noise {
			t.Errorf("%v: %v, %v, %q", c.blocks, median, ci, noise)
		}
	}
}

// TestAdvice: a noisy measurement says what makes it more certain, and a steady one says nothing.
func TestAdvice(t *testing.T) {
	one := func(kinds ...Kind) *Report {
		r := &Report{Runs: []Run{{Name: "m"}}}
		for _, k := range kinds {
			r.Runs[0].Warnings = append(r.Runs[0].Warnings, Warning{Kind: k})
		}
		return r
	}
	for _, c := range []struct {
		r      *Report
		want   []string
		longer bool
	}{
		{one(), nil, false},
		{one(Growing), nil, false},
		{one(Imprecise), []string{"--seconds", "alternate"}, true},
		{one(Spread, Kind(machine.OtherWork)), []string{"end other work", "--seconds"}, true},
		{&Report{Runs: make([]Run, 2), Warnings: []Warning{{Kind: BusyBefore}}}, []string{"end other work"}, false},
	} {
		got := c.r.Advice()
		if (got == "") != (c.want == nil) || c.r.WantsLonger() != c.longer {
			t.Errorf("%+v: %q", c.r.Runs, got)
		}
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%q, want %q in it", got, w)
			}
		}
		if len(c.r.Runs) > 1 && strings.Contains(got, "alternate") {
			t.Errorf("two runs that alternate already: %q", got)
		}
	}
}
