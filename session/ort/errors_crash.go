package ort

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"lathe/session/ort/wire"
)

// CrashError says that a worker ended unexpectedly: through a fault inside the runtime, a signal
// from outside or an exit, or because it was killed for breaking the protocol.
type CrashError struct {
	Phase    WorkerPhase
	Activity string // the last activity that the worker announced; may be empty
	Model    string // empty while starting
	Launcher string // the launcher that started the worker, as the user gave it; empty if none
	// Signal is the signal that ended the process. It is 0 if the process exited with ExitCode. A
	// launcher reports its worker's signal as an exit code.
	Signal   syscall.Signal
	ExitCode int
	// Violation says how the worker broke the protocol; nil if it did not. The client killed the
	// worker because of it, so Signal and ExitCode mean nothing.
	Violation error
	Output    string // what the worker printed instead of the greeting, while starting
	Stderr    string // the end of the worker's standard error
	Left      string // which processes may still run although the launcher has ended; empty if none
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

// RefusedSizes returns the text of the error to package sizing, which treats a crash during a run
// like an error of that run. The second result is false if the crash was not during a run.
func (e *CrashError) RefusedSizes() (words string, ok bool) {
	return e.Error(), e.Phase == Running
}

// Unwrap returns the violation, if there was one.
func (e *CrashError) Unwrap() error { return e.Violation }

func (e *CrashError) fate() string {
	switch {
	case e.Violation != nil && e.Launcher != "":
		return fmt.Sprintf("the connection to the worker behind %q broke (%s)", e.Launcher, oneLine(e.Violation.Error()))
	case e.Violation != nil:
		return "the worker broke the protocol (" + oneLine(e.Violation.Error()) + ")"
	case e.Launcher != "":
		return e.launchedFate()
	case e.Signal == syscall.SIGSYS:
		return "the sandbox ended the worker, because something in it tried to start a program or made another system call that is refused,"
	case e.Signal == syscall.SIGKILL:
		return "the worker was killed (SIGKILL), as the kernel does when memory runs out,"
	case e.Signal != 0:
		return fmt.Sprintf("the worker crashed with %s (%s)", unix.SignalName(e.Signal), e.Signal)
	}
	return fmt.Sprintf("the worker exited with status %d", e.ExitCode)
}

// lineEnded is the exit status of ssh in two cases: the connection broke, or a signal ended the
// remote worker. ssh prints a message only if the connection broke.
const lineEnded = 255

var lineWords = whenUsed(`(?i)client_loop|connection (to \S+ )?(closed|reset|timed out)|timeout, server|broken pipe|packet_write_wait`)

// LineBroke reports whether the connection to a worker on another machine was lost. The worker
// itself may not have failed.
func (e *CrashError) LineBroke() bool {
	return e.Launcher != "" && (e.Violation != nil || e.Signal != 0 || e.ExitCode == lineEnded && lineWords().MatchString(e.Stderr))
}

// launchedFate says how a worker behind a launcher ended, as far as the launcher's exit code shows
// it. A code above 128 means that the worker was ended by a signal.
func (e *CrashError) launchedFate() string {
	how := fateOf(e.Signal, e.ExitCode)
	switch signal := unix.SignalName(syscall.Signal(e.ExitCode - 128)); {
	case e.LineBroke():
		return fmt.Sprintf("the connection to the worker behind %q ended %s", e.Launcher, how)
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

// AtRegistration reports whether a library with custom operators ended the worker while it was
// registered. The model is not the reason then.
func (e *CrashError) AtRegistration() bool { return strings.HasPrefix(e.Activity, wire.Registering) }

// colour matches the terminal escape sequences with which the runtime colours the lines of its log.
var colour = whenUsed(`\x1b\[[0-9;]*m`)

// LastWords returns the last line of Stderr, or else of Output, that is not empty and not a warning
// of the runtime. Warnings are seldom the reason for a crash.
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
