package ort

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// runGroup runs a program in a process group of its own and kills the whole group when cmd's
// context ends, because pip and npm do their work in child processes. An interrupt typed at the
// terminal does not reach this group; the caller ends the context instead.
func runGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = drainTime
	err := cmd.Run()
	// the program succeeded, but a process it left running holds its pipes open
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// distill returns the line of pip's or npm's output that best says what went wrong.
//
//   - pip ends with a line "ERROR: …". If it reached no index at all, that line is about versions and hides the cause, which is in the warnings about retries. Versions before 25.1 took a broken connection for the end of the file and then call the wheel invalid.
//   - npm prints codes first, then a sentence, then the name of a log file.
//   - pip prints "ERROR: Exception:" above a traceback.
//   - Other output, such as a Python traceback, has the reason in its last line.
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

// npmComplaint returns the text of a line in which npm reports an error. The second result is false
// if the line is not one, or if its text is only an error code.
func npmComplaint(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "npm error ")
	if !ok {
		rest, ok = strings.CutPrefix(line, "npm ERR! ")
	}
	first, _, _ := strings.Cut(rest, " ")
	return rest, ok && !slices.Contains([]string{"code", "syscall", "errno", "path", ""}, first)
}
