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
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"lathe/graphops/pattern"
	"lathe/graphops/permit"
	"lathe/session/text"
)

// Interpreter is a Python program and the environment variables with which it is run.
type Interpreter struct {
	Path    string
	Environ []string
}

// preamble is Python code that is put before every script. It has functions that scripts use.
//
//go:embed preamble.py
var preamble string

// MissingError is the error of a script that imports a package which is not installed.
type MissingError struct{ Python, Module, Needed string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s has no package %q, which %s needs; install it there with %s -m pip install %s, or name another with --python",
		text.Clean(e.Python), text.Clean(e.Module), e.Needed, text.Clean(e.Python), text.Clean(e.Module))
}

// said is one line of a script's output: its progress (phase or event), or how it ended (result,
// missing, failed or refused).
type said struct {
	Phase   string          `json:"phase"`
	Event   json.RawMessage `json:"event"`
	Result  json.RawMessage `json:"result"`
	Missing string          `json:"missing"`
	Failed  string          `json:"failed"`
	Refused string          `json:"refused"`
}

// RefusedError is the error if a script cannot accept the request, for example because of an
// unknown model type.
type RefusedError string

func (e RefusedError) Error() string { return string(e) }

// maxLine limits the length of a line of output, in bytes.
const maxLine = 16 << 20

// drainTime is how long output is still read after a script has ended, and how long a script may
// take to end when it is asked to.
const drainTime = time.Second

// Script is a script to run, and what it is given.
type Script struct {
	Source  string // Python code; it may use the functions of the preamble
	Needed  string // what the script is for, as messages name it, such as "the reference evaluator"
	Ask     any    // the request, sent as JSON; the script finds it in the variable ask
	TempDir string // for temporary files of the script and its packages
	// Folder is the working folder if the script runs the user's own code. The script then imports
	// the same modules as the user's Python. If Folder is "", the script runs in isolated mode, in
	// which modules in the working folder and the user's settings have no effect.
	Folder string
	// Phase is called with what the script is about to do. Event is called with other reports while
	// it works. Either may be nil.
	Phase func(string)
	Event func(json.RawMessage)
	// Output receives what packages and the user's code print to standard error. It may be nil. The
	// end of that text is kept anyway, for the error of a script that ends without a result.
	Output io.Writer
}

// Run runs a script and decodes its result. The error of a script that fails is one line. It
// contains what packages printed only if the script ended without a result.
func (i Interpreter) Run(ctx context.Context, s Script, result any) error {
	c, err := i.start(ctx, s)
	if err != nil {
		return err
	}
	last, heard := s.listen(c.lines)
	_, _ = io.Copy(io.Discard, c.out) // after too long a line, so that the script is not blocked by a full pipe
	err = c.end()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.read(last, heard, err, result)
}

// start starts a script. When the context ends, the script is killed together with the processes
// that it started.
func (i Interpreter) start(ctx context.Context, s Script) (*child, error) {
	if err := permit.To(ctx, permit.Python); err != nil {
		return nil, err
	}
	ask, err := json.Marshal(s.Ask)
	if err != nil {
		return nil, err
	}
	file, err := s.write()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, i.Path, s.arguments(file, ask)...)
	cmd.Env = append(slices.Clone(i.Environ), "TMPDIR="+s.TempDir, "PYTHONDONTWRITEBYTECODE=1")
	cmd.Dir = cmp.Or(s.Folder, s.TempDir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = drainTime
	c := &child{cmd: cmd, path: i.Path, needed: s.Needed, file: file}
	cmd.Stderr = &c.complaint
	if s.Output != nil {
		cmd.Stderr = io.MultiWriter(&c.complaint, s.Output)
	}
	// The pipe stays open while Lathe runs. When it is closed, the script knows that Lathe has
	// ended.
	if err := c.run(); err != nil {
		c.forget()
		return nil, err
	}
	return c, nil
}

// write writes the script to a temporary file, because an argument of a process has at most 128 KiB.
func (s Script) write() (string, error) {
	f, err := os.CreateTemp(s.TempDir, "lathe-script-*.py")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(preamble + s.Source)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name()) // the script could not be written, which is the error
		return "", err
	}
	return f.Name(), nil
}

