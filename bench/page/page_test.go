package page

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/graphops"
)

// hostile are names that mean something to a page, a table or a terminal.
var hostile = []string{
	`<script>document.title="owned"</script>`, `"><img src=x onerror=alert(1)>`, `</svg><script>document.title="owned"</script>`, "=cmd|'/C calc'!A0", "+1+1", "@SUM(A1)", " =1",
	"\x1b[31mred\x1b[0m", "\u202egnirts", "a|b\n| c | d |\n# title", "![x](http://example.com/x.png)", "www.example.com", "- item", "1. one", "`code`", "]]>", "{{.}}", "&lt;", "https://example.com/a.js", strings.Repeat("long", 200), "\xff\xfe",
}

// measured is a result of runs of those names.
func measured(t *testing.T, names ...string) *store.Result {
	t.Helper()
	r := &store.Result{Schema: store.Schema, Kind: store.KindBench, Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Lathe: "1.0", File: names[0]}
	r.Machine = store.NewMachine([]byte(`{"host":"box","cpu":"abacus","cores":4,"memory_bytes":17179869184}`), "")
	r.Machine.Name = names[0]
	b := bench.Report{Warnings: []bench.Warning{{Text: names[0]}}}
	rss, session := int64(64<<20), bench.Number(12)
	for i, name := range names {
		run := bench.Run{
			Name: name, P50: bench.Number(1 + i), Min: 0.5, Max: 90, Mean: 2, Samples: 1000, Blocks: 30, Throughput: 500, Verdict: "noisy because " + name,
			Facts: bench.Facts{Model: name, EP: name, PeakRSS: &rss, SessionMS: &session, Batch: 1},
		}
		p99 := run.P50 * 1.5
		run.P99, run.CI95 = &p99, &[2]bench.Number{run.P50 * 0.98, run.P50 * 1.02}
		for k := range 30 {
			run.BlockMedians = append(run.BlockMedians, run.P50*bench.Number(1+0.01*float64(k%5)))
		}
		run.Histogram = bench.Histogram{From: run.P50 / 2, Width: run.P50 / 20, Counts: []int{1, 5, 300, 500, 190, 3}, Beyond: 1}
		b.Runs = append(b.Runs, run)
		r.Models = append(r.Models, store.Model{Path: name, Bytes: 1 << 20, Digest: graphops.Digest{Content: strings.Repeat("ab", 32)}})
		r.Subjects = append(r.Subjects, store.Subject{Name: name, Model: i, Settings: store.Settings{"batch": "1", name: name}})
		if i > 0 {
			b.Comparisons = append(b.Comparisons, bench.Comparison{A: names[0], B: name, Ratio: bench.Number(1 + i), CI95: &[2]bench.Number{0.9, 2}, Significant: true, Rounds: 30})
		}
	}
	document(t, r, struct {
		bench.Report
		Notes    []string        `json:"notes"`
		Baseline *store.Baseline `json:"baseline"`
	}{b, names, &store.Baseline{
		File: names[0], MaxRegression: 0.05, Differences: []store.Difference{{What: names[0], Baseline: names[0]}}, OnlyHere: names, OnlyBaseline: names,
		Comparisons: []store.BaselineComparison{{Baseline: names[0], Here: names[0], P50Was: 1, P50: 2, Shift: bench.Shift{Ratio: 2, CI95: &[2]bench.Number{1.9, 2.1}}, Verdict: store.Regression}},
	}})
	return r
}

func document(t *testing.T, r *store.Result, v any) {
	t.Helper()
	var err error
	if r.Document, err = json.Marshal(v); err != nil {
		t.Fatal(err)
	}
}

