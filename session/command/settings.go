package command

import (
	"github.com/spf13/cobra"
)

// configCommand prints the settings file with all keys documented.
func (a *app) configCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "print a settings file with every key documented",
		Long: "Config prints a file of settings that changes nothing: every setting and every key of every place of the\n" +
			"workbench, each with what it does. The workbench reads lathe/config.yaml in $XDG_CONFIG_HOME, else in\n" +
			"~/.config; only what differs need be in it. With --json it prints the current settings.",
		Example: "lathe config",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			report, err := a.workbench.Settings()
			if err != nil && a.json {
				return err
			}
			return a.answer(report)
		},
	}
}
