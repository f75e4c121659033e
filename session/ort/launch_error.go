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

// LaunchError says that a launcher did not start a usable worker.
type LaunchError struct {
	Launcher string // as the user gave it
	Finding  string // what happened
	Advice   string
	Left     string // what may still run behind it; empty if nothing
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

// Unwrap returns the error of the system or the context, or nil if there was none.
func (e *LaunchError) Unwrap() error { return e.err }

// cannotRun returns the error for a launcher whose program cannot be started.
func (l *Launcher) cannotRun(err error) error {
	return &LaunchError{Launcher: l.text, Finding: oneLine(err.Error()), Advice: "it must begin with a program on this machine, such as ssh", err: err}
}

// unheard returns the error for a launcher that does not pass its standard input on to the worker.
func (l *Launcher) unheard() error {
	return &LaunchError{
		Launcher: l.text, Finding: "a worker started there and found its input closed",
		Advice: "make the launcher pass standard input on: use -i with kubectl exec and docker exec, no -n with ssh, no --input with srun",
		err:    ErrGone,
	}
}

// explain returns the error for a worker that the launcher failed to start, with advice if the
// cause is known.
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
		e.Finding = fmt.Sprintf("it printed more than %d KiB before a worker's greeting, beginning with %q", wire.MaxChatter>>10, beginning(f.chatter))
		e.Advice = "make the login there print less"
	default:
		l.explainEnd(e, f)
	}
	return e
}

// violations maps the errors for a worker's output that the launcher has changed to advice on how
// to prevent that.
var violations = []struct {
	err    error
	advice string
}{
	{wire.ErrRewritten, "start it without a terminal: no -t with ssh, kubectl exec and docker exec, no --pty with srun"},
	{wire.ErrLabelled, "make it pass output on unchanged: no --label (-l) with srun"},
	{wire.ErrDropped, "make it pass output on unchanged, as cat does (a shell loop with read does not)"},
	{wire.ErrSeveral, "make it start one worker: srun -n1 -N1, mpirun -n 1"},
	{wire.ErrForeign, "keep everything else out of standard output: no 2>&1, no docker exec -t"},
	{wire.ErrTorn, "something else writes to the same output, such as a second worker or 2>&1: start one worker and pass on only its output"},
}

// adviceOnViolation returns the advice for an error about changed output, or "" if the error is not
// in violations.
func adviceOnViolation(err error) string {
	for _, v := range violations {
		if errors.Is(err, v.err) {
			return v.advice
		}
	}
	return ""
}

// explainSilence fills in the error for a launcher that was still running when the time to answer
// was over.
func (l *Launcher) explainSilence(e *LaunchError, f *failedStart) {
	e.err = f.err
	e.Finding = fmt.Sprintf("no worker answered within %v%s", f.limit, f.quoted())
	e.Advice = "if the connection is slow or a queue has to be waited for, raise --start-timeout"
	switch {
	case f.late: // the connection is slow, or a program on the way holds output back until it ends
		e.Finding = fmt.Sprintf("no worker answered within %v, but one did when its input was closed", f.limit)
		e.Advice = "raise --start-timeout; if that does not help, a program on the way buffers the output: use stdbuf -o0, python -u, grep --line-buffered"
	case f.greeted:
		e.Finding = fmt.Sprintf("a worker began to answer but did not finish within %v%s", f.limit, f.quoted())
	}
}

// explainEnd fills in the error for a launcher that ended, or closed its output, before a worker
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
	adviceNoLathe  = "there is no lathe in PATH there; give its path: --on '... /path/to/lathe worker'"
	adviceLogin    = "it must log in without a prompt: with a key that is authorized there, loaded into ssh-agent if it has a passphrase"
	adviceHost     = "log in there once by hand and check the host key that it shows"
	adviceReach    = "check the name, and that the machine is running and accepts connections"
	adviceTerminal = "a worker does not need a terminal: use docker exec -i or kubectl exec -i, without -t"
	adviceVersion  = "lathe has another version there; install the same version on both machines"
)

// advices maps messages of ssh, of shells and of lathe itself to what the user can do about them.
var advices = []struct {
	line   func() *regexp.Regexp
	advice string
}{
	{whenUsed(`(?i)lathe.*(not found|no such file)|not found: .*lathe`), adviceNoLathe},
	{whenUsed(`(?i)permission denied \(|too many authentication failures|passphrase`), adviceLogin},
	{whenUsed(`(?i)host key verification failed|host identification has changed`), adviceHost},
	{whenUsed(`(?i)could not resolve|connection (refused|closed|reset|timed out)|no route to host|network is unreachable`), adviceReach},
	{whenUsed(`(?i)lathe: (unknown (flag|command)|--options )`), adviceVersion},
	{whenUsed(`(?i)input device is not a tty|stdin is not a terminal`), adviceTerminal},
}

// adviceOn searches output for the last line that matches an entry of advices, and returns the line
// and the advice. If no line matches, it returns the last line that is not empty, and no advice.
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

// quoted returns ": " and the most informative line that the launcher printed, for the end of an
// error message. It returns "" if the launcher printed nothing.
func (f *failedStart) quoted() string {
	line, _ := adviceOn(f.said + "\n" + f.chatter)
	if line == "" {
		return ""
	}
	return ": " + line
}

// beginning returns the first characters of a text, to be quoted in a message.
func beginning(text string) string {
	const most = 60
	text = oneLine(text[:min(len(text), 4*most)])
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}
