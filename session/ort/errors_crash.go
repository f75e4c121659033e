package ort

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"lathe/session/sizing"
)

// CrashError tells that a worker ended by itself: a fault inside the runtime, a
// kill from outside, an exit, or an answer that no worker gives.
type CrashError struct {
	Phase    WorkerPhase
	Activity string // within the phase, as the worker last announced it; may be empty
	Model    string // empty while starting
	Launcher string // that the worker was behind, as it was given; empty for none
	// Signal ended the process; 0 where it exited, with ExitCode. A launcher in
	// between reports a signal as an exit code.
	Signal   syscall.Signal
	ExitCode int
	// Violation is what the worker sent against the protocol. It was killed for
	// it, so Signal and ExitCode say nothing.
	Violation error
	Output    string // what it printed in place of the greeting, while starting
	Stderr    string // the last of what it printed there
	Left      string // what may still run behind the launcher; empty for nothing
}

// Error is one line, safe to print.
func (e *CrashError) Error() string {
	text := e.fate() + " while " + e.doing()
	advice := adviceOnViolation(e.Violation)
	switch words := e.LastWords(); {
	case e.Launcher != "" && advice != "":
		text += "; " + advice
	case words != "":
		text += ": " + words
	}
	if e.Left != "" {
		text += "; " + e.Left
	}
	return text
}

// RefusedSizes says for package sizing how a run crashed.
func (e *CrashError) RefusedSizes() (sizing.Refusal, bool) {
	return sizing.Refusal{Words: e.Error()}, e.Phase == Running
}

// Unwrap returns the violation, if there was one.
func (e *CrashError) Unwrap() error { return e.Violation }

func (e *CrashError) fate() string {
	switch {
	case e.Violation != nil && e.Launcher != "":
		return fmt.Sprintf("the line to the worker behind %q broke (%s)", e.Launcher, oneLine(e.Violation.Error()))
	case e.Violation != nil:
		return "the worker broke the protocol (" + oneLine(e.Violation.Error()) + ")"
	case e.Launcher != "":
		return e.launchedFate()
	case e.Signal == syscall.SIGKILL:
		return "the worker was killed (SIGKILL), as the kernel does when memory runs out,"
	case e.Signal != 0:
		return fmt.Sprintf("the worker crashed with %s (%s)", unix.SignalName(e.Signal), e.Signal)
	}
	return fmt.Sprintf("the worker exited with status %d", e.ExitCode)
}

// lineEnded is the status of ssh for a line that broke, and for a worker that was
// ended by a signal. Of a line it has something to say.
const lineEnded = 255

var lineWords = whenUsed(`(?i)client_loop|connection (to \S+ )?(closed|reset|timed out)|timeout, server|broken pipe|packet_write_wait`)

// LineBroke reports whether it was the way to the worker that ended, not the worker.
func (e *CrashError) LineBroke() bool {
	return e.Launcher != "" && (e.Violation != nil || e.Signal != 0 || e.ExitCode == lineEnded && lineWords().MatchString(e.Stderr))
}

// launchedFate is what a launcher tells of a worker: its exit code, from 129 on for a
// signal, or its own.
func (e *CrashError) launchedFate() string {
	how := fateOf(e.Signal, e.ExitCode)
	switch signal := unix.SignalName(syscall.Signal(e.ExitCode - 128)); {
	case e.LineBroke():
		return fmt.Sprintf("the line to the worker behind %q ended %s", e.Launcher, how)
	case e.ExitCode == lineEnded:
		return fmt.Sprintf("the worker behind %q ended %s, as with ssh when it crashes,", e.Launcher, how)
	case signal != "":
		return fmt.Sprintf("the worker behind %q ended %s, which means %s,", e.Launcher, how, signal)
	}
	return fmt.Sprintf("the worker behind %q ended %s", e.Launcher, how)
}

func (e *CrashError) doing() string {
	if e.Phase == Starting {
		return string(Starting)
	}
	doing := while(e.Phase, e.Model)
	if e.Activity != "" {
		doing += " (" + oneLine(e.Activity) + ")"
	}
	return doing
}

// colour is what the runtime's log puts around its lines.
var colour = whenUsed(`\x1b\[[0-9;]*m`)

// LastWords is the last line of stderr that says something, or of the output. A
// warning of the runtime is seldom why it crashed.
func (e *CrashError) LastWords() string {
	for _, text := range []string{e.Stderr, e.Output} {
		text = strings.TrimSpace(colour().ReplaceAllString(text, ""))
		for _, line := range slices.Backward(strings.Split(text, "\n")) {
			if line = oneLine(line); line != "" && !strings.HasPrefix(line, "[W] ") {
				return line
			}
		}
	}
	return ""
}
