package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestSamples(t *testing.T) {
	for _, c := range []struct {
		in             samples
		median, spread string
	}{
		{nil, "–", ""},
		{samples{0.5}, "0.500", ""},
		{samples{3, 1, 2}, "2.000", "1.000 – 3.000"},
		{samples{0.04, 0.01, 0.02, 0.03}, "0.0250", "0.0100 – 0.0400"},
		{samples{12.34, 56.78}, "34.6", "12.3 – 56.8"},
	} {
		before := append(samples(nil), c.in...)
		if got := seconds(c.in.median()); got != c.median {
			t.Errorf("median of %v: %s, want %s", c.in, got, c.median)
		}
		if got := c.in.spread(); got != c.spread {
			t.Errorf("spread of %v: %s, want %s", c.in, got, c.spread)
		}
		for i := range before {
			if before[i] != c.in[i] {
				t.Fatalf("the order of %v changed", before)
			}
		}
	}
}

func TestBetween(t *testing.T) {
	page := "# Title\n" + begin + "\nold\n" + end + "\ntail\n"
	got, err := between(page, "new\n\n")
	if want := "# Title\n" + begin + "\n\nnew\n\n" + end + "\ntail\n"; err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	if again, err := between(got, "new"); err != nil || again != got {
		t.Errorf("a second time: %q, %v", again, err)
	}
	for _, page := range []string{"", begin + "\n", end + "\n" + begin + "\n"} {
		if _, err := between(page, "new"); err == nil {
			t.Errorf("%q: accepted", page)
		}
	}
}

// TestDocumentHasMarkers holds that a measurement of many minutes has a place to go to.
func TestDocumentHasMarkers(t *testing.T) {
	text, err := os.ReadFile("../../" + document)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := between(string(text), ""); err != nil {
		t.Errorf("%s: %v", document, err)
	}
}

