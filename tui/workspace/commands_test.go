package workspace

import (
	"testing"
)

func TestGist(t *testing.T) {
	lines := []string{"keeps 3", "inputs", "  x f32", "loses mask", "", "warning: w"}
	if got, want := Gist(lines), "keeps 3; loses mask; warning: w"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
