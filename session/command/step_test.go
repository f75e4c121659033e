//go:build linux

package command

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"lathe/session/command/commandtest"
)

// A model is not written to a terminal, which would read some bytes as control sequences.
func TestNoModelToTerminal(t *testing.T) {
	c := commandtest.Process(t, "simplify", filepath.Join("testdata", "digits.onnx"), "--no-check", "-o", "-")
	screen, err := pty.Start(c)
	if err != nil {
		t.Skip("no terminal here: ", err)
	}
	defer screen.Close()
	var out bytes.Buffer
	_, _ = out.ReadFrom(screen) // ends with an error when the program does
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(out.String(), "standard output is a terminal") {
		t.Errorf("exit code %d, expected %d: %.200q", code, exitUsage, out.String())
	}
}
