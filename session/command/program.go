// Package command is the command line: a command with flags for every step, the commands that are
// not steps, help, completion, and the exit codes.
package command

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lathe/graphops/durable"
	"lathe/session"
	"lathe/session/ort"
)

// Program is the program as the main function configures it.
type Program struct {
	// Version is the version of this program.
	Version string
	// NewWorkbench returns the workbench for one run. If it is nil, lathe MODEL prints the same as
	// lathe inspect MODEL.
	NewWorkbench func() Workbench
}

// Main runs the program with the process's arguments and streams, and returns the exit code.
func (p Program) Main() int {
	collectLazily(os.Args[1:])
	ctx, release := interruptible()
	var out io.Writer = os.Stdout
	if stdoutWasClosed() {
		out = closedStdout{}
	}
	code := p.Run(ctx, os.Args[1:], os.Stdin, out, os.Stderr)
	release()
	durable.RemoveTemporaries() // left by a background job that did not end in time
	return code
}

// The exit codes of the command contract.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNo          = 3 // the answer is "no" or "undecided"
	exitNoRuntime   = 4
	exitInterrupted = 130
)

// errNo ends a command with exitNo. The command has printed its result already, and the result is
// negative, such as a failed comparison.
var errNo = errors.New("the answer is no")

// Tree returns the tree of all commands, from which documents are generated. The flags of options
// have the annotation GroupAnnotation.
func (p Program) Tree() *cobra.Command {
	a := &app{version: p.Version, out: &checkedWriter{w: io.Discard}}
	if p.NewWorkbench != nil {
		a.workbench = p.NewWorkbench()
	}
	return a.rootCommand()
}

// Run runs one command and returns the exit code. It depends only on its arguments and the
// environment.
func (p Program) Run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	a := &app{in: in, out: &checkedWriter{w: out}, errOut: errOut, version: p.Version}
	if p.NewWorkbench != nil {
		a.workbench = p.NewWorkbench()
	}
	if len(args) > 0 {
		a.first = commandOf(args[0])
		a.asksHelp = slices.ContainsFunc(args, func(s string) bool { return s == "-h" || strings.HasPrefix(s, "--help") })
	}
	root := a.rootCommand()
	root.SetArgs(a.withoutHelpAll(args))
	root.SetIn(in)
	root.SetOut(a.out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if left := a.leave(); err == nil {
		err = left
	}
	if err == nil {
		err = a.out.err
	}
	if err != nil && !errors.Is(err, errNo) {
		a.complain(oneLine(ctx, err))
	}
	return exitCode(ctx, err)
}

// withoutHelpAll replaces --help-all by --help and notes it. The flag library answers --help even
// if other arguments are wrong, and would not do that for --help-all.
func (a *app) withoutHelpAll(args []string) []string {
	before := args
	if i := slices.Index(args, "--"); i >= 0 {
		before = args[:i]
	}
	at := slices.Index(before, "--"+helpAllName)
	if at < 0 {
		return args
	}
	a.helpAll = true
	return slices.Replace(slices.Clone(args), at, at+1, "--help")
}

func oneLine(ctx context.Context, err error) string {
	var kept *session.KeptError
	switch {
	case ctx.Err() != nil && errors.As(err, &kept):
		return "interrupted; " + kept.Where()
	case ctx.Err() != nil:
		return "interrupted"
	}
	return err.Error()
}

// exitCode returns the exit code for an error, as the command contract defines it.
func exitCode(ctx context.Context, err error) int {
	var usage session.UsageError
	var provider *ort.ProviderError
	var no *session.NoError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errNo), errors.As(err, &no):
		return exitNo
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, ort.ErrNoRuntime), errors.As(err, &provider), isStarting(err):
		return exitNoRuntime
	default:
		return exitFailed
	}
}

// isStarting reports whether the error is that a worker could not start with its library.
func isStarting(err error) bool {
	var refused *ort.Error
	var crash *ort.CrashError
	return errors.As(err, &refused) && refused.Phase == ort.Starting || errors.As(err, &crash) && crash.Phase == ort.Starting
}
