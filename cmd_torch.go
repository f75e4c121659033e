package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lathe/session"
	"lathe/session/steps"
)

const torchName = "torch"

// torchCommand is the group of what works with PyTorch in the user's Python.
func (a *app) torchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     torchName,
		Short:   "export from PyTorch through your own Python",
		Example: listings["torch export"].example,
		RunE: func(_ *cobra.Command, args []string) error {
			what := ""
			if len(args) > 0 {
				what = fmt.Sprintf("unknown command %q, ", args[0])
			}
			return session.UsageError(what + "expected lathe torch export; see lathe torch --help")
		},
		Args: cobra.ArbitraryArgs, // told above
	}
	if a.first == torchName || a.first == "help" {
		for _, name := range steps.Names() {
			if strings.HasPrefix(name, torchName+" ") {
				cmd.AddCommand(a.stepCommand(name))
			}
		}
	}
	return cmd
}
