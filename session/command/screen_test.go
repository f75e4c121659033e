package command

import (
	"strings"
	"testing"
)

// TestScreen checks how lines are written to a terminal. \e is the escape character.
func TestScreen(t *testing.T) {
	for _, c := range []struct {
		name, text string
		columns    int
		want       string
	}{
		{"a label", "error: node \"pass:\" fails\n", 0, "\\e[31merror\\e[39m: node \"pass:\" fails\n"},
		{"pass", "pass: 3 cases\n", 0, "\\e[32mpass\\e[39m: 3 cases\n"},
		{"no label", "errors: 3\nfailures\n", 0, "errors: 3\nfailures\n"},
		{"a verdict in a table", "logits  0.12  ok\nscores  9.1  FAIL\n", 0, "logits  0.12  \\e[32mok\\e[39m\nscores  9.1  \\e[31mFAIL\\e[39m\n"},
		{"a name in a table", "ok  0.12  same\n", 0, "ok  0.12  same\n"},
		{"a ratio", "b takes 2.50 times as long as a (ratio 2.5); noisy: busy\n", 0, "b \\e[33mtakes 2.50 times as long as\\e[39m a (ratio 2.5); \\e[33mnoisy\\e[39m: busy\n"},
		{"a better ratio", "b takes 3.0 % less time than a (ratio 0.97)\n", 0, "b \\e[32mtakes 3.0 % less time than\\e[39m a (ratio 0.97)\n"},
		{"what is new", "nodes added\n  #5 Relu\nconstants removed\n", 0, "\\e[32mnodes added\\e[39m\n  #5 Relu\n\\e[31mconstants removed\\e[39m\n"},
		{"plus and minus", "  + a\n  - b\n", 0, "\\e[32m  + a\\e[39m\n\\e[31m  - b\\e[39m\n"},
		{"a long line", "warning: one two three four\n", 20, "\\e[33mwarning\\e[39m: one two\n  three four\n"},
		{"a long row", "a name  of a row  that is long\n", 20, "a name  of a row  that is long\n"},
		{"no end", "ok: done", 0, "\\e[32mok\\e[39m: done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			s := &screen{w: &out, columns: c.columns, colored: true}
			for _, b := range []byte(c.text) { // in the smallest pieces
				if _, err := s.Write([]byte{b}); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Flush(); err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(out.String(), "\x1b", `\e`); got != c.want {
				t.Errorf("%q, expected %q", got, c.want)
			}
		})
	}
}

// TestColor checks that only terminals get colours unless a flag or NO_COLOR says otherwise.
func TestColor(t *testing.T) {
	for _, c := range []struct {
		color, noColor string
		want           bool
	}{{colorAuto, "", false}, {colorAlways, "", true}, {colorAlways, "1", true}, {colorNever, "", false}} {
		t.Setenv("NO_COLOR", c.noColor)
		if got := (&app{color: c.color}).hasColor(&strings.Builder{}); got != c.want {
			t.Errorf("--color %s in a pipe with NO_COLOR=%q: %v", c.color, c.noColor, got)
		}
	}
}
