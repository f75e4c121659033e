package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"lathe/graphops/permit"
	"lathe/session/text"
)

// drainTime is how long the output is still read after the command has ended. Processes that the
// command started may still hold the output open.
const drainTime = 2 * time.Second

// Command is a command that can be started once.
type Command struct {
	cmd  *exec.Cmd
	said lastLine
}

// New returns a command for a line. args are appended to the line as words, whatever characters they
// have. If the context ends, the command and everything that it started are killed. The error is that of
// a recipe that may not run a shell.
func New(ctx context.Context, line string, args ...string) (*Command, error) {
	if err := permit.To(ctx, permit.Shell); err != nil {
		return nil, err
	}
	if len(args) > 0 {
		line += ` "$@"`
	}
	c := &Command{cmd: exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", line, "sh"}, args...)...)}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Cancel = func() error { return syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }
	c.cmd.WaitDelay = drainTime
	c.cmd.Stderr = &c.said
	return c, nil
}

// Start starts the command. It prints to out.
func (c *Command) Start(out io.Writer) error {
	c.cmd.Stdout = out
	return c.cmd.Start()
}

// Wait waits for the end of the command. The error says how it ended, with the last line of its standard
// error.
func (c *Command) Wait() error {
	err := c.cmd.Wait()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return fmt.Errorf("%w%s", err, &c.said)
}

// Kill ends the command and everything that it started.
func (c *Command) Kill() { _ = c.cmd.Cancel() } // it may have ended already

// lastLine is a writer that keeps only the end of what is written to it.
type lastLine struct{ text []byte }

const keptText = 4 << 10

// Write implements io.Writer.
func (l *lastLine) Write(p []byte) (int, error) {
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-keptText):]
	return len(p), nil
}

// String returns the last line after a colon, or "" if nothing was written.
func (l *lastLine) String() string {
	lines := strings.FieldsFunc(string(l.text), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return ""
	}
	return ": " + text.CleanLine(lines[len(lines)-1])
}
