package ort

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"lathe/session/ort/wire"
)

// awaitGreeting reads the first output of a new process and returns the hello of the worker. If the
// output is not a worker's greeting, awaitGreeting ends the process and returns an error.
func awaitGreeting(ctx context.Context, proc *process, in *bufio.Reader, o Options) (*wire.Hello, error) {
	bounded, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	stop := context.AfterFunc(bounded, func() { _ = proc.stdout.SetReadDeadline(time.Now()) })
	hello, chatter, greeted, err := readGreeting(in)
	expired := !stop()
	if err == nil && !expired {
		return hello, nil
	}
	f := &failedStart{proc: proc, greeted: greeted, chatter: chatter, err: err, limit: o.StartTimeout}
	if expired {
		f.expired, f.err = true, bounded.Err()
	}
	f.aftermath = proc.whileRead(in, f.end)
	if ctx.Err() != nil {
		return nil, withLeft(fmt.Errorf("starting the worker: %w", context.Cause(ctx)), f.left())
	}
	if o.Launcher != nil {
		return nil, o.Launcher.explain(f)
	}
	return nil, f.explain(o)
}

// withLeft appends left to an error. left says which processes may still be running; if it is
// empty, the error is returned unchanged.
func withLeft(err error, left string) error {
	if left == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, left)
}

// readGreeting reads the worker's greeting and the hello after it. chatter is the text that was
// printed before the greeting, such as a login message. greeted is set if the greeting arrived,
// even if reading the hello failed.
func readGreeting(in *bufio.Reader) (hello *wire.Hello, chatter string, greeted bool, err error) {
	before, err := wire.SkipToGreeting(in)
	if err != nil {
		return nil, string(before), false, err
	}
	hello, err = readHello(in)
	return hello, string(before), true, err
}

func readHello(in *bufio.Reader) (*wire.Hello, error) {
	var reply wire.Reply
	err := wire.NewReader(in).Next(&reply)
	switch {
	case errors.Is(err, wire.ErrDecoding):
		return nil, &Error{Phase: Starting, Message: fmt.Sprintf(
			"the worker is another version of lathe, which does not speak protocol %d as this lathe does; install the same version on both ends", wire.Version)}
	case err != nil:
		return nil, err
	case reply.Hello != nil:
		return reply.Hello, errors.Join(checkProtocol(reply.Hello), checkHello(reply.Hello))
	case reply.Several != nil:
		return nil, fmt.Errorf("%w (%d)", wire.ErrSeveral, reply.Several.Workers)
	case reply.Error != nil:
		return nil, &Error{Phase: Starting, Code: Code(reply.Error.Code), Context: cut(reply.Error.Context, maxWords), Message: cut(reply.Error.Message, maxWords)}
	}
	return nil, errors.New("the first message is not a hello")
}

func checkProtocol(hello *wire.Hello) error {
	if hello.Protocol == wire.Version {
		return nil
	}
	return &Error{Phase: Starting, Message: fmt.Sprintf(
		"the worker is lathe %q and speaks protocol %d, this lathe speaks %d; install the same version on both ends",
		hello.LatheVersion, hello.Protocol, wire.Version)}
}

// failedStart describes a process that ended, or was ended by the client, before it sent a hello.
type failedStart struct {
	proc    *process
	greeted bool   // the process sent the greeting of a worker
	chatter string // output before the greeting, or instead of it
	err     error  // read error, or the error of the expired context
	said    string // standard error, up to the moment when it was given up
	limit   time.Duration
	expired bool
	inTime  bool // it ended by itself
	aftermath
}

func (f *failedStart) left() string { return f.proc.left(f.aftermath, "") }

// end ends the process. If the output has already ended, the process is probably about to exit, so
// it gets some time to do so.
func (f *failedStart) end() {
	if isEnd(f.err) {
		f.inTime = f.proc.end(f.proc.grace)
		f.said = f.proc.stderr.String()
		return
	}
	f.said = f.proc.stderr.String()
	f.proc.giveUp()
}

// explain returns the error for a worker that was started directly. For one behind a launcher see
// Launcher.explain.
func (f *failedStart) explain(o Options) error {
	var refused *Error
	switch {
	case f.expired:
		return fmt.Errorf("starting the worker: %q sent no greeting within %v: %w", o.Command[0], f.limit, f.err)
	case errors.As(f.err, &refused):
		return f.err
	}
	return f.crash()
}

func (f *failedStart) crash() *CrashError {
	crash := &CrashError{Phase: Starting, Output: f.chatter, Stderr: f.said}
	crash.Signal, crash.ExitCode = f.proc.fate()
	if !isEnd(f.err) || !f.inTime {
		crash.Violation = f.err
	}
	return crash
}

// isEnd reports whether err means that the worker's output ended, possibly within a frame, and not
// that the output was wrong. An expired read deadline counts as an end. It is set after the worker
// has ended, because a child process may still hold the output open.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrDeadlineExceeded)
}
