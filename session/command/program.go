// Package command is the command line: a command with flags for every step, the commands that are
// not steps, help, completion, and the exit codes.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lathe/graphops"
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
	code := p.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	release()
	graphops.RemoveTemporaries() // of a job that did not end in time
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

// errNo makes a command end with exitNo after it has answered.
var errNo = errors.New("the answer is no")

// Tree returns all commands, for documents. The flags of options have annotations: GroupAnnotation and
// DefaultAnnotation.
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

// app is the state that all commands of one run share.
type app struct {
	in     io.Reader
	out    *checkedWriter
	errOut io.Writer

	// first is the first argument. It is "" if the command tree is not for one run only.
	first         string
	helpAll       bool // help describes every flag
	json          bool
	color         string
	runtime       string
	python        string
	allowExternal []string
	runs          sync.Mutex         // guards running: background jobs of the workbench ask for libraries
	running       map[string]running // by the path of the library, from the first use
	version       string
	workbench     Workbench // nil if the program has none
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "lathe [MODEL [OTHER]]",
		Short: "A terminal workbench for ONNX models",
		Long: "Lathe opens an ONNX model of any size and lets you explore it, edit it and convert it (outputs, dynamic axes,\n" +
			"precision), and shows whether the result is right and faster. With one model it opens the workbench, with two\n" +
			"it compares them side by side. The commands below do the same from scripts.",
		Example: "lathe model.onnx",
		Version: a.version,
		Args:    a.rootArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.open(cmd, args) },
	}
	root.SilenceErrors, root.SilenceUsage = true, true // Run prints errors, in one plain line
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { a.help(cmd, cmd.OutOrStdout()) })
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return session.UsageError(fmt.Sprintf("%s%s; see %s --help", err, nearFlags(cmd, err), cmd.CommandPath()))
	})
	flags := root.PersistentFlags()
	flags.SortFlags = false
	root.Flags().SortFlags = false
	flags.BoolVar(&a.json, "json", false, "print the result as one JSON document")
	flags.Var((*FileFlag)(&a.runtime), "runtime", "use the ONNX Runtime library at `PATH`, a file or its folder")
	flags.Var((*FileFlag)(&a.python), "python", "use the Python at `PATH` to find ONNX Runtime and to run Python code")
	flags.StringArrayVar(&a.allowExternal, "allow-external", nil, "also allow external data in `FOLDER`; repeat for several")
	a.color = colorAuto
	flags.Var(&ChoiceFlag{&a.color, []string{colorAuto, colorAlways, colorNever}}, "color", "colour the words that carry the answer, `WHEN`: auto (on a terminal, unless NO_COLOR is set), always, never (default: auto)")
	flags.Bool(helpAllName, false, "describe every flag")
	if a.workbench != nil {
		a.workbench.AddFlags(root.Flags())
		settings := a.configCommand()
		settings.GroupID = groupMore
		root.AddCommand(settings)
	}
	for _, c := range a.stepCommands() {
		root.AddCommand(c)
	}
	run := a.runCommand()
	run.GroupID = groupRun
	runtime, version := a.runtimeCommand(), a.versionCommand()
	runtime.GroupID, version.GroupID = groupMore, groupMore
	root.AddGroup(groups...)
	root.SetHelpCommandGroupID(groupMore)
	root.SetCompletionCommandGroupID(groupMore)
	root.AddCommand(run, a.historyCommand(), runtime, version, a.workerCommand())
	addGenerated(root)
	onlyOnce(root)
	if a.completing() {
		a.addCompletion(root)
	}
	return root
}

// nearFlags suggests flags with names similar to an unknown one.
func nearFlags(cmd *cobra.Command, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return ""
	}
	if cmd.HasParent() && cmd.Parent().HasParent() {
		for _, beside := range cmd.Parent().Commands() {
			if beside.Flags().Lookup(name) != nil {
				return fmt.Sprintf("; %s has it", beside.CommandPath())
			}
		}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := graphops.NearestNames(name, slices.Values(names))
	if len(near) == 0 {
		return ""
	}
	return "; did you mean --" + near[0] + "?"
}

// rootArgs accepts one model, or two to compare side by side. If the first word is neither a
// command nor a file, it reports a misspelled command.
func (a *app) rootArgs(cmd *cobra.Command, args []string) error {
	if len(args) <= 1 {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		if len(args) == 2 {
			return nil
		}
		return session.UsageError(fmt.Sprintf("%d files; expected one model, or two to compare side by side; see lathe --help", len(args)))
	}
	return session.UsageError(fmt.Sprintf("unknown command %q%s; expected a command, or one or two models, and there is no file of that name; see lathe --help", args[0], meant(cmd, args[0])))
}

// checkedWriter remembers the first error, so that the command fails if, for example, output is
// redirected to a full disk.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}
