package command

import (
	"github.com/spf13/cobra"

	"lathe/session"
	"lathe/session/steps/look"
)

// addExplain adds the flag --explain, which prints an explanation without opening a model. What to
// explain may follow as a separate word; the flag alone lists every check.
func (a *app) addExplain(cmd *cobra.Command) {
	code := ""
	f := cmd.Flags().VarPF((*textFlag)(&code), "explain", "", "explain what `CODE` means, or list all codes, without a model")
	f.NoOptDefVal = look.AllChecks
	args, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		switch {
		case code == "":
			return args(cmd, words)
		case code == look.AllChecks && len(words) == 1:
			code = words[0]
		case len(words) > 0:
			return session.UsageError("--explain works without a model; expected lathe check --explain CODE, or --explain alone for a list; see lathe check --help")
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if code == "" {
			return run(cmd, words)
		}
		r, err := look.ExplainCheck(code)
		if err != nil {
			return err
		}
		return a.answer(r)
	}
}
