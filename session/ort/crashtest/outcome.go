package crashtest

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"lathe/session/ort"
)

// End is the way in which a run of a model ends.
type End string

// The ways in which a run ends.
const (
	Fine    End = "fine"
	Refused End = "refused" // an error of the runtime, or of making inputs
	Crash   End = "crash"
	Timeout End = "timeout"
	// Broken means that the worker violated the protocol. No model may cause that, whatever the
	// runtime does with it.
	Broken End = "broken protocol"
)

// Outcome is the result of loading a model and running it.
type Outcome struct {
	End    End
	Phase  ort.WorkerPhase
	Signal syscall.Signal // of a crash
	Words  string         // last line that a crashed worker printed
	Err    error
	// Killed is set if the worker has ended. If a request takes too long it is cancelled, and the
	// worker survives if the runtime reacts to the cancellation.
	Killed bool
}

// String describes the outcome without anything that depends on the machine, so that tests can
// compare it.
func (o Outcome) String() string {
	switch {
	case o.End == Crash && o.Signal != 0:
		return unix.SignalName(o.Signal) + " " + string(o.Phase)
	case o.End == Timeout && o.Killed:
		return "hangs, is killed " + string(o.Phase)
	case o.End == Timeout:
		return "hangs, is cancelled " + string(o.Phase)
	}
	return string(o.End)
}

// Fails reports whether the end is one that no model should cause. A model should either run or be
// refused with an error.
func (o Outcome) Fails() bool { return o.End != Fine && o.End != Refused }

// Judge returns the outcome that an error of a phase means. It does not set Killed.
func Judge(phase ort.WorkerPhase, err error) Outcome {
	o := Outcome{Phase: phase, Err: err}
	var crash *ort.CrashError
	var late *ort.TimeoutError
	switch {
	case err == nil:
		o.End = Fine
	case errors.As(err, &crash) && crash.Violation != nil:
		o.End = Broken
	case errors.As(err, &crash):
		o.End, o.Phase, o.Signal, o.Words = Crash, crash.Phase, crash.Signal, lastLine(crash.Stderr)
	case errors.As(err, &late):
		o.End = Timeout
	default:
		o.End = Refused
	}
	return o
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