// loader is the program that Python is given. The code keeps the name that code of -c has, so that a
// traceback does not take it for a file of the user.
const loader = `import sys
with open(sys.argv.pop(1), encoding="utf-8") as _script:
    _script = _script.read()
exec(compile(_script, "<string>", "exec"))
`

func (s Script) arguments(file string, ask []byte) []string {
	words := []string{"-c", loader, file, string(ask)}
	if s.Folder == "" {
		return append([]string{"-I"}, words...)
	}
	return append([]string{"-u", "-X", "utf8"}, words...)
}

// child is a running script.
type child struct {
	cmd          *exec.Cmd
	path, needed string
	file         string // of the script
	stdin        io.WriteCloser
	out          io.Reader
	lines        *bufio.Scanner
	complaint    ending
}

// run starts the process.
func (c *child) run() (err error) {
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return err
	}
	if err := c.cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", text.Clean(c.path), err)
	}
	c.lines = bufio.NewScanner(c.out)
	c.lines.Buffer(nil, maxLine)
	return nil
}

// forget removes the file of the script.
func (c *child) forget() { _ = os.Remove(c.file) } // it is in a folder for temporary files

// end waits until the script has ended and returns the error of its process. Processes that it
// started and that still run are killed.
func (c *child) end() error {
	defer c.stdin.Close()
	defer c.forget()
	err := c.cmd.Wait()
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // usually there is no such process, which is no error
	return err
}

// read decodes the result in the last line, or returns the error that the line reports. heard is
// the error of reading the output, and ended is the error of the process.
func (c *child) read(last said, heard, ended error, result any) error {
	switch {
	case last.Missing != "":
		return &MissingError{c.path, last.Missing, c.needed}
	case last.Refused != "":
		return RefusedError(text.CleanLine(last.Refused))
	case last.Failed != "":
		return fmt.Errorf("%s: %s", c.needed, text.CleanLine(last.Failed))
	case heard != nil:
		return fmt.Errorf("%s: the output of %s is not in the expected format: %w", c.needed, text.Clean(c.path), heard)
	case last.Result == nil:
		return c.complaint.explain(c.needed, c.path, ended)
	}
	return json.Unmarshal(last.Result, result)
}

// listen reads the output until the script has ended, and returns the last line that is not
// progress.
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

// next reads up to the next line that is not progress. It returns false at the end of the output.
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

// ending is a writer that keeps the last keptEnding bytes.
type ending struct{ text []byte }

const keptEnding = 16 << 10

func (e *ending) Write(p []byte) (int, error) {
	e.text = append(e.text, p...)
	if over := len(e.text) - keptEnding; over > 0 {
		e.text = slices.Delete(e.text, 0, over)
	}
	return len(p), nil
}

// EndedError is the error of a script that ended without a result. Said is the end of its standard
// error. After a crash, it contains the lines of code that were running.
type EndedError struct {
	Needed, Path, Said string
	Err                error
}

// traceLine matches the lines that faulthandler prints after a crash, except the first one, which
// names the crash.
var traceLine = pattern.New(`^(?:  File "|Current thread |Thread 0x|Extension modules: )`)

// Error returns one line with the last line that the script printed. After a crash, this is the
// line that names the crash.
func (e *EndedError) Error() string {
	lines := strings.FieldsFunc(e.Said, func(r rune) bool { return r == '\n' })
	lines = slices.DeleteFunc(lines, func(l string) bool { return traceLine.MatchString(l) })
	words := []string{e.Needed, text.Clean(e.Path), e.Err.Error()}
	if n := len(lines); n > 0 {
		words = append(words, text.CleanLine(lines[n-1]))
	}
	return strings.Join(words, ": ")
}

// Unwrap returns the error of the process.
func (e *EndedError) Unwrap() error { return e.Err }

// explain returns the error of a script that ended without a result.
func (e *ending) explain(needed, path string, err error) error {
	if err == nil {
		err = errors.New("ended without a result")
	}
	return &EndedError{needed, path, string(e.text), err}
}
