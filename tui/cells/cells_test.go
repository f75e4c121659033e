package cells

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lathe/session/text"
)

func TestFit(t *testing.T) {
	for _, c := range []struct {
		in               string
		w                int
		end, front, want string
	}{
		{"/a/b/Conv", 20, "/a/b/Conv", "/a/b/Conv", "/a/b/Conv           "},
		{"/a/b/Conv", 9, "/a/b/Conv", "/a/b/Conv", "/a/b/Conv"},
		{"/a/b/Conv", 5, "/a/b…", "…Conv", "/a/b…"},
		{"/a/b/Conv", 1, "…", "…", "…"},
		{"/a/b/Conv", 0, "", "", ""},
		{"/a/b/Conv", -3, "", "", ""},
		{"层层层", 4, "层…", "…层", "层… "},
		{"", 3, "", "", "   "},
	} {
		if got := Cut(c.in, c.w); got != c.end {
			t.Errorf("cut(%q, %d) = %q, want %q", c.in, c.w, got, c.end)
		}
		if got := CutFront(c.in, c.w); got != c.front {
			t.Errorf("cutFront(%q, %d) = %q, want %q", c.in, c.w, got, c.front)
		}
		if got := Fit(c.in, c.w); got != c.want {
			t.Errorf("fit(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add("/model/层/Conv", 7)
	f.Add("\x1b[31mred\x1b[m", 2)
	f.Add("e\u0301\u0302\u0303", 1)
	f.Fuzz(func(t *testing.T, s string, w int) {
		if w < 0 || w > 200 {
			return
		}
		s = text.Clean(s)
		if got := ansi.StringWidth(Fit(s, w)); got != w {
			t.Errorf("fit(%q, %d) is %d wide", s, w, got)
		}
		if got := ansi.StringWidth(CutFront(s, w)); got > w {
			t.Errorf("cutFront(%q, %d) is %d wide", s, w, got)
		}
	})
}

func TestOverlay(t *testing.T) {
	under := func() []string { return []string{"abcdefgh", "ijklmnop", "qrstuvwx"} }
	for _, c := range []struct {
		r    Rect
		over []string
		want string
	}{
		{Rect{2, 1, 3, 1}, []string{"XYZ"}, "abcdefgh ijXYZnop qrstuvwx"},
		{Rect{0, 0, 8, 1}, []string{"XXXXXXXX"}, "XXXXXXXX ijklmnop qrstuvwx"},
		{Rect{6, 2, 2, 2}, []string{"XX", "YY"}, "abcdefgh ijklmnop qrstuvXX"},
	} {
		lines := under()
		Overlay(lines, c.r, c.over)
		if got := strings.Join(lines, " "); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.r, got, c.want)
		}
	}
}

// TestOverlayCutsWideCharacters covers half of a wide character: the line stays
// as wide as it was.
func TestOverlayCutsWideCharacters(t *testing.T) {
	lines := []string{"层层层层"}
	Overlay(lines, Rect{1, 0, 2, 1}, []string{"XX"})
	if got := ansi.StringWidth(lines[0]); got != 8 {
		t.Errorf("%q is %d wide, want 8", lines[0], got)
	}
}

func TestSafeLines(t *testing.T) {
	got := strings.Join(SafeLines("one\x1b[2J\n\ttwo\rthree\n\n"), "|")
	if want := `one\x1b[2J|\x09two\x0dthree`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrapWords(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"one two three", 20, "one two three"},
		{"one two three", 8, "one two|three"},
		{"one two three", 7, "one two|three"},
		{"lathe export m.onnx --out=far.onnx", 22, "lathe export m.onnx|--out=far.onnx"},
		{"abcdefgh ij", 4, "abcd|efgh|ij"},
		{"  indented words here", 10, "  indented|words here"},
		{"层层层 层", 4, "层层|层|层"},
		{"层", 1, "层"},
		{"", 5, ""},
		{"end   ", 3, "end|"},
	} {
		if got := strings.Join(WrapWords(c.in, c.w), "|"); got != c.want {
			t.Errorf("WrapWords(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

// TestDropOfMarks leaves nothing behind the end of a line, whatever the library makes of
// marks that follow a letter.
func TestDropOfMarks(t *testing.T) {
	for _, s := range []string{"m\u0903\u0903\u0903 and more", "plain", ""} {
		if rest := Drop(s, Width(s)); rest != "" {
			t.Errorf("%q leaves %q", s, rest)
		}
	}
}
