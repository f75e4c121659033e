package ort

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"lathe/session/ort/wire"
)

// awaitGreeting reads what a new process says first. Where that is not a
// worker's greeting the process is ended before the error is returned.
func awaitGreeting(ctx context.Context, proc *process, in *bufio.Reader, o Options) (*wire.Hello, error) {
	bounded, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	stop := context.AfterFunc(bounded, func() {
		proc.kill()
		// A grandchild outside the group may still hold the pipe.
		_ = proc.stdout.SetReadDeadline(time.Now())
	})
	hello, chatter, err := readGreeting(in)
	expired := !stop()
	if err == nil && !expired {
		return hello, nil
	}
	proc.closeInput()
	if !isEnd(err) {
		proc.kill()
	}
	inTime := proc.waitOrKill(o.Grace)
	_ = proc.stdout.Close()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("starting the worker: %w", context.Cause(ctx))
	case expired:
		return nil, fmt.Errorf("starting the worker: %q sent no greeting within %v: %w", o.Command[0], o.StartTimeout, bounded.Err())
	}
	return nil, startError(proc, chatter, err, inTime)
}

// readGreeting returns the worker's hello, and what stood before the greeting.
func readGreeting(in *bufio.Reader) (*wire.Hello, string, error) {
	chatter, err := wire.SkipToGreeting(in)
	if err != nil {
		return nil, string(chatter), err
	}
	var reply wire.Reply
	if err := wire.NewReader(in).Next(&reply); err != nil {
		return nil, string(chatter), err
	}
	switch body := reply.GetBody().(type) {
	case *wire.Reply_Hello:
		return body.Hello, string(chatter), checkProtocol(body.Hello)
	case *wire.Reply_Error:
		return nil, string(chatter), &Error{Phase: Starting, Code: Code(body.Error.GetCode()), Context: body.Error.GetContext(), Message: body.Error.GetMessage()}
	}
	return nil, string(chatter), errors.New("the first message is not a hello")
}

func checkProtocol(hello *wire.Hello) error {
	if hello.GetProtocol() == wire.Version {
		return nil
	}
	return &Error{Phase: Starting, Message: fmt.Sprintf(
		"the worker is lathe %q and speaks protocol %d, this lathe speaks %d; install the same version on both ends",
		hello.GetLatheVersion(), hello.GetProtocol(), wire.Version)}
}

// startError is what to say of a process that has ended without greeting.
func startError(proc *process, chatter string, err error, inTime bool) error {
	var refused *Error
	if errors.As(err, &refused) {
		return err
	}
	crash := &CrashError{Phase: Starting, Output: chatter, Stderr: proc.stderr.String()}
	crash.Signal, crash.ExitCode = proc.fate()
	if !isEnd(err) || !inTime {
		crash.Violation = err
	}
	return crash
}

// isEnd tells an output that ended, inside a frame perhaps, from one that said
// something wrong.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
