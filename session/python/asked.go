package python

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Asked is a script that goes on running and answers one question after the other, by
// answer_each. It serves one goroutine.
type Asked struct {
	child  *child
	script Script
	cancel context.CancelFunc
	ended  bool
}

// ErrEnded is the error of a question to a script that has ended.
var ErrEnded = errors.New("the script has ended")

// Start runs a script that answers questions. It ends with the context, or when it is
// closed.
func (i Interpreter) Start(ctx context.Context, s Script) (*Asked, error) {
	ctx, cancel := context.WithCancel(ctx)
	c, err := i.start(ctx, s)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Asked{child: c, script: s, cancel: cancel}, nil
}

// Ask asks one question and reads its answer. After an error the script may go on, see
// Ended; the end of the context ends it.
func (a *Asked) Ask(ctx context.Context, question, result any) error {
	if a.ended {
		return ErrEnded
	}
	line, err := json.Marshal(question)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, a.cancel)()
	// A script that has ended says so by what is read of it.
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

// Ended reports whether the script is gone and another must be started.
func (a *Asked) Ended() bool { return a.ended }

// Close ends the script.
func (a *Asked) Close() {
	if !a.ended {
		_ = a.end() // that it was ended is no news
	}
}

func (a *Asked) end() error {
	a.ended = true
	// A script that ended by itself is let tell how; another is ended by its standard
	// input, and by force if it does not heed that.
	_ = a.child.stdin.Close()
	stop := make(chan struct{})
	defer close(stop)
	go killLater(stop, a.cancel)
	return a.child.end()
}

// killLater ends what has not ended by itself after drainTime.
func killLater(stopped <-chan struct{}, kill context.CancelFunc) {
	t := time.NewTimer(drainTime)
	defer t.Stop()
	select {
	case <-stopped:
	case <-t.C:
		kill()
	}
}
