package ort

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"lathe/graphops/permit"
	"lathe/session/ort/sandbox"
	"lathe/session/ort/wire"
)

// Options say how to start a worker, and limit its time and memory.
type Options struct {
	// Command is the command line that starts a worker: the path of this program and its hidden
	// command for workers.
	Command []string
	// Launcher starts the worker in place of Command, for example on another machine over SSH. It
	// is nil if the worker is started directly.
	Launcher *Launcher
	// Library is the path of the ONNX Runtime library on the machine where the worker runs. Python
	// is the interpreter that the worker asks for installed libraries there. Behind a launcher both
	// have the meaning that --runtime and --python have on that machine, and a worker without
	// Library looks for a library itself.
	Library string
	Python  string
	// Plugins are further libraries of execution providers, as --ep-library names them.
	Plugins []string
	// Found are libraries of execution providers that were found beside ONNX Runtime, in the same
	// form. A worker that was started directly does not look for any itself.
	Found []string
	// StartTimeout limits the wait for the greeting, which is the first thing that a worker sends.
	// 0 means 30 seconds.
	StartTimeout time.Duration
	// Silence is how long a worker may send nothing although a request is in progress, before it is
	// killed. 0 means two minutes. A worker that computes is not silent: it reports every
	// wire.AliveEvery that it is alive.
	Silence time.Duration
	// MaxAnswer is how many bytes of values one answer may have for this process's memory. 0 means
	// half of this machine's memory, or MemoryLimit if that is less. Values that are written to files
	// do not count.
	MaxAnswer int64
	// Grace is how long a worker may take to stop a cancelled request, or to end when it is closed,
	// before it is killed. 0 means 3 seconds.
	Grace time.Duration
	// Env is the worker's environment; nil means this process's own.
	Env []string
	// Limit is how long one request may take. 0 means no limit.
	Limit time.Duration
	// MemoryLimit is how much private memory the worker may use beyond what it uses at its start,
	// in bytes. 0 means no limit beyond the system's.
	MemoryLimit int64
	// Sandbox says whether the worker is limited. The zero value limits it.
	Sandbox sandbox.Mode
	// Note is called with a line for the user if the sandbox refused something, or is not whole. It
	// may be nil, and is called from several goroutines.
	Note func(line string)
	// Beside says that a provider beside the CPU is requested. A worker behind a launcher then looks
	// for its libraries when it starts, because it cannot do so later.
	Beside bool
}

const (
	defaultStartTimeout = 30 * time.Second
	defaultGrace        = 3 * time.Second
)

// Client is a running worker. Its methods may be called from several
// goroutines.
type Client struct {
	hello  *wire.Hello
	proc   workerProcess
	pulse  *pulse
	out    *wire.Writer
	grace  time.Duration
	limit  time.Duration
	memory int64         // limit of its own memory in bytes; 0 is no limit
	most   int64         // bytes of values that one answer may have for memory
	done   chan struct{} // closed once the worker has ended and no call is left
	// launcher is nil if the worker was started directly on this machine.
	launcher *Launcher
	sandbox  sandbox.Mode
	note     func(line string) // may be nil

	mu     sync.Mutex
	calls  map[uint64]*call // by request id; nil once the worker is gone
	lastID uint64
	gone   error // why no further call is possible; nil while calls are possible
	closed bool
	// faulted is set once a request has ended in an error; see IsSound.
	faulted bool
	killed  error       // why the client killed the worker; nil if it did not
	will    string      // the reason that the worker gave before it ended itself, or empty
	allowed *wire.Allow // what the worker is limited to; nil until a model is loaded
	ended   func()      // called when Close returns
	unheard bool        // the worker reported that its input ended before a request arrived
}