// others are results of the other kinds, with the name wherever one stands.
func others(t *testing.T, name string) []*store.Result {
	t.Helper()
	snr, infinite := bench.Number(40), bench.Number(math.Inf(1))
	v := store.Validation{A: name, B: name, Outputs: []store.Output{{Name: name, Case: name, SNR: &snr, Total: 10}, {Name: "equal", SNR: &infinite, Judged: store.Judged{Pass: true}}, {Name: "none"}}}
	q := store.Quantization{
		Before: store.Extent{Bytes: 100, Nodes: 3}, After: store.Extent{Bytes: 30, Nodes: 5},
		Quantized: []store.QuantizedNode{{Node: name, Op: name, BytesBefore: 90, BytesAfter: 20}}, Skipped: []store.SkippedNode{{Node: name, Op: name, Reason: name}}, Trial: &store.Trial{Validation: &v},
	}
	p := store.Profile{Model: name, Nodes: []store.ProfileNode{{Name: name, Op: name, EP: name, US: 10}, {Name: "b", Op: "Add", US: 3}}, Token: &store.TokenTimes{Tokens: 1, Depth: 77, Parts: []store.TokenPart{{Part: name, US: 9, CacheBytes: 64}, {Part: "norms", US: 4}}}}
	l := store.Sensitivity{Mode: name, Layers: []store.SensitivityLayer{{Node: name, Op: name, SNR: &snr, Estimated: infinite, BytesSaved: 90}, {Node: "b", Failed: name}}}
	right := store.Share{Right: 9, Of: 10, Share: 0.9, Low: 0.6, High: 0.98}
	c := store.Accuracy{Headline: name, Verdict: name, Models: []store.AccuracyModel{{Model: name, Top1: &right, Top5: &right, Score: &snr}, {Model: name}}}
	modes := map[string]any{
		"inputs": name, "original": map[string]any{"mode": "original", "bytes": 100, "time": map[string]any{"p50_ms": 2, "ci95_ms": []float64{1, 3}}},
		"rows": []any{
			map[string]any{"mode": name, "bytes": 30, "error": map[string]any{"snr_db": 40}, "time": map[string]any{"p50_ms": 1, "ratio": 0.5}, "accuracy": map[string]any{"top1": right}},
			map[string]any{"mode": "none", "failed": name},
		},
		"advice": []any{map[string]any{"for": "size", "text": name}, map[string]any{"text": name}},
	}
	var out []*store.Result
	for kind, of := range map[string]any{store.KindCompare: modes, store.KindAccuracy: c, store.KindSensitivity: l, store.KindValidate: v, store.KindQuantize: q, store.KindProfile: p} {
		r := &store.Result{Kind: kind, File: name, Models: []store.Model{{Path: name}}}
		document(t, r, of)
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *store.Result) int { return strings.Compare(a.Kind, b.Kind) })
	return out
}

