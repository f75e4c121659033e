package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/dim"
)

// pair measures two simulated targets, b the slower one by a factor.
func pair(t *testing.T, slower float64, p Plan) *Report {
	t.Helper()
	m := newSimulated(5, 0.02, quiet)
	facts := Facts{Model: "model.onnx", EP: "cuda,cpu", Batch: 8}
	a := &simTarget{name: "a.onnx", base: 2 * time.Millisecond, machine: m}
	b := &simTarget{name: "b\x1b[2J.onnx", base: time.Duration(slower * 2e6), machine: m}
	r, err := Measure(t.Context(), []Subject{{a, facts}, {b, facts}}, p, Surroundings{Now: m.now})
	if err != nil {
		t.Fatal(err)
	}
	r.AddEnvironment(Environment{CPU: ref("Some CPU"), Cores: ref(int64(4)), Load: ref(Number(3)), OS: "linux", Arch: "amd64"})
	return r
}

// TestContract checks the keys that scripts depend on.
func TestContract(t *testing.T) {
	for name, p := range map[string]Plan{"full": {}, "one run": {Runs: 1}} {
		raw, err := json.Marshal(pair(t, 1.1, p))
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Runs        []map[string]any
			Comparisons []map[string]any
			Environment map[string]any
		}
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		keys := "model ep ep_attached nodes_by_ep batch session_ms first_run_ms p50_ms p90_ms p95_ms p99_ms min_ms max_ms mean_ms ci95_ms samples throughput peak_rss_bytes device_bytes phases verdict"
		checkKeys(t, name+": runs", doc.Runs[0], keys)
		checkKeys(t, name+": comparisons", doc.Comparisons[0], "a b ratio ci95 significant")
		checkKeys(t, name+": environment", doc.Environment, "cpu cores governor load os go")
		for _, key := range []string{"ep_attached", "session_ms", "peak_rss_bytes"} {
			if doc.Runs[0][key] != nil {
				t.Errorf("%s: %q is %v before anybody knows it", name, key, doc.Runs[0][key])
			}
		}
		unknown := name == "one run"
		for _, key := range []string{"ci95_ms", "p90_ms", "p99_ms"} {
			if (doc.Runs[0][key] == nil) != unknown {
				t.Errorf("%s: %q is %v", name, key, doc.Runs[0][key])
			}
		}
		if (doc.Comparisons[0]["ci95"] == nil) != unknown {
			t.Errorf("%s: the ratio's interval is %v", name, doc.Comparisons[0]["ci95"])
		}
	}
}

func checkKeys(t *testing.T, where string, got map[string]any, keys string) {
	t.Helper()
	for _, key := range strings.Fields(keys) {
		if _, ok := got[key]; !ok {
			t.Errorf("%s: no key %q", where, key)
		}
	}
}

func TestNumbers(t *testing.T) {
	r := pair(t, 1.1, Plan{})
	a, c := r.Runs[0], r.Comparisons[0]
	if a.P50 < 1.99 || a.P50 > 2.01 || a.Min > a.P50 || *a.P90 < a.P50 || *a.P99 < *a.P95 || a.Max < *a.P99 {
		t.Errorf("%+v", a)
	}
	if want := Number(8 * 1000 / float64(a.Mean)); a.Throughput != want {
		t.Errorf("throughput %v, want %v", a.Throughput, want)
	}
	if a.CI95[0] > a.P50 || a.CI95[1] < a.P50 {
		t.Errorf("the interval %v does not hold the median %v", *a.CI95, a.P50)
	}
	if c.Ratio != r.Runs[1].P50/a.P50 || c.Ratio < 1.09 || c.Ratio > 1.11 || !c.Significant || c.CI95[0] > c.Ratio || c.CI95[1] < c.Ratio {
		t.Errorf("%+v", c)
	}
}

