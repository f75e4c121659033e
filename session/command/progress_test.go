package command

import (
	"strings"
	"testing"
	"time"

	"lathe/session"
)

// The progress line shows progress whether or not the total is known.
func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		is   session.Progress
		want string
	}{
		{session.Progress{Phase: "proving"}, "  proving"},
		{session.Progress{Phase: "proving", Done: 1, Unit: "runs"}, "  proving  1 run"},
		{session.Progress{Phase: "proving", Done: 1200, Unit: "runs"}, "  proving  1,200 runs"},
		{session.Progress{Phase: "reading", Done: 2048, Unit: "B"}, "  reading  2.0 KiB"},
		{session.Progress{Phase: "timing", Done: 5, Unit: "ms"}, "  timing"},
		{session.Progress{Phase: "writing", Done: 1, Total: 4, Unit: "B"}, "  writing  25 %"},
	} {
		p := &progressLine{start: time.Now(), from: time.Now()}
		p.update(c.is)
		if got := p.line(); !strings.HasSuffix(got, c.want) {
			t.Errorf("%+v: %q, want it to end in %q", c.is, got, c.want)
		}
	}
}
