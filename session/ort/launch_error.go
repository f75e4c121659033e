package ort

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"lathe/session/ort/wire"
)

// LaunchError tells that a launcher led to no worker.
type LaunchError struct {
	Launcher string // as it was given
	Finding  string // what it did
	Advice   string
	Left     string // what may still run behind it; empty for nothing
	err      error
}

// Error is one line, safe to print.
func (e *LaunchError) Error() string {
	text := fmt.Sprintf("--on %q: %s; %s", e.Launcher, e.Finding, e.Advice)
	if e.Left != "" {
		text += "; " + e.Left
	}
	return text
}

// Unwrap is the error of the system or the context, nil where there was none.
func (e *LaunchError) Unwrap() error { return e.err }

// cannotRun is the error of a launcher whose program cannot be started.
func (l *Launcher) cannotRun(err error) error {
	return &LaunchError{Launcher: l.text, Finding: oneLine(err.Error()), Advice: "it must begin with a program of this machine, as ssh", err: err}
}

// unheard is the error of a launcher that passes no input on.
func (l *Launcher) unheard() error {
	return &LaunchError{
		Launcher: l.text, Finding: "a worker started there and found its input closed",
		Advice: "have the launcher pass standard input on: kubectl exec and docker exec with -i, ssh without -n, srun without --input",
		err:    ErrGone,
	}
}

// explain is the error of a start that failed.
func (l *Launcher) explain(f *failedStart) error {
	var refused *Error
	e := &LaunchError{Launcher: l.text, Left: f.left()}
	advice := adviceOnViolation(f.err)
	switch {
	case errors.As(f.err, &refused):
		return fmt.Errorf("--on %q: %w", l.text, refused)
	case advice != "":
		e.Finding, e.Advice = oneLine(f.err.Error()), advice
	case f.greeted && !f.expired:
		return fmt.Errorf("--on %q: %w", l.text, f.crash())
	case f.expired:
		l.explainSilence(e, f)
	case !isEnd(f.err):
		e.Finding = fmt.Sprintf("it printed more than %d KiB and no worker's greeting, beginning with %q", wire.MaxChatter>>10, beginning(f.chatter))
		e.Advice = "have the login there print less"
	default:
		l.explainEnd(e, f)
	}
	return e
}

// violations are what a launcher can do to what a worker sends, and what to do about it.
var violations = []struct {
	err    error
	advice string
}{
	{wire.ErrRewritten, "start it without one: ssh without -t, kubectl exec and docker exec without -t, srun without --pty"},
	{wire.ErrLabelled, "have it pass output on as it is: srun without --label (-l)"},
	{wire.ErrDropped, "have it pass output on as it is, as cat does and a loop of read does not"},
	{wire.ErrSeveral, "have it start one: srun -n1 -N1, mpirun -n 1"},
	{wire.ErrForeign, "keep everything else out of standard output: no 2>&1, no docker exec -t"},
	{wire.ErrTorn, "something else writes to the same line, as a second worker or 2>&1: have it start one worker and pass on its output alone"},
}

// adviceOnViolation is "" where the error does not say what a launcher did.
func adviceOnViolation(err error) string {
	for _, v := range violations {
		if errors.Is(err, v.err) {
			return v.advice
		}
	}
	return ""
}

// explainSilence is about a launcher behind which no worker answered in time.
func (l *Launcher) explainSilence(e *LaunchError, f *failedStart) {
	e.err = f.err
	e.Finding = fmt.Sprintf("no worker answered within %v%s", f.limit, f.quoted())
	e.Advice = "on a slow line or in a queue give it more with --start-timeout"
	switch {
	case f.late: // the line is slow, or something waits for the end of the output
		e.Finding = fmt.Sprintf("no worker answered within %v, but one did when its input was closed", f.limit)
		e.Advice = "give it more with --start-timeout; if that does not help, output is held back on the way: stdbuf -o0, python -u, grep --line-buffered"
	case f.greeted:
		e.Finding = fmt.Sprintf("a worker began to answer and said no more within %v%s", f.limit, f.quoted())
	}
}

// explainEnd is about a launcher that ended, or closed its output, before a worker
// answered.
func (l *Launcher) explainEnd(e *LaunchError, f *failedStart) {
	signal, status := f.proc.fate()
	words, advice := adviceOn(f.said + "\n" + f.chatter)
	if advice == "" && (status == 126 || status == 127) {
		advice = adviceNoLathe
	}
	if advice == "" {
		advice = fmt.Sprintf("try by hand: %s lathe version", l.text)
	}
	e.Finding, e.Advice = "it ended "+fateOf(signal, status)+" before a worker answered", advice
	if words != "" {
		e.Finding += ": " + words
	}
}

func fateOf(signal syscall.Signal, status int) string {
	if signal != 0 {
		return "by " + unix.SignalName(signal)
	}
	return fmt.Sprintf("with status %d", status)
}

const (
	adviceNoLathe  = "it finds no lathe there; name one that is: --on '... /path/to/lathe worker'"
	adviceLogin    = "it must log in without asking: with a key of yours that is known there, held by an agent if it has a passphrase"
	adviceHost     = "log in there once by hand and judge the key that it shows"
	adviceReach    = "check the name, and that the machine is up and lets you in"
	adviceTerminal = "a worker needs no terminal: docker exec -i and kubectl exec -i, without -t"
	adviceVersion  = "that is another version of lathe; install the same on both ends"
)

// advices are what to do about a line of ssh, a shell or lathe itself.
var advices = []struct {
	line   func() *regexp.Regexp
	advice string
}{
	{whenUsed(`(?i)lathe.*(not found|no such file)|not found: .*lathe`), adviceNoLathe},
	{whenUsed(`(?i)permission denied \(|too many authentication failures|passphrase`), adviceLogin},
	{whenUsed(`(?i)host key verification failed|host identification has changed`), adviceHost},
	{whenUsed(`(?i)could not resolve|connection (refused|closed|reset|timed out)|no route to host|network is unreachable`), adviceReach},
	{whenUsed(`(?i)lathe: unknown (flag|command)`), adviceVersion},
	{whenUsed(`(?i)input device is not a tty|stdin is not a terminal`), adviceTerminal},
}

// adviceOn finds the last line that says what is wrong, or the last one that says
// anything, and what to do about it.
func adviceOn(said string) (line, advice string) {
	lines := strings.Split(colour().ReplaceAllString(said, ""), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		shown := oneLine(lines[i])
		for _, a := range advices {
			if a.line().MatchString(shown) {
				return shown, a.advice
			}
		}
		if line == "" {
			line = shown
		}
	}
	return line, ""
}

// quoted is the last that was heard of a launcher, to put behind a finding.
func (f *failedStart) quoted() string {
	line, _ := adviceOn(f.said + "\n" + f.chatter)
	if line == "" {
		return ""
	}
	return ": " + line
}

// beginning is as much of a text as a message can hold.
func beginning(text string) string {
	const most = 60
	text = oneLine(text[:min(len(text), 4*most)])
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}
