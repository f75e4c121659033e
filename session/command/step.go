package command

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lathe/session/quantization"
	"lathe/session/steps"
)

// stepCommands makes a command for every step. A step with a name of two words is a subcommand of
// its first word. If the first argument names one of these commands, only that one is made in full:
// making all of them takes a third of the program's start-up time.
func (a *app) stepCommands() []*cobra.Command {
	groups := a.commandGroups()
	if a.runsNoStep() {
		return slices.Collect(maps.Values(groups))
	}
	var out []*cobra.Command
	for _, name := range steps.Names() {
		first, _, below := strings.Cut(name, " ")
		if a.runsOther(first) {
			continue
		}
		cmd := a.stepCommand(name)
		if name == "check" {
			a.addExplain(cmd)
		}
		if below {
			groups[first].AddCommand(cmd)
			continue
		}
		out = append(out, cmd)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, groups[name])
	}
	return out
}

// runsOther reports whether the first argument is another command than name. Then the command name
// is not built in full, because it cannot be the one that runs.
func (a *app) runsOther(name string) bool {
	return a.first != name && (a.first == workerName || beginsStep(a.first))
}

// runsNoStep reports whether the first argument is a command that is not a step and does not look at
// the others, or a model to open in the workbench.
func (a *app) runsNoStep() bool {
	if slices.Contains(withoutSteps, a.first) {
		return true
	}
	if a.first == "" || beginsStep(a.first) || strings.HasPrefix(a.first, "-") {
		return false
	}
	_, err := os.Stat(a.first)
	return err == nil && !a.asksHelp && !a.completing() && !slices.Contains([]string{"help", "completion"}, a.first)
}

// withoutSteps are commands that are not steps. The steps that they run, if any, are not commands.
var withoutSteps = []string{"version", "runtime", "history", "run", "config", "tour", workerName}

// beginsStep reports whether a word is the first word of a step's name.
func beginsStep(word string) bool {
	return slices.ContainsFunc(steps.Names(), func(step string) bool {
		first, _, _ := strings.Cut(step, " ")
		return first == word
	})
}

// commandGroups returns the commands that have steps as subcommands.
func (a *app) commandGroups() map[string]*cobra.Command {
	quantize := groupCommand(quantizeName, "convert weights to 8 or 16 bits, and compare the result with the original", listings["quantize dynamic"].example,
		"expected lathe quantize "+lastOr(quantization.Modes())+", such as lathe quantize dynamic MODEL; see lathe quantize --help")
	quantize.GroupID = groupChange
	return map[string]*cobra.Command{torchName: a.torchCommand(), quantizeName: quantize}
}

// quantizeName is the command whose subcommands are the modes of quantization.
const quantizeName = "quantize"

// lastOr joins words with commas, and "or" before the last one.
func lastOr(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (a *app) stepCommand(name string) *cobra.Command {
	step, _ := steps.New(name)
	cmd := &cobra.Command{
		Use:     name[strings.LastIndexByte(name, ' ')+1:] + operandsOf(step, manyChoices),
		Aliases: aliases[name],
		Short:   step.Summary(),
		Long:    explain(step),
		Example: listings[name].example,
		GroupID: listings[name].group,
		Args:    func(_ *cobra.Command, args []string) error { return setOperands(step, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			a.noteAliases(cmd.Flags())
			return a.runStep(cmd.Context(), step, args)
		},
		ValidArgsFunction: completeOperands(step),
	}
	cmd.Flags().SortFlags = false
	for _, o := range step.Options() {
		if !o.Operand {
			addFlag(cmd.Flags(), step, o)
		}
	}
	return cmd
}
