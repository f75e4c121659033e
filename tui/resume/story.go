package resume

import (
	"fmt"
	"strings"

	"lathe/session/text"
	"lathe/session/trust"
	"lathe/tui/cells"
	"lathe/tui/workspace"
)

// story describes the work that the interrupted session has left.
func (d *ResumeDialog) story() []string {
	l := d.left()
	where := ""
	if l.Host != "" {
		where = " on " + cells.Label(l.Host)
	}
	out := []string{fmt.Sprintf("A session with this model ended without being closed, %s%s.", text.Ago(d.WS.Options.Now().Sub(l.Written)), where)}
	if n := len(l.History); n > 0 {
		out = append(out, text.Plural(n, "step")+" of it can be run again:")
	}
	for i, p := range l.History {
		out = append(out, fmt.Sprintf("  %d %s", i+1, workspace.CallText(p.Call)))
	}
	if len(d.acts) > 0 {
		out = append(out, "These steps would "+trust.Summary(d.acts)+":")
		for _, act := range d.acts {
			out = append(out, "  "+cells.Prose(act.String()))
		}
	}
	if l.Job != "" {
		out = append(out, "This was running and has left no result:", "  "+cells.Prose(l.Job))
	}
	for _, f := range l.Changed {
		out = append(out, cells.Label(f)+" has changed since then: the steps may give another result or fail.")
	}
	if n := len(Keepers.In(d.WS).Left); n > 1 {
		out = append(out, text.Plural(n-1, "earlier session")+" left unfinished work as well.")
	}
	return out
}

// words returns the story in lines of w cells.
func (d *ResumeDialog) words(w int) []string {
	var out []string
	for _, line := range d.story() {
		if strings.HasPrefix(line, " ") {
			out = append(out, cells.Cut(line, w))
			continue
		}
		out = append(out, cells.WrapWords(line, w)...)
	}
	return out
}

// shortened leaves out lines in the middle if there are more than n.
func shortened(lines []string, n int) []string {
	if len(lines) <= n || n < 3 {
		return lines
	}
	head := (n - 1) / 2
	tail := n - 1 - head
	out := append([]string{}, lines[:head]...)
	out = append(out, fmt.Sprintf("  … %d lines …", len(lines)-head-tail))
	return append(out, lines[len(lines)-tail:]...)
}
