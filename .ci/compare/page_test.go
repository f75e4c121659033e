package main

import (
	"os"
	"strings"
	"testing"
)

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
	c := coldRow{row: row{job: &job{tools: []tool{{"prune", ""}}}, model: model{name: "large"}}, lathe: samples{2}, cat: samples{1}, dd: samples{1.9}, both: samples{1.95}, verdict: right}
	if got := coldTable([]coldRow{c}); !strings.Contains(got, "| `prune` of large | 1 | 1.000 | 1.900 | 1.950 | 2.000 |  | 95 % | right |\n") {
		t.Error(got)
	}
	got := aimTable(measured(), []coldRow{c})
	for _, want := range []string{"| `check` of 200,000 nodes | at most 0.8 s | 0.4 s | met |", "| at least 90 % | 95 % | met |", "not measured"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
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