func TestHeadlines(t *testing.T) {
	for _, c := range []struct {
		slower float64
		want   string
	}{
		{1.5, `b\x1b[2J.onnx takes 1.50 times as long as a.onnx (ratio 1.`},
		{1.1, `b\x1b[2J.onnx takes 10.1 % more time than a.onnx (ratio 1.10`},
		{0.9, `b\x1b[2J.onnx takes 9.9 % less time than a.onnx (ratio 0.90`},
		{0.5, `b\x1b[2J.onnx is 2.00 times as fast as a.onnx (ratio 0.`},
		{1, `b\x1b[2J.onnx ~ a.onnx: difference within noise (ratio `},
	} {
		if got := pair(t, c.slower, Plan{}).Headlines()[0]; !strings.HasPrefix(got, c.want) {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
	if got := pair(t, 1.1, Plan{Runs: 2}).Headlines()[0]; strings.Contains(got, "95") {
		t.Errorf("an interval of two rounds: %s", got)
	}
}

// TestUncertain: if the interval that is shown leaves 1 out and the one that decides does not, the
// sentence has both.
func TestUncertain(t *testing.T) {
	round := Number(0.8688)
	c := Comparison{A: "a", B: "b", Round: &round, CI95: &[2]Number{0.7939, 0.9605}, CI99: &[2]Number{0.77, 1.02}}
	want := "b ~ a: difference not certain (ratio 0.8688, 95 % between 0.7939 and 0.9605; it counts from 99 %, which is between 0.77 and 1.02 and includes 1)"
	if got := c.headline(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	c.CI95[1] = 1.01
	if got := c.headline(); !strings.Contains(got, "within noise") {
		t.Errorf("%s", got)
	}
}

// TestContradiction: a lower median with fewer samples per second is explained below the table.
func TestContradiction(t *testing.T) {
	r := &Report{Runs: []Run{{P50: 1.01, Throughput: 970}, {P50: 1, Throughput: 960}}}
	if !r.meansDiffer() {
		t.Error("not noticed")
	}
	if r.Runs[1].Batch, r.Runs[1].P50 = 8, 8.3; r.meansDiffer() {
		t.Error("another batch is compared")
	}
	r = &Report{Runs: []Run{{Name: "m", P50: 1.355, Throughput: 501}}}
	if !r.meansDiffer() || !strings.Contains(r.Headlines()[0], "501 samples per second on average") {
		t.Errorf("a mean that is far from the median is not explained: %s", r.Headlines()[0])
	}
}

// TestConditions: the headline says what was chosen for the run.
func TestConditions(t *testing.T) {
	for want, run := range map[string]Run{
		"":                                   {},
		" with 1 thread":                     {Facts: Facts{Threads: 1}},
		" with batch 8, 2 threads":           {Facts: Facts{Threads: 2, Batch: 8}},
		" at batch=8, sequence=64, 1 thread": {Facts: Facts{Threads: 1, Batch: 8, Sizes: dim.Sizes{{Name: "batch", N: 8}, {Name: "sequence", N: 64}}}},
	} {
		if got := run.conditions(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWriteText(t *testing.T) {
	r := pair(t, 1.1, Plan{Runs: 200})
	// what the machine measured is checked elsewhere: here it is the layout
	for i := range r.Runs {
		r.Runs[i].P50, r.Runs[i].CI95 = Number(1+i), &[2]Number{Number(float64(1+i) * 0.99), Number(float64(1+i) * 1.02)}
		r.Runs[i].P90, r.Runs[i].P95, r.Runs[i].P99 = ref(Number(0.1234)), ref(Number(12.34)), nil
		r.Runs[i].Min, r.Runs[i].Max, r.Runs[i].Throughput = 0.5, 12345, 8000
		r.Runs[i].Histogram = Histogram{}
	}
	r.Comparisons[0].Round, r.Comparisons[0].CI95 = ref(Number(1.1)), &[2]Number{1.09, 1.11}
	r.Comparisons[0].Warnings = []Warning{{RoundsSay, "odd"}}
	r.Runs[1].EPAttached = ref("cpu")
	want := `b\x1b[2J.onnx takes 10.0 % more time than a.onnx (ratio 1.1, 95 % between 1.09 and 1.11); noisy: busy machine

                    p50  95 % interval       p90  p99  samples/s
a.onnx         1.000 ms  0.990 … 1.020  123.4 µs    -      8,000
b\x1b[2J.onnx  2.000 ms  1.980 … 2.040  123.4 µs    -      8,000
samples/s comes from the mean of all runs and p50 is a median, so the two can differ
for more certain times: end other work on this machine

a.onnx
   steady; 200 runs in 20 blocks, ended by runs
   cuda,cpu, batch 8; the slowest took 12.35 s
b\x1b[2J.onnx
   steady; 200 runs in 20 blocks, ended by runs
   cpu, batch 8; the slowest took 12.35 s
b\x1b[2J.onnx against a.onnx: odd
Some CPU, linux/amd64, 4 processors, load 3.00
warning: other work before the measurement: load 3.00 on 4 processors
`
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := r.WriteText(brokenWriter{}); err == nil {
		t.Error("a write error was swallowed")
	}
}

func TestHeadlineOfOne(t *testing.T) {
	target, m := quietTarget(250 * time.Microsecond)
	target.name = "m.onnx"
	r, err := Measure(t.Context(), []Subject{{Target: target}}, Plan{}, Surroundings{Now: m.now})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Headlines()[0]; !strings.HasPrefix(got, "m.onnx takes 25") || !regexp.MustCompile(` µs \(2\d\d\.\d … 2\d\d\.\d\), `).MatchString(got) || !strings.HasSuffix(got, " samples per second") {
		t.Error(got)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestHeadlineAgreesWithItsInterval: the ratio of all runs may even point the
// other way; the sentence speaks of what the interval is about.
func TestHeadlineAgreesWithItsInterval(t *testing.T) {
	round := Number(0.85)
	c := Comparison{A: "a", B: "b", Ratio: 1.2, CI95: &[2]Number{0.81, 0.88}, Round: &round, Significant: true}
	if got, want := c.headline(), "b takes 15.0 % less time than a (ratio 0.85, 95 % between 0.81 and 0.88)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestApart: if the ratio of the medians, which the table shows, is not that of the rounds, the headline
// and a line below the table say so.
func TestApart(t *testing.T) {
	round := Number(1.05)
	r := &Report{Runs: []Run{{Name: "a", P50: 1}, {Name: "b", P50: 1.15}}}
	c := Comparison{A: "a", B: "b", Ratio: 1.15, Round: &round}
	r.Comparisons = []Comparison{c}
	if got := r.ComparisonHeadline(c); !strings.HasSuffix(got, "; noisy: the machine's speed changed") {
		t.Error(got)
	}
	var out bytes.Buffer
	if err := r.WriteDetails(&out); err != nil || !strings.Contains(out.String(), "the machine's speed changed between them") {
		t.Errorf("%v: %s", err, out.String())
	}
	c.Ratio = 1.08
	if got := r.ComparisonHeadline(c); strings.Contains(got, "noisy") {
		t.Error(got)
	}
}

// TestUnevenly: a median that is not in the middle of the histogram is explained.
func TestUnevenly(t *testing.T) {
	h := Histogram{From: 4, Width: 2, Counts: []int{60, 20, 5, 5}, Beyond: 10}
	if got, ok := h.middle(); !ok || got < 5.6 || got > 5.7 {
		t.Errorf("the middle is %v", got)
	}
	if got := (Run{Name: "m", P50: 25, Histogram: h}).unevenly(); !strings.HasPrefix(got, "m: the middle of the histogram is at 5.667 ms; p50 counts each block") {
		t.Error(got)
	}
	for _, r := range []Run{{P50: 5.5, Histogram: h}, {P50: 25}, {Histogram: h}} {
		if got := r.unevenly(); got != "" {
			t.Error(got)
		}
	}
}
