package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lathe/graphops"
	"lathe/session"
)

// helpCommand prints the help of a command. It returns an error if there is no such command.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "help about any command",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			of, err := topic(cmd.Root(), args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return beginningWith(namesBelow(of), word), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := topic(cmd.Root(), args)
			if err != nil {
				return err
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// addGenerated adds the commands that the library generates, help and completion, and makes them
// report unknown words as errors.
func addGenerated(root *cobra.Command) {
	root.SetHelpCommand(helpCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "generate the completion script of a shell"
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(_ *cobra.Command, args []string) error {
				said := ""
				if len(args) > 0 {
					said = fmt.Sprintf("unknown shell %q, ", args[0])
				}
				return session.UsageError(said + "expected lathe completion " + strings.Join(namesBelow(c), ", "))
			}
		}
	}
}

// topic finds the command that these words name, such as "torch export".
func topic(root *cobra.Command, words []string) (*cobra.Command, error) {
	of, rest, err := root.Find(words)
	if err == nil && len(rest) == 0 {
		return of, nil
	}
	if err != nil {
		of, rest = root, words
	}
	return nil, session.UsageError(fmt.Sprintf("help %s: there is no command %q%s; see %s --help", strings.Join(words, " "), rest[0], meant(of, rest[0]), of.CommandPath()))
}

// meant suggests the command with the nearest name, or the commands that begin with the word.
func meant(of *cobra.Command, word string) string {
	names := namesBelow(of)
	near := graphops.NearestNames(word, slices.Values(names))
	if len(near) == 0 {
		near = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, word) })
	}
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near[0])
}

// namesBelow returns the names of the visible commands below a command.
func namesBelow(of *cobra.Command) []string {
	var names []string
	for _, c := range of.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}
