package wire

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestGreeting(t *testing.T) {
	longest := strings.Repeat("x", MaxChatter+1-len(Greeting))
	for _, chatter := range []string{"", "Last login: today\r\n", "lathe worker\n", "\x00lathe \x00", longest} {
		in := bufio.NewReader(strings.NewReader(chatter + Greeting + "rest"))
		got, err := SkipToGreeting(in)
		if err != nil || string(got) != chatter {
			t.Errorf("chatter %.20q: got %.20q, %v", chatter, got, err)
		}
		if rest, _ := io.ReadAll(in); string(rest) != "rest" {
			t.Errorf("chatter %.20q: %.20q is left", chatter, rest)
		}
	}
}

func TestNoGreeting(t *testing.T) {
	tests := map[string]bool{ // input → ends at the end of the input
		"":                 true,
		"hello\n":          true,
		"x" + Greeting[1:]: true,
		strings.Repeat("x", MaxChatter+1) + Greeting:     false,
		strings.Repeat("endless", MaxChatter) + Greeting: false,
	}
	for input, atEnd := range tests {
		chatter, err := SkipToGreeting(bufio.NewReader(strings.NewReader(input)))
		if !errors.Is(err, ErrNoGreeting) || errors.Is(err, io.EOF) != atEnd {
			t.Errorf("%.20q: got %v", input, err)
		}
		if len(chatter) > MaxChatter+1 || !strings.HasPrefix(input, string(chatter)) {
			t.Errorf("%.20q: %d bytes of chatter", input, len(chatter))
		}
	}
}

// A greeting that did not stay as it was sent is noticed at once: nothing would follow
// that could be waited for.
func TestSpoiledGreeting(t *testing.T) {
	rewritten := strings.ReplaceAll(Greeting, "\n", "\r\n")
	for input, want := range map[string]error{
		rewritten:                           ErrRewritten,
		"Welcome\r\n" + rewritten:           ErrRewritten,
		strings.TrimLeft(rewritten, "\x00"): ErrRewritten,
		"^@" + rewritten[1:]:                ErrRewritten,
		"0: \x00lathe worker\n0: \r\n":      ErrLabelled,
		"srun: job 7\n0: " + greetingLine + "0: \r\n1: " + greetingLine: ErrLabelled,
		Greeting[1:]:                         ErrDropped,
		"Welcome\n" + Greeting[1:]:           ErrDropped,
		greetingLine + greetingLine + "\r\n": ErrSeveral, // two workers, line by line
		"x" + greetingLine + Greeting:        ErrSeveral,
	} {
		if _, err := SkipToGreeting(bufio.NewReader(strings.NewReader(input + "frames"))); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", input, err, want)
		}
	}
}
