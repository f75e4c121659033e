package cells

import (
	"strings"
	"testing"
	"time"
)

// TestWrapWordsOfALongText: each line looks at its own words only, not at all that follow.
func TestWrapWordsOfALongText(t *testing.T) {
	const words = 40_000
	start := time.Now()
	lines := WrapWords(strings.TrimSpace(strings.Repeat("1×23 ", words)), 40)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if len(lines) != words/8 || lines[0] != lines[len(lines)-1] || Width(lines[0]) != 39 {
		t.Errorf("%d lines, the first is %q", len(lines), lines[0])
	}
}

// TestWrapWordsAtAnyLength: a text is wrapped alike whether it is looked at whole or in parts.
func TestWrapWordsAtAnyLength(t *testing.T) {
	for _, word := range []string{"word", "日本語", "e\u0301e\u0301", "👩‍👩‍👧", "×→…"} {
		text := strings.TrimSpace(strings.Repeat(word+" ", 200))
		for _, w := range []int{1, 2, 3, 7, 40} {
			got := WrapWords(text, w)
			for i, line := range got[:len(got)-1] {
				if Width(line) > w {
					t.Errorf("%q at %d: line %d is %q", word, w, i, line)
				}
			}
			if w > 3 && strings.ReplaceAll(strings.Join(got, ""), " ", "") != strings.ReplaceAll(text, " ", "") {
				t.Errorf("%q at %d: text is lost: %q", word, w, got)
			}
		}
	}
}
