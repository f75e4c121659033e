package inputs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor/npz"
	"lathe/session/text"
)

// Command is a line for the shell that prints values for a model on its standard output:
// one .npz archive, or .npy files that follow each other, a value for every input in their
// order, then again for the next case.
type Command struct {
	Line  string
	Types []graphops.NamedType // of the inputs
	// Progress hears how many bytes came, and how many cases they are as far as that is
	// known; it may be nil.
	Progress func(bytes, cases int64)
}

// drainTime is how long a command that was ended, or ended and left something running, may
// hold its output.
const drainTime = 2 * time.Second

// Run runs the command and keeps what it prints in a folder, for ReadCases and OpenStream
// to read at the path that is returned. The command and what it started are killed with
// the context. Errors tell how it ended and what it said last.
func (c Command) Run(ctx context.Context, folder string) (path string, err error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", c.Line)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = drainTime
	said := &lastLine{}
	cmd.Stderr = said
	out, in := io.Pipe()
	cmd.Stdout = in
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		_ = in.Close() // what reads sees the end
		ended <- err
	}()
	path, bad := c.keep(ctx, &counted{r: out, c: c}, folder)
	if bad != nil { // nothing more is wanted of it
		_ = out.CloseWithError(bad)
		_ = cmd.Cancel()
	}
	err = <-ended
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case bad != nil && (err == nil || !errors.Is(bad, errNothing) && !errors.Is(bad, io.ErrUnexpectedEOF)):
		return "", fmt.Errorf("--data-command: %w", bad)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", fmt.Errorf("--data-command: %w%s", err, said)
	}
	return path, nil
}

var errNothing = errors.New("it printed nothing; expected an .npz archive, or .npy files that follow each other")

// keep writes what is printed into files.
func (c Command) keep(ctx context.Context, from *counted, folder string) (string, error) {
	r := bufio.NewReaderSize(from, 1<<16)
	begin, err := r.Peek(2)
	switch {
	case len(begin) == 0 && errors.Is(err, io.EOF):
		return "", errNothing
	case string(begin) == "PK":
		path := filepath.Join(folder, "data.npz")
		return path, copyTo(path, r)
	}
	for n := 0; ; n++ {
		feeds := graphops.Feeds{}
		for i, in := range c.Types {
			t, err := npz.Next(r, npz.Options{})
			switch {
			case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && i == 0 && n > 0:
				return folder, nil
			case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
				return "", fmt.Errorf("case %d ends before the value of input %q; expected %d in the order of the inputs", n, in.Name, len(c.Types))
			case err != nil:
				return "", fmt.Errorf("case %d, input %q: %w", n, in.Name, err)
			}
			feeds[in.Name] = graphops.TensorValue(t)
		}
		if n == maxCases {
			return "", fmt.Errorf("more than %d cases", maxCases)
		}
		if _, err := Save(ctx, filepath.Join(folder, fmt.Sprintf("case_%d", n)), c.Types, feeds, graphops.WriteOptions{}); err != nil {
			return "", err
		}
		from.cases = int64(n + 1)
	}
}

func copyTo(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// counted tells how much was read.
type counted struct {
	r            io.Reader
	c            Command
	bytes, cases int64
}

// Read implements io.Reader.
func (r *counted) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if r.bytes += int64(n); r.c.Progress != nil {
		r.c.Progress(r.bytes, r.cases)
	}
	return n, err
}

// lastLine keeps the end of what is written to it.
type lastLine struct{ text []byte }

const keptText = 4 << 10

// Write implements io.Writer.
func (l *lastLine) Write(p []byte) (int, error) {
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-keptText):]
	return len(p), nil
}

// String is the last line behind a colon, "" where there is none.
func (l *lastLine) String() string {
	lines := strings.FieldsFunc(string(l.text), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return ""
	}
	return ": " + text.CleanLine(lines[len(lines)-1])
}
