package ort

import (
	"bufio"
	"fmt"
	"io"
	"syscall"
	"time"
)

// closeInput closes the worker's standard input, which makes the worker end.
func (p *process) closeInput() { _ = p.stdin.Close() }

// signal sends a signal to the process's group: the process itself and the processes that it
// started.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

// end closes the input of the process and waits at most patience for it to end by itself; it
// reports whether it did. If not, a worker on this machine is killed. A launcher first gets SIGTERM
// and is killed only if that does not end it, because a killed launcher may leave its Slurm job or
// container running.
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

// giveUp ends a process whose answers are not needed any more. A worker on this machine is killed
// at once. A launcher gets a quarter of the grace period to end after its input is closed. If it
// does not, it gets SIGTERM and the whole grace period, and then it is killed.
func (p *process) giveUp() {
	if p.launched {
		p.end(p.grace / 4)
		return
	}
	p.end(0)
}

// endsWithin waits at most limit for the process to end, and reports whether it has ended.
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

// aftermath is what whileRead observed while it ended a process.
type aftermath struct {
	late bool // a worker's greeting arrived in that time
	held bool // another process outlived it and still holds its output open
}

// whileRead calls end, which ends the process, and reads the rest of the process's output
// meanwhile. Otherwise a launcher that blocks on writing its output would not end.
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

// left returns a text about processes that may still run although the launcher has ended, or "" if
// there are none. job is the id of the Slurm job, or "" if it is not known.
func (p *process) left(a aftermath, job string) string {
	signal, _ := p.fate()
	switch {
	case !p.launched:
		return ""
	case signal == syscall.SIGKILL && job != "":
		return fmt.Sprintf("a killed launcher does not end its job, so Slurm's job %s may still run: scancel %[1]s", job)
	case p.forced.Load():
		return "it did not end when asked to and was killed, so what it started may still run: check there with squeue --me or docker ps"
	case a.held:
		return "it left a process behind that still runs on this machine"
	}
	return ""
}
