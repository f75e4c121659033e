package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"lathe/session"
)

// groupCommand returns a command that only groups others, such as lathe quantize. expected is the
// error text that names the commands below it.
func groupCommand(name, short, example, expected string) *cobra.Command {
	return &cobra.Command{
		Use:     name,
		Short:   short,
		Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			what := ""
			if len(args) > 0 {
				what = fmt.Sprintf("unknown command %q%s; ", args[0], meant(cmd, args[0]))
			}
			return session.UsageError(what + expected)
		},
		Args: cobra.ArbitraryArgs, // RunE reports unexpected words
	}
}
