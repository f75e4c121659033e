package cells

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lathe/session/text"
)

// TestWidthIsThatOfEveryCharacter compares the short way with the tables, character by
// character and beside what combines.
func TestWidthIsThatOfEveryCharacter(t *testing.T) {
	for r := rune(0); r < 0x30000; r++ {
		for _, s := range []string{string(r), "a" + string(r), string(r) + "\u0301", string(r) + "\ufe0f", string(r) + "│", "1" + string(r) + "\u20e3"} {
			if got, want := Width(s), ansi.StringWidth(s); got != want {
				t.Fatalf("%q (%U): %d cells, want %d", s, r, got, want)
			}
		}
	}
}

var pieces = []string{"a", "/Conv_1", " ", "│", "──╮", "●", "…", "→", "⣿", "\x1b[m", "\x1b[1;38;5;12m", "\x1b[4:3m", "\x1b[?25l", "\x1b[", "\x1b", "层", "e\u0301", "👍🏻", "\ufe0f", "\n", "\x00", "\xff", "ᅡ"}

// drawnLine is a line of pieces, of which the first n are simple.
func drawnLine(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(pieces[r.IntN(n)])
	}
	return b.String()
}

// TestSimpleLines compares all three with what they are the short way of.
func TestSimpleLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		s := drawnLine(r, []int{12, len(pieces)}[r.IntN(2)])
		w, tail := r.IntN(14)-1, []string{"", Ellipsis, "ab"}[r.IntN(3)]
		checkLine(t, s, w, tail)
	}
}

func checkLine(t *testing.T, s string, w int, tail string) {
	t.Helper()
	if got, want := Width(s), ansi.StringWidth(s); got != want {
		t.Fatalf("Width(%q) = %d, want %d", s, got, want)
	}
	if got, want := Truncate(s, w, tail), ansi.Truncate(s, w, tail); got != want {
		t.Fatalf("Truncate(%q, %d, %q) = %q, want %q", s, w, tail, got, want)
	}
	if got, want := TruncateLeft(s, w), ansi.TruncateLeft(s, w, ""); got != want {
		t.Fatalf("TruncateLeft(%q, %d) = %q, want %q", s, w, got, want)
	}
}

func FuzzWidth(f *testing.F) {
	f.Add("/model/层/Conv\x1b[1mx", 7)
	f.Add("\x1b[31mred│\x1b[m", 2)
	f.Fuzz(func(t *testing.T, s string, w int) {
		if w < -1 || w > 200 {
			return
		}
		checkLine(t, s, w, Ellipsis)
		checkLine(t, text.Clean(s), w, "")
	})
}

func BenchmarkWidth(b *testing.B) {
	line := strings.Repeat("\x1b[1m● Conv\x1b[m  /model/layers.2/conv  │", 5)
	for b.Loop() {
		Width(line)
	}
}
