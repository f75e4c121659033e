package tui

import "testing"

func TestGist(t *testing.T) {
	lines := []string{"keeps 3", "inputs", "  x f32", "loses mask", "", "warning: w"}
	if got, want := gist(lines), "keeps 3; loses mask; warning: w"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
