package command

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lathe/session/ort/orttest"
)

// standins are launchers that behave as real launchers do if a flag is missing or wrong. They run
// the command in their arguments.
var standins = map[string]func(*exec.Cmd) error{
	"lines":    func(c *exec.Cmd) error { return piped(c, byLine(identity)) }, // srun without -u
	"no-input": func(c *exec.Cmd) error { c.Stdin = nil; return c.Run() },     // kubectl exec without -i
	"terminal": func(c *exec.Cmd) error { return piped(c, byLine(addReturn)) },
	"label":    func(c *exec.Cmd) error { return piped(c, byLine(addLabel)) }, // srun --label
	"drops":    func(c *exec.Cmd) error { return piped(c, byLine(dropNul)) },  // a loop of read in a shell
	"several":  severalTasks,
	"warns": func(c *exec.Cmd) error { // 2>&1 around the launcher
		return piped(c, func(out io.Writer, in io.Reader) {
			lines := bufio.NewReader(in)
			for range 2 { // the worker's first lines
				line, _ := lines.ReadBytes('\n')
				_, _ = out.Write(line)
			}
			_, _ = io.WriteString(out, "Warning: the cluster goes down at noon\n")
			_, _ = io.Copy(out, lines)
		})
	},
	"late": func(c *exec.Cmd) error { time.Sleep(time.Second); return c.Run() },
	"holds": func(c *exec.Cmd) error { // a filter that fills its buffer first
		return piped(c, func(out io.Writer, in io.Reader) {
			all, _ := io.ReadAll(in)
			_, _ = out.Write(all)
		})
	},
}

// standin is the program of that name: standin MODE COMMAND...
func standin() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := standins[os.Args[1]](cmd); err != nil {
		os.Exit(1)
	}
}

// piped runs a command whose output goes through a filter.
func piped(c *exec.Cmd, filter func(io.Writer, io.Reader)) error {
	c.Stdout = nil
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	filter(os.Stdout, out)
	return c.Wait()
}

// byLine passes on whole lines only, each changed by a function.
func byLine(change func([]byte) []byte) func(io.Writer, io.Reader) {
	return func(out io.Writer, in io.Reader) {
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadBytes('\n')
			if _, failed := out.Write(change(line)); err != nil || failed != nil {
				return
			}
		}
	}
}

func identity(line []byte) []byte  { return line }
func addReturn(line []byte) []byte { return bytes.ReplaceAll(line, []byte("\n"), []byte("\r\n")) }
func addLabel(line []byte) []byte  { return append([]byte("0: "), line...) }
func dropNul(line []byte) []byte   { return bytes.ReplaceAll(line, []byte{0}, nil) }

// severalTasks runs a command twice at the same time, as srun -n2 does: both get the same input,
// and their output is merged line by line. Both first lines are written before any second line, so
// that neither task is too slow to be noticed.
func severalTasks(first *exec.Cmd) error {
	second := exec.Command(first.Path, first.Args[1:]...)
	second.Stderr = first.Stderr
	var inputs []io.Writer
	var begun, ended sync.WaitGroup
	begun.Add(2)
	for _, c := range []*exec.Cmd{first, second} {
		c.Stdin, c.Stdout = nil, nil
		in, errIn := c.StdinPipe()
		out, errOut := c.StdoutPipe()
		if err := errors.Join(errIn, errOut, c.Start()); err != nil {
			return err
		}
		inputs = append(inputs, in)
		ended.Go(func() {
			lines := bufio.NewReader(out)
			line, _ := lines.ReadBytes('\n')
			_, _ = os.Stdout.Write(line)
			begun.Done()
			begun.Wait()
			byLine(identity)(os.Stdout, lines)
			_ = c.Wait()
		})
	}
	_, _ = io.Copy(io.MultiWriter(inputs...), os.Stdin)
	for _, in := range inputs {
		_ = in.(io.Closer).Close()
	}
	ended.Wait()
	return nil
}

// A launcher that works is accepted. For one that does not, the error names the flag at fault at
// once, even if the launcher is called by a script.
func TestStandinLaunchers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise a process waits for a second at its end
	lib := orttest.Library(t)
	lathe, errLathe := exec.LookPath("lathe")
	model, errModel := filepath.Abs("testdata/digits.onnx")
	if err := errors.Join(errLathe, errModel); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ launcher, want string }{
		{"standin lines", "logits"},
		{"standin late", "logits"},
		{"sh -c 'echo Welcome; exec standin lines \"$@\"' sh", "logits"},
		{"sh -c 'echo Welcome; standin lines lathe worker'", "logits"}, // the script adds the options
		{"standin lines sh -c 'lathe worker'", "logits"},
		{"standin no-input", "a worker started there and found its input closed; make the launcher pass standard input on: use -i with kubectl exec and docker exec"},
		{"sh -c '\"$@\" </dev/null' sh", "found its input closed"},
		{"standin terminal", "a terminal in between rewrites what the worker sends; start it without a terminal: no -t with ssh, kubectl exec and docker exec"},
		{"standin label", "puts words before the lines that the worker sends; make it pass output on unchanged: no --label (-l) with srun"},
		{"standin drops", "drops bytes that the worker sends"},
		{"standin several", "the launcher started more than one worker; make it start one worker: srun -n1 -N1"},
		{"standin several standin lines", "the launcher started more than one worker"},
		{"standin warns", `something else prints into the worker's output: "Warning: the cluster goes down at noon"; keep everything else out of standard output: no 2>&1`},
		{"sh -c 'exec \"$@\" 2>&1' sh", "standard error goes where standard output goes and would be mixed into the answers; leave out 2>&1"},
		{"sh -c 'exec lathe worker' sh", `the launcher did not pass on the arguments for the worker; a script must end in "$@"`},
		{"standin holds", "no worker answered within 5s, but one did when its input was closed; raise --start-timeout; if that does not help, a program on the way buffers the output: use stdbuf -o0"},
		{"srun --output=log", "srun --output=log writes the worker's answers to a file; remove it"},
		{"salloc -n1 srun -olog lathe worker", "srun -olog writes"},
	} {
		t.Run(tt.launcher, func(t *testing.T) {
			args := []string{"run-model", model, "--runtime", lib, "--on", tt.launcher}
			if tt.launcher == "standin holds" {
				args = append(args, "--start-timeout", "5s") // the only fault that is noticed by the timeout alone
			}
			out, err := exec.CommandContext(t.Context(), lathe, args...).CombinedOutput()
			if (err == nil) != (tt.want == "logits") || !strings.Contains(string(out), tt.want) {
				t.Errorf("got %v\n%s\nwant %s", err, out, tt.want)
			}
			if err != nil && strings.Count(string(out), "\n") != 1 {
				t.Errorf("more than a line: %s", out)
			}
		})
	}
}