func TestAimLine(t *testing.T) {
	least := aim{text: "a", unit: "×", bound: 12, atLeast: true}
	most := aim{text: "b", unit: "s", bound: 0.8}
	for _, c := range []struct {
		aim
		value float64
		want  string
	}{
		{least, 12, "| a | at least 12 × | 12 × | met |\n"},
		{least, 11.9, "| a | at least 12 × | 11.9 × | not met |\n"},
		{most, 0.8, "| b | at most 0.8 s | 0.8 s | met |\n"},
		{most, 0.81, "| b | at most 0.8 s | 0.81 s | not met |\n"},
		{most, math.NaN(), "| b | at most 0.8 s | – | not measured |\n"},
	} {
		if got := c.line(c.value); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// measured is one row with a fast Lathe and a tool that failed.
func measured() results {
	r := row{job: &job{name: "check", tools: []tool{{"check", ""}, {"other", ""}, {"third", ""}}}, model: model{name: "chain"}}
	return results{
		{row: r, samples: samples{0.5, 0.3, 0.4}, peak: 50e6, verdict: right},
		{row: r, tool: 1, floor: 5e6, peak: 4e6, verdict: "failed: a | b"},
		{row: r, tool: 2, samples: samples{8}, peak: 4e6, verdict: right},
	}
}

func TestTables(t *testing.T) {
	table := resultTable(measured())
	for _, want := range []string{
		"| check | chain | `lathe check` | 3 | 0.400 | 0.300 – 0.500 | 1 | 50 | right |\n",
		"| check | chain | other | 0 | – |  | – | < 5.0 | failed: a \\| b |\n",
		"| check | chain | third | 1 | 8.000 |  | 20 | 4.0 | right |\n",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the table has no line %q:\n%s", want, table)
		}
	}
	c := coldRow{row: row{job: &job{tools: []tool{{"prune", ""}}}, model: model{name: "large"}}, lathe: samples{2}, cat: samples{1}, dd: samples{1.9}, verdict: right}
	if got := coldTable([]coldRow{c}); !strings.Contains(got, "| `prune` of large | 1 | 1.000 | 1.900 | 2.000 |  | 95 % | right |\n") {
		t.Error(got)
	}
	got := aimTable(measured(), []coldRow{c})
	for _, want := range []string{"| `check` of 200,000 nodes | at most 0.8 s | 0.4 s | met |", "| at least 90 % | 95 % | met |", "not measured"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestAimsAreMeasured holds that each aim reads a row that there is.
func TestAimsAreMeasured(t *testing.T) {
	var all results
	for i := range jobs {
		for _, r := range jobs[i].rows() {
			for k := range r.tools {
				all = append(all, result{row: r, tool: k, samples: samples{1}})
			}
		}
	}
	for _, a := range aims {
		if math.IsNaN(a.value(all)) {
			t.Errorf("%s: no row has it", a.text)
		}
	}
}

var place = regexp.MustCompile(`\{[a-z]+\}`)

// TestLines holds that every place of every command line is filled, and that a cut has a value.
func TestLines(t *testing.T) {
	b := &bench{models: "m", work: "w", places: map[string]string{"lathe": "l", "python": "p", "bin": "b", "sources": "s", "peer": "p", "hello": "h"}}
	for _, list := range [][]job{jobs, coldJobs} {
		for i := range list {
			for _, r := range list[i].rows() {
				for k, tool := range r.tools {
					line := b.line(tool.line, b.given(r, k))
					if left := place.FindString(strings.Join(line, " ")); left != "" || len(line) == 0 {
						t.Errorf("%s: %s is left in %q", r.name(), left, line)
					}
					if strings.Contains(tool.line, "{cut}") && (r.cut == "" || r.inputs == "") {
						t.Errorf("%s: the model has no cut", r.name())
					}
				}
			}
		}
	}
}

func TestPlanned(t *testing.T) {
	r := row{job: &job{}}
	for _, c := range []struct {
		runs  int
		first outcome
		want  int
	}{
		{0, outcome{time: time.Millisecond}, 5},
		{0, outcome{time: 12 * time.Second}, 3},
		{0, outcome{time: 20 * time.Second}, 3},
		{0, outcome{time: 26 * time.Second}, 1},
		{0, outcome{time: time.Second, failed: "x"}, 1},
		{2, outcome{time: time.Second}, 2},
		{2, outcome{time: 26 * time.Second}, 1},
	} {
		b := &bench{options: options{runs: c.runs}}
		if got := b.planned(r, c.first); got != c.want {
			t.Errorf("-runs %d, first %+v: %d runs, want %d", c.runs, c.first, got, c.want)
		}
	}
}

func TestProcess(t *testing.T) {
	b := &bench{work: t.TempDir()}
	if o := b.process(t.Context(), []string{"sh", "-c", "echo a; echo b >&2"}, limit); o.failed != "" || o.output != "a\nb\n" || o.time <= 0 || o.peak <= 0 {
		t.Errorf("got %+v", o)
	}
	if o := b.process(t.Context(), []string{"sh", "-c", "echo reason; echo; exit 3"}, limit); o.failed != "exit status 3: reason" {
		t.Errorf("got %+v", o)
	}
	if o := b.process(t.Context(), []string{filepath.Join(b.work, "nothing")}, limit); o.failed == "" {
		t.Error("a program that is not there did not fail")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if o := b.process(ctx, []string{"sh", "-c", "sleep 60 & wait"}, limit); !strings.HasPrefix(o.failed, "stopped") || o.time > 30*time.Second {
		t.Errorf("got %+v", o)
	}
}

func TestCounted(t *testing.T) {
	r := row{model: model{nodes: 200_000}}
	for text, want := range map[string]bool{
		"200000\n":                         true,
		"name\n  nodes       200,000\n":    true,
		"  nodes       200,000, and 656\n": true,
		"2000000\n":                        false,
		"  values      200,000\n":          false,
		"":                                 false,
	} {
		got := counted{}.verdicts(t.Context(), nil, r, []outcome{{output: text}})
		if (got[0] == right) != want {
			t.Errorf("%q: %s", text, got[0])
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct{ kind, in, want string }{
		{"models", "ok 3.2e-02 268482286", "right, error 3.2e-02, 268 MB"},
		{"values", "ok 0.0e+00 100", "right, error 0.0e+00"},
		{"models", "wrong: the error is 2", "wrong: the error is 2"},
	} {
		if got := (computed{kind: c.kind}).verdict(c.in); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestWrapped(t *testing.T) {
	text := strings.Repeat("word ", 50)
	for line := range strings.Lines(wrapped(text)) {
		if len(strings.TrimSuffix(line, "\n")) > 100 {
			t.Errorf("%q is too long", line)
		}
	}
	if got := strings.Join(strings.Fields(wrapped(text)), " "); got != strings.TrimSpace(text) {
		t.Errorf("got %q", got)
	}
}
