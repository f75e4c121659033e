package store

import (
	"strings"
	"testing"

	"lathe/bench"
)

// TestAccuracy: a document of lathe accuracy is read, and its history entry is about the last model.
func TestAccuracy(t *testing.T) {
	share := `{"right":9,"of":10,"share":0.9,"low":0.6,"high":0.98}`
	for content, want := range map[string]string{
		`{"schema":"lathe.accuracy/1","models":[{"model":"a"},{"model":"b","top1":` + share + `}]}`:                        "",
		`{"schema":"lathe.accuracy/1","models":[]}`:                                                                        "contains no model",
		`{"schema":"lathe.accuracy/1","models":[{"model":"b","top1":{"of":1,"share":2,"low":0,"high":1}}]}`:                `model "b": a share of 2`,
		`{"schema":"lathe.accuracy/1","models":[{"model":"b","text":{"next":{"of":1,"share":0.5,"low":"NaN","high":1}}}]}`: `model "b": a share of 0.5`,
		`{"schema":"lathe.accuracy/1","models":3}`:                                                                         `key "models" has a value of the wrong type`,
	} {
		r, err := Decode([]byte(content))
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, expected %q", content, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		entries, err := entriesOf(r)
		if err != nil || len(entries) != 1 {
			t.Fatalf("%v, %v", entries, err)
		}
		e := entries[0]
		if e.Model != "b" || *e.Top1 != 0.9 || e.Top1CI95[1] != 0.98 || e.accuracyText() != "90.00 %" || len(r.Models) != 2 {
			t.Errorf("got %+v", e)
		}
	}
}

// TestAccuracyColumn: the column is shown only if a result has an accuracy.
func TestAccuracyColumn(t *testing.T) {
	h := &History{Results: []Entry{{Model: "m"}}}
	h.wanted = h.Results
	if table := h.table(); len(table.Titles) != 10 || len(table.Rows[0]) != 10 {
		t.Errorf("without: %q", table.Titles)
	}
	perplexity := bench.Number(2.5)
	h.Results[0].Perplexity = &perplexity
	if table := h.table(); table.Titles[accuracyColumn] != ">accuracy" || table.Rows[0][accuracyColumn] != "perplexity 2.5000" {
		t.Errorf("with: %q, %q", table.Titles, table.Rows)
	}
}
