package ort

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// workerProcess is the process of a worker, or of its launcher, as far as a Client that was greeted needs it.
// Fuzz tests replace it, because they cannot start a process for each input.
type workerProcess interface {
	// end closes the input and waits at most patience before it kills the process. It reports whether
	// the process ended by itself.
	end(patience time.Duration) (byItself bool)
	giveUp()      // ends a process whose answers are not needed any more
	closeOutput() // after the end
	fate() (syscall.Signal, int)
	left(a aftermath, job string) string
	errors() *tail // what it wrote to standard error
	pid() int
}

var _ workerProcess = (*process)(nil)

func (p *process) closeOutput() { _ = p.stdout.Close() }

func (p *process) errors() *tail { return &p.stderr }

func (p *process) pid() int { return p.cmd.Process.Pid }

// statusOf reads a file of the proc file system about a process.
func statusOf(p workerProcess, name string) ([]byte, error) {
	return os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.pid(), name))
}
