package main

import (
	"github.com/spf13/cobra"

	"lathe/session/steps"
)

// open opens the workbench on a model; without a terminal it inspects it.
func (a *app) open(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return a.runStep(cmd.Context(), &steps.Inspect{}, args)
}
