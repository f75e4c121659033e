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

// completing reports whether a shell asks for completions.
func (a *app) completing() bool {
	return a.first == cobra.ShellCompRequestCmd || a.first == cobra.ShellCompNoDescRequestCmd
}

// addCompletion registers, for every command, functions that complete the values of flags and
// operands. It is called only if a shell asks for completions, because it costs start-up time.
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
			case isOption && len(option.o.Extensions) > 0:
				complete = completeFiles(option.o)
			default:
				return
			}
			// The only possible error is that the flag has a function already.
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

// valuesOf returns the values of a flag if they are a fixed set.
func valuesOf(f *pflag.Flag) []string {
	if flag, ok := optionOf(f); ok && len(flag.o.Choices) > 0 {
		return flag.o.Choices
	}
	if choice, ok := valueOf(f).(*ChoiceFlag); ok {
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

// amongValues completes a word from a list of values. In a list with commas it completes the last
// element.
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

// beginningWith returns the words that begin with start.
func beginningWith(words []string, start string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.HasPrefix(word, start) })
}

// completeModel completes models, the arguments of lathe itself. Shells do not complete files by
// themselves if the word may also be the beginning of a command. In that case, it returns the
// matching files of the working folder.
func completeModel(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	begins := func(name string) bool { return strings.HasPrefix(name, word) }
	if len(args) > 0 || !slices.ContainsFunc(namesBelow(cmd), begins) {
		return filesWith(session.ModelFiles, word)
	}
	entries, _ := os.ReadDir(".") // a folder that cannot be read gives no completions
	var out []string
	for _, e := range entries {
		switch name := e.Name(); {
		case !begins(name) || strings.HasPrefix(name, ".") && word == "":
		case e.IsDir():
			out = append(out, name+string(filepath.Separator))
		case hasOneOf(session.ModelFiles, name) || word != "":
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeOperands completes the operands of a step: from their fixed set of values if they have
// one, otherwise as files with the extensions that the operand takes. A model is the last one.
func completeOperands(step session.Step) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		at := len(args)
		for _, o := range step.Options() {
			switch {
			case !o.Operand:
				continue
			case at == 0 && len(o.Choices) > 0:
				return beginningWith(o.Choices, word), cobra.ShellCompDirectiveNoFileComp
			case o.IsList() || at == 0 && o.IsPath():
				return completeFiles(o)(cmd, args, word)
			}
			at--
		}
		if session.TakesModel(step) {
			return filesWith(session.ModelFiles, word)
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}
