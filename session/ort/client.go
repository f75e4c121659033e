package ort

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lathe/session/ort/wire"
)

// Options say how a worker is started.
type Options struct {
	// Command starts a worker: this program with its hidden worker command.
	Command []string
	// Launcher starts a worker in place of Command, nil for none.
	Launcher *Launcher
	// Library is the path of the ONNX Runtime library where the worker runs. Behind a
	// launcher it is what --runtime says there, "" to have the worker look for one, with
	// Python as --python says there.
	Library string
	Python  string
	// StartTimeout is how long the greeting may take; 0 stands for 30 seconds.
	StartTimeout time.Duration
	// Grace is how long a worker may take to stop a cancelled request, or to end,
	// before it is killed; 0 stands for 3 seconds.
	Grace time.Duration
	// Env is the worker's environment; nil means this process's own.
	Env []string
	// Limit is how long one request may take; 0 stands for as long as it takes.
	Limit time.Duration
	// MemoryLimit is how much memory of its own the worker may use, in bytes; 0
	// leaves it to the system.
	MemoryLimit int64
}

const (
	defaultStartTimeout = 30 * time.Second
	defaultGrace        = 3 * time.Second
)

// Client is a running worker. Its methods may be called from several
// goroutines.
type Client struct {
	hello  *wire.Hello
	proc   *process
	out    *wire.Writer
	grace  time.Duration
	limit  time.Duration
	memory int64         // that it may take, in bytes; 0 for any
	done   chan struct{} // closed once the worker has ended and no call is left
	// launcher is nil for a worker of this machine.
	launcher *Launcher

	mu     sync.Mutex
	calls  map[uint64]*call // nil once the worker is gone
	lastID uint64
	gone   error // why no call is possible any more
	closed bool
	// faulted is that a request has ended in an error.
	faulted bool
	killed  error  // why it was killed, if it was
	will    string // what it said before it ended itself, if it did
	unheard bool   // its input ended before a request came
}

// Start runs a worker and waits until it greets. The context bounds the start,
// not the worker's life.
//
// A worker that ends before its greeting is a *CrashError, and one that cannot
// use the library an *Error, both of the phase Starting. A launcher that leads to no
// worker is a *LaunchError.
func Start(ctx context.Context, o Options) (*Client, error) {
	if o.StartTimeout == 0 {
		o.StartTimeout = defaultStartTimeout
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	proc, err := spawn(o)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(proc.stdout, wire.MaxChatter)
	hello, err := awaitGreeting(ctx, proc, in, o)
	if err != nil {
		return nil, err
	}
	c := &Client{
		hello: hello, proc: proc, launcher: o.Launcher, out: wire.NewWriter(proc.stdin), grace: o.Grace, limit: o.Limit, memory: o.MemoryLimit,
		done: make(chan struct{}), calls: map[uint64]*call{},
	}
	go c.serve(wire.NewReader(in))
	return c, nil
}

// Info describes a worker and its library.
type Info struct {
	PID            int64 // where it runs
	LatheVersion   string
	LibraryPath    string
	LibraryVersion string
	// CompiledProviders are those the library was built with, as it names them:
	// "CUDAExecutionProvider". Whether one attaches only a session can tell.
	CompiledProviders []string
}

// Info returns what the worker said of itself.
func (c *Client) Info() Info {
	return Info{
		PID:               c.hello.GetPid(),
		LatheVersion:      c.hello.GetLatheVersion(),
		LibraryPath:       c.hello.GetLibraryPath(),
		LibraryVersion:    c.hello.GetLibraryVersion(),
		CompiledProviders: c.hello.GetCompiledProviders(),
	}
}

// Close ends the worker and waits until it has gone. Calls in progress fail with
// ErrClosed. A worker that does not end by itself is killed, which is reported. What
// runs on this machine is gone in any case.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	inTime := c.proc.end(c.grace)
	<-c.done
	if !inTime {
		return withLeft(fmt.Errorf("the worker did not end within %v and was killed", c.grace), c.proc.left(aftermath{}, c.hello.GetSlurmJob()))
	}
	return nil
}

// serve hands replies to their calls until the worker ends.
func (c *Client) serve(in *wire.Reader) {
	defer close(c.done)
	violation := c.dispatch(in)
	if violation != nil {
		c.proc.giveUp()
	} else {
		c.proc.end(c.grace)
	}
	_ = c.proc.stdout.Close()

	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = c.cause(&call{phase: Idle}, violation)
	if !errors.Is(c.gone, ErrClosed) && !errors.Is(c.gone, ErrGone) {
		c.gone = fmt.Errorf("%w: %w", ErrGone, c.gone)
	}
	for _, cl := range c.calls {
		cl.finish(nil, c.cause(cl, violation))
	}
	c.calls = nil
}

// cause is why a call got no answer. The caller holds the lock.
func (c *Client) cause(cl *call, violation error) error {
	switch {
	case c.killed != nil:
		return fmt.Errorf("%w: %w", ErrGone, c.killed)
	case c.closed:
		return ErrClosed
	case c.unheard && c.launcher != nil:
		return c.launcher.unheard()
	}
	crash := &CrashError{
		Phase: cl.phase, Activity: cl.activity, Model: cl.model,
		Violation: violation, Stderr: c.proc.stderr.since(cl.mark), Left: c.proc.left(aftermath{}, c.hello.GetSlurmJob()),
	}
	if c.will != "" {
		return fmt.Errorf("%w: %s while %s", ErrGone, c.will, crash.doing())
	}
	crash.Signal, crash.ExitCode = c.proc.fate()
	if c.launcher != nil {
		crash.Launcher = c.launcher.text
	}
	return crash
}

// lastWill notes why the worker is about to end itself.
func (c *Client) lastWill(e *wire.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.will = oneLine(e.GetMessage())
}

// noteUnheard takes in that the worker's input has ended before a request came.
func (c *Client) noteUnheard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unheard = true
}

// abort ends the worker and has its calls fail with why.
func (c *Client) abort(why error) {
	c.mu.Lock()
	if c.killed == nil {
		c.killed = why
	}
	c.mu.Unlock()
	c.proc.giveUp()
}
