package cells

import "testing"

func TestCentred(t *testing.T) {
	outer := Rect{2, 1, 20, 10}
	if got, want := outer.Centred(10, 4), (Rect{7, 4, 10, 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := outer.Centred(100, 100); got != outer {
		t.Errorf("a larger box became %+v, want %+v", got, outer)
	}
}

func TestASCII(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"├─● Conv …/a":         "+-* Conv ~/a",
		"层 é":                  "?? ?",
		"\x1b[1m◆\x1b[m 3×224": "\x1b[1m#\x1b[m 3x224",
	} {
		if got := ASCII(in); got != want {
			t.Errorf("ASCII(%q) = %q, want %q", in, got, want)
		}
	}
}
