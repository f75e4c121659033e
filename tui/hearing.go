package tui

import (
	"strings"
	"sync/atomic"

	"lathe/session"
	"lathe/tui/cells"
)

// hearing is how far something is that runs beside the screen. What it tells is looked
// at from time to time, so that the screen is drawn no more often.
type hearing struct {
	heard    atomic.Pointer[session.Progress]
	progress session.Progress // as it was last looked at
}

// env is the environment of what is to be heard.
func (h *hearing) env(ws *workspace) session.Env {
	env := ws.o.Env
	env.Progress = func(p session.Progress) { h.heard.Store(&p) }
	return env
}

// listen looks how far it is.
func (h *hearing) listen() {
	if p := h.heard.Load(); p != nil {
		h.progress = *p
	}
}

// said is the phase and how much of it is done, "" before anything was told.
func (h *hearing) said() string {
	return strings.Join(present([]string{cells.Prose(h.progress.Phase), amountOf(h.progress, 0)}), " · ")
}
