package tui

import (
	"strings"
	"sync/atomic"

	"lathe/session"
	"lathe/tui/cells"
)

// hearing receives the progress of background work. The screen copies it from time to time, because
// progress may change much more often than the screen should be drawn.
type hearing struct {
	heard    atomic.Pointer[session.Progress]
	progress session.Progress // the last copy
}

// env returns an environment for a step that stores the step's progress in h.
func (h *hearing) env(ws *workspace) session.Env {
	env := ws.o.Env
	env.Progress = func(p session.Progress) { h.heard.Store(&p) }
	return env
}

// listen copies the latest progress for drawing.
func (h *hearing) listen() {
	if p := h.heard.Load(); p != nil {
		h.progress = *p
	}
}

// said returns the phase and how much of it is done, or "" if nothing was reported.
func (h *hearing) said() string {
	return strings.Join(present([]string{cells.Prose(h.progress.Phase), amountOf(h.progress, 0)}), " · ")
}
