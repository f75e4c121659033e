package ort

import (
	"bufio"
	"fmt"
	"io"
	"syscall"
	"time"
)

// closeInput tells the worker to end.
func (p *process) closeInput() { _ = p.stdin.Close() }

// signal goes to the process and all that it started in its group.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

// end closes the input, gives the process some time to end by itself, and reports
// whether it did. After that a worker of this machine is killed. A launcher is asked
// first, and killed only if it does not end then: with a Slurm job or a command in a
// container behind it, a killed launcher would leave that running.
func (p *process) end(patience time.Duration) (byItself bool) {
	p.closeInput()
	if p.endsWithin(patience) {
		return true
	}
	if p.launched {
		p.signal(syscall.SIGTERM)
		if p.endsWithin(p.grace) {
			return false
		}
		p.forced.Store(true)
	}
	p.signal(syscall.SIGKILL)
	<-p.ended
	return false
}

// giveUp ends a process whose answers are of no use any more. Its grace is for what it
// has to do when it ends; the end of its input reaches it well before that.
func (p *process) giveUp() {
	if p.launched {
		p.end(p.grace / 4)
		return
	}
	p.end(0)
}

// endsWithin waits for the end, but no longer than so long.
func (p *process) endsWithin(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}

// aftermath is what came of a process between the moment it was given up and its end.
type aftermath struct {
	late bool // a worker's greeting came only then
	held bool // something outlived the process and still holds its output
}

// whileRead reads the rest of the output during end, so that no launcher waits until
// somebody takes what it has to say.
func (p *process) whileRead(in *bufio.Reader, end func()) aftermath {
	_ = p.stdout.SetReadDeadline(time.Time{})
	rest := make(chan aftermath, 1)
	go func() {
		_, _, late, _ := readGreeting(in)
		_, err := io.Copy(io.Discard, in)
		rest <- aftermath{late, err != nil}
	}()
	end()
	_ = p.stdout.SetReadDeadline(time.Now().Add(drainTime))
	after := <-rest
	_ = p.stdout.Close()
	return after
}

// left is what may still run although the launcher has ended, "" for nothing. The job
// is Slurm's, "" for none that is known.
func (p *process) left(a aftermath, job string) string {
	signal, _ := p.fate()
	switch {
	case !p.launched:
		return ""
	case signal == syscall.SIGKILL && job != "":
		return fmt.Sprintf("a killed launcher ends nothing, so Slurm's job %s may still run: scancel %[1]s", job)
	case p.forced.Load():
		return "it did not end when it was asked to and was killed, so what it started may still run: look there, with squeue --me or docker ps"
	case a.held:
		return "it left a process behind that still runs on this machine"
	}
	return ""
}
