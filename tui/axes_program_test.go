//go:build linux

package tui

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/steps/cut"
)

// TestAxesInATerminal frees an axis in a terminal: look, go to the pin, repair, undo, leave.
func TestAxesInATerminal(t *testing.T) {
	t.Parallel()
	o := testOptions(graphtest.Model(t, pinned))
	o.Env.Runtime = missingRuntime{}
	o.Steps = func() []session.Step { return []session.Step{&cut.Axes{}} }
	x := openTerminal(t, t.Context(), o, 120, 40)
	x.await("model.onnx")
	x.send("jd")
	x.await("axis 0 of 3")
	x.send("d\r")
	x.await("needs batch where element 0")
	x.send("o")
	x.await("fixed sizes: row 1 of 1")
	x.send("6d\r")
	x.await("1 fixed size is repaired")
	x.send("\r")
	x.await("axes: not ok; not proved")
	x.send("u")
	x.await("took back axes")
	x.send("qy")
	x.await("\x1b[?1049l")
	if err := x.finish(); err != nil {
		t.Error(err)
	}
}
