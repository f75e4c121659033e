package command

import (
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
)

// app is the state that all commands of one run share.
type app struct {
	in     io.Reader
	out    *checkedWriter
	errOut io.Writer

	// first is the first argument of the command line. It is "" if the tree of commands is built
	// for documents and not to run a command.
	first         string
	asksHelp      bool // an argument asks for help
	helpAll       bool // help describes every flag
	json          bool
	color         string
	runtime       string
	python        string
	allowExternal []string
	plugins       []string           // values of --ep-library
	runs          sync.Mutex         // guards running: background jobs of the workbench ask for libraries
	running       map[string]running // by the path of the library; created at the first use
	version       string
	workbench     Workbench // nil if the program has none
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "lathe [MODEL [OTHER]]",
		Short: "A terminal workbench for ONNX models",
		Long: "Lathe opens an ONNX model of any size and lets you explore it, edit it and convert it (outputs, dynamic axes,\n" +
			"precision), and shows whether the result is right and faster. With one model it opens the workbench, with a folder\n" +
			"the list of its models, and with two models it compares them side by side. The commands below do the same from\n" +
			"scripts.",
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
	flags.StringArrayVar(&a.plugins, pluginFlag, nil, "load execution providers from `LIBRARY` beside ONNX Runtime, a path or NAME=PATH; repeat for several")
	flags.StringArrayVar(&a.allowExternal, "allow-external", nil, "also allow external data in `FOLDER`; repeat for several")
	a.color = colorAuto
	flags.Var(&ChoiceFlag{&a.color, []string{colorAuto, colorAlways, colorNever}}, "color", "colour the words that give the result, `WHEN`: auto (on a terminal, unless NO_COLOR is set), always, never (default: auto)")
	flags.Bool(helpAllName, false, "describe every flag")
	if a.workbench != nil {
		a.workbench.AddFlags(root.Flags())
		settings := a.configCommand()
		settings.GroupID = groupMore
		tour := a.tourCommand()
		tour.GroupID = groupMore
		root.AddCommand(settings, tour)
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
