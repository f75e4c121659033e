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
)

// drainTime is what a process that has ended leaves its pipes to be read in. A
// grandchild that holds them open past it is not waited for.
const drainTime = time.Second

// process is a worker, or the launcher in front of it, as the operating system
// sees it.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File // its requests
	stdout *os.File // its replies
	stderr tail
	ended  chan struct{} // closed once it has been reaped

	launched bool          // it is a launcher
	grace    time.Duration // that it has to end once it was asked to
	forced   atomic.Bool   // it did not, and was killed
}

// spawn starts a worker in a process group of its own: an interrupt typed at
// the terminal reaches Lathe, which decides, and a launcher can be killed with
// all that it started. When Lathe itself dies, the end of its standard input
// ends the worker.
func spawn(o Options) (*process, error) {
	command, err := o.command()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(command[0], command[1:]...), ended: make(chan struct{}), launched: o.Launcher != nil, grace: o.Grace}
	p.cmd.Env = o.Env
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = drainTime
	// Without a terminal ssh says that it cannot log in; with one that it must not
	// use, it would be stopped the moment it asks for a password.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !p.launched, Setsid: p.launched}
	switch err := p.start(); {
	case err != nil && p.launched:
		return nil, o.Launcher.cannotRun(err)
	case err != nil:
		return nil, fmt.Errorf("worker command %q: %w", command[0], err)
	}
	go p.reap()
	return p, nil
}

// command is the program that is started, and its arguments.
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
	if o.MemoryLimit > 0 {
		args = append(args, "--memory-limit", strconv.FormatInt(o.MemoryLimit, 10))
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
	_ = p.cmd.Wait() // the process state tells all that the error does
	// A launcher may leave children behind. Its own number is free again by now,
	// but no system hands it to a new group this soon.
	p.signal(syscall.SIGKILL)
	close(p.ended)
	// Pipes take deadlines on every system that has process groups.
	_ = p.stdout.SetReadDeadline(time.Now().Add(drainTime))
}

// fate is how a process that has ended did so: a signal, or an exit code.
func (p *process) fate() (syscall.Signal, int) {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return status.Signal(), -1
	}
	return 0, p.cmd.ProcessState.ExitCode()
}

// maxTail is how much of a worker's standard error is kept.
const maxTail = 64 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu    sync.Mutex
	kept  []byte
	total int64 // bytes that were ever written
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

// mark is where what is written from now on begins.
func (t *tail) mark() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

// String is what was kept, from the beginning of a line where something was
// dropped.
func (t *tail) String() string { return t.since(0) }

// since is what was kept of what has been written from a mark on.
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
