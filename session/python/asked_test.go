package python

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// A script answers one question after the other, and goes on after one that it could not.
func TestAsk(t *testing.T) {
	python := interpreter(t)
	source := "def f(q):\n  if q == 0: os.kill(os.getpid(), 9)\n  return ask['n'] // (q - 1)\nanswer_each(f)"
	a, err := python.Start(t.Context(), Script{Source: source, Needed: "the test", Ask: map[string]int{"n": 6}, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, c := range []struct {
		question, want int
		err            string
	}{{2, 6, ""}, {1, 0, "the test: ZeroDivisionError: "}, {3, 3, ""}, {0, 0, "signal: killed"}, {2, 0, errEnded.Error()}} {
		var got int
		err := a.Ask(t.Context(), c.question, &got)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%d: got %d, %v; want %d, %q", c.question, got, err, c.want, c.err)
		}
	}
	if !a.Ended() {
		t.Error("it is killed and counts as running")
	}
}

// The end of a question's context ends the script.
func TestAskEnds(t *testing.T) {
	python := interpreter(t)
	a, err := python.Start(t.Context(), Script{Source: "import time\nanswer_each(lambda q: time.sleep(60))", Needed: "the test", TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	reason := errors.New("too long")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, reason)
	defer cancel()
	start := time.Now()
	if err := a.Ask(ctx, 1, nil); !errors.Is(err, reason) || !a.Ended() || time.Since(start) > 30*time.Second {
		t.Errorf("got %v after %s", err, time.Since(start))
	}
}