func written(t *testing.T, f Format, results ...*store.Result) string {
	t.Helper()
	r, err := New(results)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// all are results of every kind with hostile names.
func all(t *testing.T) []*store.Result {
	results := []*store.Result{measured(t, hostile...)}
	for _, name := range hostile {
		results = append(results, others(t, name)...)
	}
	return results
}

// TestPageHolds takes the page apart: its elements are those of the layout and of drawings,
// nothing leads out of it, and what names say is text.
func TestPageHolds(t *testing.T) {
	s := written(t, formatHTML, all(t)...)
	if !strings.Contains(html.UnescapeString(s), `content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`) {
		t.Error("no policy")
	}
	known := []string{
		"html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "div", "p", "nav", "ol", "li", "a", "main", "section", "dl", "dt", "dd",
		"figure", "figcaption", "svg", "g", "path", "text", "table", "caption", "thead", "tbody", "tr", "th", "td",
	}
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta"}, xml.HTMLEntity
	seen := map[string]int{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		seen[e.Name.Local]++
		if !slices.Contains(known, e.Name.Local) {
			t.Errorf("an element <%s>", e.Name.Local)
		}
		for _, a := range e.Attr {
			name := a.Name.Local
			if strings.HasPrefix(name, "on") || name == "src" || name == "href" && !regexp.MustCompile(`^#result-\d+$`).MatchString(a.Value) || name == "style" && strings.Contains(a.Value, "url") {
				t.Errorf("<%s %s=%q>", e.Name.Local, name, a.Value)
			}
		}
	}
	if seen["svg"] < 20 || seen["table"] < 20 || seen["script"] > 0 {
		t.Errorf("%v", seen)
	}
	for _, c := range s {
		if c == 0x1b || c == 0x202e {
			t.Errorf("character %U comes through", c)
		}
	}
	// Colours are variables: a drawing with one of its own would not follow the reader.
	if at := regexp.MustCompile(`(?i)(fill|stroke)(:|=")\s*(#|rgb|black)`).FindString(s[strings.Index(s, "</style>"):]); at != "" {
		t.Errorf("a drawing has %q", at)
	}
}

// TestFiguresHaveWords looks for a title and a description of every drawing, and a table
// beside it.
func TestFiguresHaveWords(t *testing.T) {
	r, err := New([]*store.Result{measured(t, "a.onnx", "b.onnx"), others(t, "c.onnx")[0], others(t, "c.onnx")[1], others(t, "c.onnx")[2]})
	if err != nil {
		t.Fatal(err)
	}
	figures := 0
	for _, s := range r.Sections {
		for _, p := range s.Parts {
			for _, f := range p.Figures {
				figures++
				if f.Title == "" || len(f.Alt) < 10 || !strings.HasPrefix(f.SVG, "<svg viewBox=") || !strings.HasSuffix(f.SVG, "</svg>") || strings.Contains(f.SVG, "NaN") || strings.Contains(f.SVG, "Inf") {
					t.Errorf("%s, %s: %q %q %.80s", s.Title, p.Title, f.Title, f.Alt, f.SVG)
				}
			}
			if len(p.Figures) > 0 && len(p.Table.Rows) == 0 {
				t.Errorf("%s, %s: figures without a table", s.Title, p.Title)
			}
			for _, row := range p.Table.Rows {
				if len(row) != len(p.Table.Titles) {
					t.Errorf("%s, %s: %d cells below %d titles", s.Title, p.Title, len(row), len(p.Table.Titles))
				}
			}
		}
	}
	if figures < 12 {
		t.Errorf("%d figures", figures)
	}
}

func TestMarkdown(t *testing.T) {
	s := written(t, formatMarkdown, all(t)...)
	if strings.ContainsAny(s, "<\x1b\u202e") || regexp.MustCompile(`[^\\]\]\(`).MatchString(s) || strings.Contains(s, "://") {
		t.Error("markup of names comes through")
	}
	width := 0
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "|") {
			width = 0
			continue
		}
		cells := len(regexp.MustCompile(`(^|[^\\])\|`).FindAllString(line, -1))
		if width != 0 && cells != width {
			t.Errorf("%d cells and not %d: %.200s", cells, width, line)
		}
		width = cells
	}
}

