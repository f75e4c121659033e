package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Limits end a process that takes longer. A judge loads several models and is not timed.
const (
	limit      = 60 * time.Second
	judgeLimit = 5 * time.Minute
)

// An outcome is what a process did.
type outcome struct {
	time   time.Duration
	peak   int64  // bytes of its memory at most
	output string // what it printed, both streams
	failed string // why, in one line
}

// process runs a command line. What it prints goes to a file, so that this program has nothing to
// do meanwhile.
func (b *bench) process(ctx context.Context, line []string, limit time.Duration) outcome {
	printed := filepath.Join(b.work, "printed.txt")
	file, err := os.Create(printed)
	if err != nil {
		return outcome{failed: err.Error()}
	}
	defer file.Close()
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(timed, line[0], line[1:]...)
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a launcher ends together with what it started
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	start := time.Now()
	err = cmd.Run()
	out := outcome{time: time.Since(start)}
	if usage, ok := usageOf(cmd); ok {
		out.peak = usage.Maxrss * 1024
	}
	text, readErr := os.ReadFile(printed)
	out.output = string(text)
	switch {
	case ctx.Err() != nil:
		out.failed = "interrupted"
	case timed.Err() != nil:
		out.failed = fmt.Sprintf("stopped after %.0f s", limit.Seconds())
	case err != nil:
		out.failed = fmt.Sprintf("%v: %s", err, lastLine(out.output))
	case readErr != nil:
		out.failed = readErr.Error()
	}
	return out
}

// usageOf returns what the system counted for a process and those that it waited for.
func usageOf(cmd *exec.Cmd) (*syscall.Rusage, bool) {
	if cmd.ProcessState == nil {
		return nil, false
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return usage, ok
}

// lastLine returns the last line that says something, shortened so that it fits into a table.
func lastLine(text string) string {
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(strings.ToValidUTF8(lines[i], "")); line != "" {
			return shortened(line, 120)
		}
	}
	return "it printed nothing"
}

func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
