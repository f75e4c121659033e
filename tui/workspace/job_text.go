package workspace

import (
	"fmt"
	"strings"
	"time"

	"lathe/session"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
)

// Short describes a running job in the status line.
func (j *Job) Short() string {
	s := j.Name
	if j.Asked {
		return s + " ends…"
	}
	if share, ok := shareOf(j.Progress); ok {
		s += fmt.Sprintf(" %.0f %%", 100*share)
	}
	s += " · " + text.Elapsed(j.Elapsed)
	if j.Progress.Phase != "" {
		s += " · " + cells.Prose(j.Progress.Phase)
	}
	return s
}

// Status describes a running job on several lines: the phase, a bar, how much is done, the speed,
// and the remaining time.
func (j *Job) Status(w int) []string {
	phase := cells.Prose(j.Progress.Phase)
	if phase == "" {
		phase = "starting"
	}
	if j.Asked {
		phase = "ending"
	}
	lines := []string{phase, ""}
	share, known := shareOf(j.Progress)
	if known {
		lines = append(lines, bar(share, min(w, 50))+fmt.Sprintf(" %3.0f %%", 100*share))
	}
	if amount := amountOf(j.Progress, j.Elapsed-j.PhaseAt); amount != "" {
		lines = append(lines, amount)
	}
	times := text.Elapsed(j.Elapsed) + " elapsed"
	if spent := j.Elapsed - j.PhaseAt; known && share > 0 && share < 1 && spent > time.Second {
		times += ", " + text.Elapsed(time.Duration(float64(spent)*(1-share)/share)) + " left in this phase"
	}
	return append(lines, times)
}

// shareOf returns how much of a phase is done, between 0 and 1. It returns false if the total is
// not known.
func shareOf(p session.Progress) (share float64, known bool) {
	if p.Total <= 0 {
		return 0, false
	}
	return min(max(float64(p.Done)/float64(p.Total), 0), 1), true
}

// SaidOf returns the phase of work and how much of it is done, or "" if nothing was reported.
func SaidOf(p session.Progress) string {
	return strings.Join(graph.Present([]string{cells.Prose(p.Phase), amountOf(p, 0)}), " · ")
}

// amountOf says how much is done, and how fast.
func amountOf(p session.Progress, spent time.Duration) string {
	if p.Done == 0 && p.Total == 0 || p.Unit == "ms" {
		return ""
	}
	write, unit := text.Count, " "+cells.Prose(p.Unit)
	if p.Unit == "B" {
		write, unit = text.Bytes, ""
	}
	s := write(p.Done)
	if p.Total > 0 {
		s += " of " + write(p.Total)
	}
	if p.Unit == "B" && spent > 0 {
		s += ", " + text.Bytes(int64(float64(p.Done)/spent.Seconds())) + "/s"
	}
	return strings.TrimSpace(s + unit)
}

// bar draws a share between 0 and 1.
func bar(share float64, w int) string {
	full := int(share*float64(w) + 0.5)
	return strings.Repeat("━", full) + strings.Repeat("─", w-full)
}