func TestCSV(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(written(t, formatCSV, all(t)...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 300 || rows[0][0] != "file" {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if i != 7 && strings.IndexAny(strings.TrimSpace(cell), "=+-@") == 0 {
				t.Errorf("a formula: %q", cell)
			}
		}
		if regexp.MustCompile(`^(-?[0-9.]+(e[-+][0-9]+)?)?$`).FindString(row[7]) != row[7] {
			t.Errorf("value %q", row[7])
		}
	}
}

// TestStrangeNumbers draws what no measurement gives and a file can say.
func TestStrangeNumbers(t *testing.T) {
	for _, change := range []func(*bench.Run){
		func(r *bench.Run) { r.Min, r.Max, r.Mean = 0, 0, 0 },
		func(r *bench.Run) {
			r.CI95 = &[2]bench.Number{bench.Number(math.Inf(-1)), bench.Number(math.Inf(1))}
		},
		func(r *bench.Run) { n := bench.Number(math.NaN()); r.P90, r.P99 = &n, &n },
		func(r *bench.Run) { r.Min = -5 },
		func(r *bench.Run) { r.P50, r.Max = 1e300, 1e300 },
		func(r *bench.Run) { r.P50, r.Min = 1e-300, 1e-300 },
		func(r *bench.Run) {
			r.Histogram = bench.Histogram{From: 1, Width: bench.Number(math.Inf(1)), Counts: []int{-4, 1 << 60}}
		},
		func(r *bench.Run) { r.Histogram.Width = 1e-320 },
		func(r *bench.Run) { r.Histogram.Counts = make([]int, 1_000_000) },
		func(r *bench.Run) { r.BlockMedians = []bench.Number{1e-300, 1e300} },
		func(r *bench.Run) { r.BlockMedians = []bench.Number{1, 1} },
		func(r *bench.Run) { n := int64(math.MaxInt64); r.PeakRSS, r.DeviceBytes = &n, &n },
		func(r *bench.Run) { r.Throughput = bench.Number(math.Inf(1)) },
	} {
		run := bench.Run{Name: "x", P50: 2, Min: 1, Max: 3, Mean: 2, Facts: bench.Facts{Model: "x"}, Histogram: bench.Histogram{From: 1, Width: 1, Counts: []int{1, 2}}}
		change(&run)
		r := &store.Result{Kind: store.KindBench, Models: []store.Model{{Path: "x"}}, Subjects: []store.Subject{{Name: "x"}}}
		document(t, r, bench.Report{Runs: []bench.Run{run}})
		if _, err := New([]*store.Result{r}); err != nil {
			t.Logf("refused: %v", err)
			continue
		}
		s := written(t, formatHTML, r)
		for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(s, -1) {
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || len(svg) > 200_000 {
				t.Errorf("%+v: %d bytes: %.300s", run, len(svg), svg)
			}
		}
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{"a.html": formatHTML, "b.HTM": formatHTML, "x/y.md": formatMarkdown, "c.csv": formatCSV, "d.pdf": "", "html": "", "-": ""} {
		got, err := FormatOf(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestTicks has labels that read well, few enough for their room.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		log       bool
		want      string
	}{
		{0, 4, false, "0 µs 1 ms 2 ms 3 ms 4 ms"}, {0.98, 1.02, false, "980 µs 1 ms 1.02 ms"}, {0.01, 100, true, "10 µs 100 µs 1 ms 10 ms 100 ms"}, {0.001, 5000, true, "10 µs 1 ms 100 ms"},
	} {
		ticks := linearTicks(c.low, c.high, brief(milliseconds))
		if c.log {
			ticks = logTicks(c.low, c.high, brief(milliseconds))
		}
		var got []string
		for _, tick := range ticks {
			if tick.label != "" {
				got = append(got, tick.label)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, s, c.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	r := &store.Result{Kind: store.KindBench, File: "x.json", Document: []byte(`{"runs":[]}`)}
	if _, err := New([]*store.Result{r}); err == nil || err.Error() != "x.json: contains no run" {
		t.Errorf("%v", err)
	}
}

// FuzzReport makes documents of whatever a file can say.
func FuzzReport(f *testing.F) {
	t := &testing.T{}
	for _, r := range append(others(t, "x"), measured(t, "a", "b")) {
		content, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
		f.Add([]byte(r.Document))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		r, err := store.Decode(content)
		if err != nil {
			return
		}
		report, err := New([]*store.Result{r})
		if err != nil {
			return
		}
		for _, format := range []Format{formatHTML, formatMarkdown, formatCSV} {
			var b strings.Builder
			if err := report.Write(&b, format); err != nil {
				t.Fatal(err)
			}
			if s := b.String(); strings.Contains(s, "<script") || format == formatHTML && strings.Contains(s, "NaN,") {
				t.Errorf("%s: %s", format, s)
			}
		}
	})
}

// TestToken: a profile of a language model shows where the time of a token goes, and a result with an
// impossible time is refused.
func TestToken(t *testing.T) {
	results := others(t, "decoder")
	at := slices.IndexFunc(results, func(r *store.Result) bool { return r.Kind == store.KindProfile })
	for f, want := range map[Format]string{
		formatHTML: "1 token after 77 positions", formatMarkdown: "### 1 token after 77 positions", formatCSV: "norms,time of this part of a run,4,µs",
	} {
		if got := written(t, f, results[at]); !strings.Contains(got, want) {
			t.Errorf("%s: %q is missing in\n%s", f, want, got)
		}
	}
	document(t, results[at], map[string]any{"token": map[string]any{"parts": []map[string]any{{"part": "x", "us": -1}}}})
	if _, err := New(results[at : at+1]); err == nil {
		t.Error("a negative time is accepted")
	}
}
