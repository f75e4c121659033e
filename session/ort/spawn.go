package ort

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"lathe/graphops/durable"
	"lathe/session/ort/sandbox"
)

// drainTime is how long the pipes of a process are still read after the process has ended. A child
// of the process may keep them open longer, so they cannot be read until they end.
const drainTime = time.Second

// process is the operating system's process of a worker, or of the launcher that starts the worker.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File // the worker's standard input, which carries the requests
	stdout *os.File // the worker's standard output, which carries the replies
	stderr tail
	ended  chan struct{} // closed once the process has been reaped

	launched bool          // it is a launcher
	grace    time.Duration // time to end after it was asked to
	forced   atomic.Bool   // it did not end in that time and was killed
}

// spawn starts a worker in a process group of its own. An interrupt typed at the terminal then
// reaches only Lathe, which decides what to do, and a launcher can be killed together with
// everything it started. If Lathe itself dies, the worker ends because its standard input ends.
func spawn(o Options) (*process, error) {
	command, err := o.command()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(command[0], command[1:]...), ended: make(chan struct{}), launched: o.Launcher != nil, grace: o.Grace}
	p.cmd.Env = o.Env
	if o.Launcher == nil && o.Sandbox != sandbox.Off {
		if p.cmd.Env == nil {
			p.cmd.Env = os.Environ()
		}
		p.cmd.Env = sandbox.Environ(p.cmd.Env)
	}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = drainTime
	// A launcher gets an operating system session without a terminal. If ssh needs a password, it
	// then fails with a message. With a terminal that it may not read from, the system would stop
	// it when it asks for the password.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !p.launched, Setsid: p.launched}
	switch err := p.start(); {
	case err != nil && p.launched:
		return nil, o.Launcher.cannotRun(err)
	case err != nil:
		return nil, fmt.Errorf("worker command %q: %w", command[0], durable.Explain(err))
	}
	go p.reap()
	return p, nil
}

// command returns the program to start and its arguments.
func (o Options) command() ([]string, error) {
	if o.Launcher != nil {
		return o.Launcher.command(o)
	}
	if len(o.Command) == 0 {
		return nil, errors.New("no worker command given")
	}
	args := o.Command[:len(o.Command):len(o.Command)]
	if o.Library != "" {
		args = append(args, "--runtime", o.Library)
	}
	if o.Python != "" {
		args = append(args, "--python", o.Python)
	}
	for _, p := range o.Plugins {
		args = append(args, "--ep-library", p)
	}
	for _, p := range o.Found {
		args = append(args, "--ep-found", p)
	}
	if o.MemoryLimit > 0 {
		args = append(args, "--memory-limit", strconv.FormatInt(o.MemoryLimit, 10))
	}
	if o.Sandbox != sandbox.On {
		args = append(args, "--sandbox", o.Sandbox.String())
	}
	return args, nil
}

func (p *process) start() (err error) {
	var childIn, childOut *os.File
	if childIn, p.stdin, err = os.Pipe(); err != nil {
		return err
	}
	defer childIn.Close()
	if p.stdout, childOut, err = os.Pipe(); err != nil {
		p.stdin.Close()
		return err
	}
	defer childOut.Close()
	p.cmd.Stdin, p.cmd.Stdout = childIn, childOut
	if err := p.cmd.Start(); err != nil {
		p.stdin.Close()
		p.stdout.Close()
		return err
	}
	return nil
}

func (p *process) reap() {
	_ = p.cmd.Wait() // the process state has the same information as the error
	// A launcher may leave child processes behind, which this signal to its group ends. The id of
	// the group is free again by now, but no system gives it to a new group this soon.
	p.signal(syscall.SIGKILL)
	close(p.ended)
	// Pipes support deadlines on every system that has process groups.
	_ = p.stdout.SetReadDeadline(time.Now().Add(drainTime))
}

// fate returns the signal that ended the process, or 0 and its exit code if it exited. The process
// must have ended.
func (p *process) fate() (syscall.Signal, int) {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return status.Signal(), -1
	}
	return 0, p.cmd.ProcessState.ExitCode()
}

// maxTail is how many bytes at the end of a worker's standard error are kept.
const maxTail = 64 << 10

// tail is a writer that keeps the last maxTail bytes written to it.
type tail struct {
	mu    sync.Mutex
	kept  []byte
	total int64 // bytes ever written
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	t.total += int64(len(p))
	if extra := len(t.kept) - maxTail; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

// mark returns the number of bytes written so far, to be passed to since.
func (t *tail) mark() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

// String returns the kept text. If earlier text was dropped, it starts at the beginning of a line.
func (t *tail) String() string { return t.since(0) }

// since returns what was written after a call of mark, as far as it is still kept.
func (t *tail) since(mark int64) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if fresh := t.total - mark; fresh < int64(len(t.kept)) {
		return string(t.kept[int64(len(t.kept))-fresh:])
	}
	kept := t.kept
	if len(kept) == maxTail {
		kept = kept[bytes.IndexByte(kept, '\n')+1:]
	}
	return string(kept)
}
