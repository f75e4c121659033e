package shell

import (
	"context"
	"strings"
	"testing"
	"time"

	"lathe/graphops/permit"
)

// TestRun: a command gets its arguments as words, and its error has what it said last.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		line, out, err string
		args           []string
	}{
		{"printf '[%s]'", "[a b][$(c)][\"]['][*]", "", []string{"a b", "$(c)", `"`, "'", "*"}},
		{"echo one", "one\n", "", nil},
		{"echo x; echo first >&2; echo ' last\x1b[1m' >&2; exit 7", "x\n", `exit status 7:  last\x1b[1m`, nil},
		{"exit 1", "", "exit status 1", nil},
	} {
		cmd, err := New(t.Context(), c.line, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := cmd.Start(&out); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		if out.String() != c.out || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %q, %v", c.line, out.String(), err)
		}
	}
}

// TestEnds: the end of the context ends what the command started, too.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	cmd, err := New(ctx, "sleep 60 & sleep 60")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Start(&strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || time.Since(start) > drainTime {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}

// TestAsks: a recipe may not run a command without consent.
func TestAsks(t *testing.T) {
	if _, err := New(permit.Within(t.Context(), permit.Limits{}), "true"); err == nil || !strings.Contains(err.Error(), "run a shell command") {
		t.Errorf("got %v", err)
	}
}