// Start starts a worker and waits for its greeting. Ending ctx after that does not end the worker.
//
// The error is a *CrashError if the worker ends before its greeting, and an *Error if the worker
// cannot use the library. Both have the phase Starting. It is a *LaunchError if the launcher does
// not reach a worker.
func Start(ctx context.Context, o Options) (_ *Client, err error) {
	ended := func() {}
	if o.Launcher != nil {
		if err := permit.To(ctx, permit.Launch); err != nil {
			return nil, err
		}
		busy.Add(1) // ending what the launcher started takes time until Close returns
		ended = sync.OnceFunc(func() { busy.Add(-1) })
	}
	defer func() {
		if err != nil {
			ended()
		}
	}()
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
	beat := new(pulse)
	in := bufio.NewReaderSize(beat.reader(proc.stdout), wire.MaxChatter)
	hello, err := awaitGreeting(ctx, proc, in, o)
	if err != nil {
		return nil, err
	}
	if len(hello.Unlimited) > 0 && o.Note != nil {
		o.Note("the sandbox of workers is not whole, because this system lacks " + oneLine(strings.Join(hello.Unlimited, ", and ")))
	}
	c := newClient(proc, hello, in, beat.writer(proc.stdin), beat, o)
	c.ended = ended
	return c, nil
}

// newClient returns the client of a worker that was greeted. out is the worker's input.
func newClient(proc workerProcess, hello *wire.Hello, in *bufio.Reader, out io.Writer, beat *pulse, o Options) *Client {
	c := &Client{
		hello: hello, proc: proc, pulse: beat, launcher: o.Launcher, out: wire.NewWriter(out), grace: o.Grace, limit: o.Limit, memory: o.MemoryLimit, most: o.mostKept(),
		done: make(chan struct{}), calls: map[uint64]*call{}, sandbox: o.Sandbox, note: o.Note, ended: func() {},
	}
	go c.serve(wire.NewReader(in))
	go c.watch(cmp.Or(o.Silence, defaultSilence))
	return c
}

// Info describes a worker and its library.
type Info struct {
	PID            int64 // on the machine where it runs
	LatheVersion   string
	LibraryPath    string
	LibraryVersion string
	// CompiledProviders are the execution providers that the library was built with, under the
	// library's names such as "CUDAExecutionProvider". Only a session shows whether a provider can
	// be attached.
	CompiledProviders []string
}

// Info returns the description of the worker and its library that the worker sent when it started.
func (c *Client) Info() Info {
	return Info{
		PID:               c.hello.PID,
		LatheVersion:      c.hello.LatheVersion,
		LibraryPath:       c.hello.LibraryPath,
		LibraryVersion:    c.hello.LibraryVersion,
		CompiledProviders: c.hello.CompiledProviders,
	}
}

// Close ends the worker and waits until its process has ended. Calls in progress fail with
// ErrClosed. If the worker does not end within the grace period, Close kills it and returns an
// error. In any case no process of the worker is left running on this machine.
func (c *Client) Close() error {
	defer c.ended()
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	inTime := c.proc.end(c.grace)
	<-c.done
	if !inTime {
		return withLeft(fmt.Errorf("the worker did not end within %v and was killed", c.grace), c.proc.left(aftermath{}, c.hello.SlurmJob))
	}
	return nil
}

// serve passes each reply of the worker to the call that waits for it. It returns when the worker
// has ended, and all calls still waiting fail.
func (c *Client) serve(in *wire.Reader) {
	defer close(c.done)
	violation := c.dispatch(in)
	var tooMuch *tooMuchError
	switch {
	case errors.As(violation, &tooMuch):
		violation = nil
		c.abort(tooMuch)
	case violation != nil:
		c.proc.giveUp()
	default:
		c.proc.end(c.grace)
	}
	c.proc.closeOutput()

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

// cause returns the error of a call that got no answer because the worker has ended. violation is
// what the worker sent against the protocol, or nil. The caller holds c.mu.
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
		Violation: violation, Stderr: c.proc.errors().since(cl.mark), Left: c.proc.left(aftermath{}, c.hello.SlurmJob),
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

// lastWill stores the reason that a worker reports before it ends itself, for example because it
// exceeded its memory limit.
func (c *Client) lastWill(e *wire.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.will = oneLine(e.Message)
}

// noteUnheard stores that the worker reported the end of its input before any request arrived. This
// happens if a launcher does not pass its input on to the worker.
func (c *Client) noteUnheard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unheard = true
}

// abort ends the worker. Calls in progress fail with the error why.
func (c *Client) abort(why error) {
	c.mu.Lock()
	if c.killed == nil {
		c.killed = why
	}
	c.mu.Unlock()
	c.proc.giveUp()
}
