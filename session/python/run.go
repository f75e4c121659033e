package python

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"lathe/session/text"
)

// Interpreter is a Python and the environment that it gets.
type Interpreter struct {
	Path    string
	Environ []string
}

// preamble is in front of every script.
//
//go:embed preamble.py
var preamble string

// MissingError tells that a Python lacks a package that a script imports.
type MissingError struct{ Python, Module, Needed string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s has no package %q, which %s needs; install it there with %s -m pip install %s, or name another with --python",
		text.Clean(e.Python), text.Clean(e.Module), e.Needed, text.Clean(e.Python), text.Clean(e.Module))
}

// said is one line of a script: what it is doing, or how it ended.
type said struct {
	Phase   string          `json:"phase"`
	Event   json.RawMessage `json:"event"`
	Result  json.RawMessage `json:"result"`
	Missing string          `json:"missing"`
	Failed  string          `json:"failed"`
	Refused string          `json:"refused"`
}

// RefusedError is what a script does not take of what it was asked.
type RefusedError string

func (e RefusedError) Error() string { return string(e) }

// maxLine bounds what a script says at once.
const maxLine = 16 << 20

// drainTime is what a script that has ended leaves its pipes to be read in.
const drainTime = time.Second

// Script is what an interpreter is asked to do.
type Script struct {
	Source  string // behind the preamble, whose functions it may use
	Needed  string // who needs the packages that it imports, as messages call it
	Ask     any    // as JSON; the script has it as "ask"
	TempDir string // for what the script and its packages write meanwhile
	// Folder is that of a user whose own code the script runs: what their Python finds, the
	// script does too. "" keeps the script apart from whatever lies about.
	Folder string
	// Phase hears what the script is about to do, Event what else it tells while it works;
	// either may be nil.
	Phase func(string)
	Event func(json.RawMessage)
	// Output takes what its packages and the user's code print; nil keeps the end of it, for
	// a script that ends without a word.
	Output io.Writer
}

// Run runs a script and reads its result. A script that fails is one line: what its
// packages printed is not part of it unless it ended without a word.
func (i Interpreter) Run(ctx context.Context, s Script, result any) error {
	c, err := i.start(ctx, s)
	if err != nil {
		return err
	}
	last, heard := s.listen(c.lines)
	_, _ = io.Copy(io.Discard, c.out) // a script that says too much is not waited for
	err = c.end()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.read(last, heard, err, result)
}

// start runs a script. The end of the context ends it, and what it started.
func (i Interpreter) start(ctx context.Context, s Script) (*child, error) {
	ask, err := json.Marshal(s.Ask)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, i.Path, s.arguments(ask)...)
	cmd.Env = append(slices.Clone(i.Environ), "TMPDIR="+s.TempDir, "PYTHONDONTWRITEBYTECODE=1")
	cmd.Dir = cmp.Or(s.Folder, s.TempDir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = drainTime
	c := &child{cmd: cmd, path: i.Path, needed: s.Needed}
	cmd.Stderr = &c.complaint
	if s.Output != nil {
		cmd.Stderr = io.MultiWriter(&c.complaint, s.Output)
	}
	// Held open: its end tells the script that Lathe is gone.
	if c.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", text.Clean(i.Path), err)
	}
	c.lines = bufio.NewScanner(c.out)
	c.lines.Buffer(nil, maxLine)
	return c, nil
}

func (s Script) arguments(ask []byte) []string {
	words := []string{"-c", preamble + s.Source, string(ask)}
	if s.Folder == "" {
		return append([]string{"-I"}, words...)
	}
	return append([]string{"-u", "-X", "utf8"}, words...)
}

// child is a script that runs.
type child struct {
	cmd          *exec.Cmd
	path, needed string
	stdin        io.WriteCloser
	out          io.Reader
	lines        *bufio.Scanner
	complaint    ending
}

// end waits for a script that has said its last, and gives how it ended. What it started and
// left behind ends with it.
func (c *child) end() error {
	defer c.stdin.Close()
	err := c.cmd.Wait()
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // there is seldom anybody
	return err
}

// read is the result of the last line that was heard, of a script that ended so, or its error.
func (c *child) read(last said, heard, ended error, result any) error {
	switch {
	case last.Missing != "":
		return &MissingError{c.path, last.Missing, c.needed}
	case last.Refused != "":
		return RefusedError(text.CleanLine(last.Refused))
	case last.Failed != "":
		return fmt.Errorf("%s: %s", c.needed, text.CleanLine(last.Failed))
	case heard != nil:
		return fmt.Errorf("%s: what %s said makes no sense: %w", c.needed, text.Clean(c.path), heard)
	case last.Result == nil:
		return c.complaint.explain(c.needed, c.path, ended)
	}
	return json.Unmarshal(last.Result, result)
}

// listen reads what a script says until it has ended; the last line counts.
func (s Script) listen(lines *bufio.Scanner) (said, error) {
	var last said
	for {
		line, more, err := s.next(lines)
		if err != nil || !more {
			return last, err
		}
		last = line
	}
}

// next reads up to the next line that is an answer; false where there is none.
func (s Script) next(lines *bufio.Scanner) (said, bool, error) {
	for lines.Scan() {
		var line said
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return line, false, err
		}
		switch {
		case line.Event != nil:
			if s.Event != nil {
				s.Event(line.Event)
			}
		case line.Phase == "":
			return line, true, nil
		case s.Phase != nil:
			s.Phase(text.CleanLine(line.Phase))
		}
	}
	return said{}, false, lines.Err()
}

// ending is the end of what a script printed.
type ending struct{ text []byte }

const keptEnding = 16 << 10

func (e *ending) Write(p []byte) (int, error) {
	e.text = append(e.text, p...)
	if over := len(e.text) - keptEnding; over > 0 {
		e.text = slices.Delete(e.text, 0, over)
	}
	return len(p), nil
}

// EndedError is of a script that ended without a word. Said is the end of what it wrote to
// standard error, which of a crash has the lines that were running.
type EndedError struct {
	Needed, Path, Said string
	Err                error
}

// traceLine is what faulthandler writes of a crash behind the line that says what it was.
var traceLine = regexp.MustCompile(`^(?:  File "|Current thread |Thread 0x|Extension modules: )`)

// Error has the last line of what was said, of a crash what it was.
func (e *EndedError) Error() string {
	lines := strings.FieldsFunc(e.Said, func(r rune) bool { return r == '\n' })
	lines = slices.DeleteFunc(lines, func(l string) bool { return traceLine.MatchString(l) })
	words := []string{e.Needed, text.Clean(e.Path), e.Err.Error()}
	if n := len(lines); n > 0 {
		words = append(words, text.CleanLine(lines[n-1]))
	}
	return strings.Join(words, ": ")
}

// Unwrap gives how it ended.
func (e *EndedError) Unwrap() error { return e.Err }

// explain is the error of a script that ended without a word.
func (e *ending) explain(needed, path string, err error) error {
	if err == nil {
		err = errors.New("ended without a result")
	}
	return &EndedError{needed, path, string(e.text), err}
}
