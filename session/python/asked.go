package python

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Asked is a running script that answers one question after another. The script uses the function
// answer_each of the preamble. An Asked may be used by only one goroutine.
type Asked struct {
	child  *child
	script Script
	cancel context.CancelFunc
	ended  bool
}

// errEnded is the error of Ask if the script has ended already.
var errEnded = errors.New("the script has ended")

// Start starts a script that answers questions. The script ends when the context ends or when the
// Asked is closed.
func (i Interpreter) Start(ctx context.Context, s Script) (*Asked, error) {
	ctx, cancel := context.WithCancel(ctx)
	c, err := i.start(ctx, s)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Asked{child: c, script: s, cancel: cancel}, nil
}

// Ask sends a question and decodes the answer into result. If the script is still able to answer
// after an error, Ended returns false. If the context ends while Ask waits, the script is ended.
func (a *Asked) Ask(ctx context.Context, question, result any) error {
	if a.ended {
		return errEnded
	}
	line, err := json.Marshal(question)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, a.cancel)()
	// The error of this write is not needed: if the script has ended, reading its answer fails and
	// says why.
	_, _ = a.child.stdin.Write(append(line, '\n'))
	answer, heard, err := a.script.next(a.child.lines)
	var ended error
	if err != nil || !heard {
		ended = a.end()
	}
	if ctx.Err() != nil {
		a.Close()
		return context.Cause(ctx)
	}
	return a.child.read(answer, err, ended, result)
}

// Ended reports whether the script has ended, so that a new one must be started.
func (a *Asked) Ended() bool { return a.ended }

// Close ends the script. A second call does nothing.
func (a *Asked) Close() {
	if !a.ended {
		_ = a.end() // the error only says that the script was ended
	}
}

func (a *Asked) end() error {
	a.ended = true
	// Closing the script's standard input asks it to end. If it does not end within drainTime, it
	// is killed. A script that has ended by itself may still have output to be read.
	_ = a.child.stdin.Close()
	stop := make(chan struct{})
	defer close(stop)
	go killLater(stop, a.cancel)
	return a.child.end()
}

// killLater calls kill after drainTime, unless stopped is closed before.
func killLater(stopped <-chan struct{}, kill context.CancelFunc) {
	t := time.NewTimer(drainTime)
	defer t.Stop()
	select {
	case <-stopped:
	case <-t.C:
		kill()
	}
}
