package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/ort"
)

// completing reports whether a shell asks what a word can go on to.
func (a *app) completing() bool {
	return a.first == cobra.ShellCompRequestCmd || a.first == cobra.ShellCompNoDescRequestCmd
}

// addCompletion has a command tree tell a shell what the values of its flags and its operands can
// be. It is for a shell that asks: nobody else pays for it.
func (a *app) addCompletion(root *cobra.Command) {
	root.ValidArgsFunction = completeModel
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			f.Usage = strings.ReplaceAll(f.Usage, "`", "") // marks what --help shows as the value
			var complete cobra.CompletionFunc
			option, isOption := optionOf(f)
			switch values := valuesOf(f); {
			case len(values) > 0:
				complete = amongValues(values)
			case isOption && option.o.Names != session.NamesNothing && option.o.Names != session.NamesArgument:
				complete = a.completeNames(option.step, option.o)
			default:
				return
			}
			// The only error is that the flag has a function already.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
		})
	})
}

func eachCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, below := range cmd.Commands() {
		eachCommand(below, visit)
	}
}

// valuesOf are the values of a flag that takes one of a closed set.
func valuesOf(f *pflag.Flag) []string {
	if flag, ok := optionOf(f); ok && len(flag.o.Choices) > 0 {
		return flag.o.Choices
	}
	value := f.Value
	if once, ok := value.(*onceFlag); ok {
		value = once.Value
	}
	if choice, ok := value.(*ChoiceFlag); ok {
		return choice.Choices
	}
	switch f.Name {
	case "ep":
		return ort.TestedProviders()
	case "include", "exclude", "explain":
		return checkCodes()
	}
	return nil
}

func checkCodes() []string {
	var out []string
	for _, rule := range check.Rules() {
		out = append(out, rule.Code)
	}
	return out
}

// amongValues completes a word out of some values; behind a comma, the last part of it.
func amongValues(values []string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		before := word[:strings.LastIndexByte(word, ',')+1]
		given := strings.Split(before, ",")
		var out []string
		for _, v := range values {
			if !slices.Contains(given, v) {
				out = append(out, before+v)
			}
		}
		return beginningWith(out, word), cobra.ShellCompDirectiveNoFileComp
	}
}

// beginningWith are the words that begin so.
func beginningWith(words []string, start string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.HasPrefix(word, start) })
}

// completeModel completes the words of lathe itself: models, which are files. Where a command begins
// as the first word does, the shell is told the files beside it; else it looks by itself.
func completeModel(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	begins := func(name string) bool { return strings.HasPrefix(name, word) }
	if len(args) > 0 || !slices.ContainsFunc(namesBelow(cmd), begins) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	entries, _ := os.ReadDir(".") // of a folder that cannot be read nothing is offered
	var out []string
	for _, e := range entries {
		switch name := e.Name(); {
		case !begins(name) || strings.HasPrefix(name, ".") && word == "":
		case e.IsDir():
			out = append(out, name+string(filepath.Separator))
		case filepath.Ext(name) == ".onnx" || word != "":
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeOperands completes the words of a step: those of a closed set, else files.
func completeOperands(step session.Step) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		at := len(args)
		for _, o := range step.Options() {
			switch {
			case !o.Operand:
				continue
			case at == 0 && len(o.Choices) > 0:
				return beginningWith(o.Choices, word), cobra.ShellCompDirectiveNoFileComp
			case o.IsList():
				return nil, cobra.ShellCompDirectiveDefault
			}
			at--
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}
