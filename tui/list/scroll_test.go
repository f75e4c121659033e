package list

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// What goes on of a line stands under its last column.
func TestFoldHangs(t *testing.T) {
	for _, c := range []struct {
		name, line string
		w          int
		want       []string
	}{
		{"fits", "  a  1  short", 20, []string{"  a  1  short"}},
		{"prose", "one two three four", 9, []string{"one two", "three", "four"}},
		{"indented", "  one two three", 9, []string{"  one two", "  three"}},
		{"table", "  gelu  4  one two three", 20, []string{"  gelu  4  one two", "           three"}},
		{"column too far right", "  name                wide words", 20, []string{"  name", "  wide words"}},
		{"wide characters", "  漢字  one two three", 16, []string{"  漢字  one two", "        three"}},
		{"narrower than a word", "  abcdef", 4, []string{"  ab", "  cd", "  ef"}},
	} {
		var f Folded
		f.Fold([]string{c.line}, c.w)
		if diff := cmp.Diff(c.want, f.Lines); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	long := strings.Repeat("漢 word  ", 9)
	for w := range 40 {
		var f Folded
		f.Fold([]string{"   " + long, "   ", long}, w)
		for _, line := range f.Lines {
			if got := ansi.StringWidth(line); got > max(w, 3) && w > 5 {
				t.Errorf("width %d: %q is %d wide", w, line, got)
			}
		}
	}
}
