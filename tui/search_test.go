package tui

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
)

func TestMatch(t *testing.T) {
	o := newOutline(graphtest.Model(t, branchy))
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"relu", []string{"left"}},
		{"Relu", []string{"left"}},
		{"RELU", nil},
		{"w", []string{"fc"}},
		{"matmul fc", []string{"fc"}},
		{"fc matmul", []string{"fc"}},
		{"relu matmul", nil},
		{"output y", []string{"y"}},
		{"mask", []string{"mask", "masked"}},
		{"split q", []string{"halves"}},
		{"   ", nil},
		{"no such thing", nil},
	} {
		var got []string
		for _, row := range o.match(t.Context(), c.query) {
			got = append(got, o.name(int(row)))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.query, diff)
		}
	}
}

func TestMatchStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := newOutline(graphtest.Model(t, branchy)).match(ctx, "relu"); got != nil {
		t.Errorf("a cancelled search found %v", got)
	}
}

func FuzzContains(f *testing.F) {
	f.Add("/model/Layer.1/Conv", "layer")
	f.Add("", "")
	f.Add("a", "aa")
	f.Fuzz(func(t *testing.T, s, word string) {
		if !utf8.ValidString(s) || !utf8.ValidString(word) {
			return
		}
		ascii := func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}
		word = strings.Map(ascii, word)
		if got, want := contains(s, word, true), strings.Contains(strings.Map(ascii, s), word); got != want {
			t.Errorf("contains(%q, %q) = %v, want %v", s, word, got, want)
		}
	})
}

func TestSearch(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("/").write("c")
	d.sees("/c", "match 1 of 4")
	if got := d.selected(); got != "fc" {
		t.Errorf("typing went to %q, want fc, the first row with a c", got)
	}
	d.press("enter", "n")
	if got := d.selected(); got != "join" {
		t.Errorf("the next match is %q, want join", got)
	}
	d.press("N", "N")
	if got := d.selected(); got != "halves" {
		t.Errorf("the match before the first is %q, want halves, the last", got)
	}
	d.press("esc", "n")
	d.sees("nothing is searched for")
}

func TestSearchIsCancelled(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("j", "j", "/").write("halves")
	if got := d.selected(); got != "halves" {
		t.Fatalf("typing went to %q", got)
	}
	d.press("esc")
	if got := d.selected(); got != "fc" {
		t.Errorf("Esc went to %q, want fc, where the search began", got)
	}
	d.press("/").write("zzz")
	d.sees("no match")
}

// TestSearchDropsStaleAnswers answers the first of two searches last.
func TestSearchDropsStaleAnswers(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("/")
	d.hold = true
	d.press("x", "backspace", "q")
	first, last := d.waiting[0], d.waiting[len(d.waiting)-1]
	d.send(last())
	d.send(first())
	if diff := cmp.Diff("q", d.app.ws.search.query); diff != "" {
		t.Error(diff)
	}
	for _, row := range d.app.ws.search.rows {
		if !d.app.ws.outline.holds(int(row), "q", true) {
			t.Errorf("row %d is of the search for x", row)
		}
	}
}
