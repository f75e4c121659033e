package ort

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// runGroup runs a program in a process group of its own, and ends the whole group when cmd's
// context ends: pip and npm do their work in children. An interrupt typed at the terminal does not
// reach the group; it comes through the context.
func runGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = drainTime
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) { // it ended well; something it left running holds its pipes
		return nil
	}
	return err
}

// distill picks the line of a client's output that says what went wrong.
//
//   - pip ends with a line "ERROR: …". When it reached no index at all, that line speaks of
//     versions and hides the cause, which stands in the warnings about retries. Before 25.1 it took
//     a connection that ended early for the end of the file, and then calls the wheel invalid.
//   - npm begins with codes, then says it in words, then refers to a log file.
//   - pip's "ERROR: Exception:" stands above a traceback.
//   - Anything else, a Python traceback for one, says it in its last line.
func distill(output string) string {
	var last, pip, npm, retry string
	for line := range strings.Lines(output) {
		line = oneLine(line)
		if _, cause, ok := strings.Cut(line, "after connection broken by "); ok {
			retry = cause
		}
		if rest, ok := strings.CutPrefix(line, "ERROR: "); ok && rest != "Exception:" {
			pip = rest
		}
		if rest, ok := npmComplaint(line); ok && npm == "" {
			npm = rest
		}
		if line != "" {
			last = line
		}
	}
	switch {
	case strings.HasPrefix(pip, "Wheel ") && strings.HasSuffix(pip, " is invalid."):
		return "the download was cut short, which pip 25.1 and newer resume"
	case retry != "" && strings.Contains(output, "(from versions: none)"):
		return retry
	case pip != "":
		return pip
	case npm != "":
		return npm
	case last != "":
		return last
	}
	return "no message"
}

// npmComplaint returns what an error line of npm says, if it says it in words.
func npmComplaint(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "npm error ")
	if !ok {
		rest, ok = strings.CutPrefix(line, "npm ERR! ")
	}
	first, _, _ := strings.Cut(rest, " ")
	return rest, ok && !slices.Contains([]string{"code", "syscall", "errno", "path", ""}, first)
}
