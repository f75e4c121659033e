package command

import (
	"errors"

	"github.com/spf13/cobra"

	"lathe/session"
	"lathe/session/steps"
)

// addExplain adds the flag --explain, which prints an explanation without opening a model. What to
// explain may follow as a separate word; the flag alone lists every check.
func (a *app) addExplain(cmd *cobra.Command) {
	code := ""
	f := cmd.Flags().VarPF((*textFlag)(&code), "explain", "", "explain what `CODE` means, or list all codes, without a model")
	f.NoOptDefVal = steps.AllChecks
	args, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		switch {
		case code == "":
			return args(cmd, words)
		case code == steps.AllChecks && len(words) == 1:
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
		r, err := steps.ExplainCheck(code)
		if err != nil {
			return err
		}
		return a.answer(r)
	}
}

// textFlag is a flag for any text. It belongs to the command and not to a step.
type textFlag string

func (f *textFlag) String() string { return string(*f) }

func (f *textFlag) Set(v string) error {
	*f = textFlag(v)
	if v == "" {
		return refuseEmpty(session.KindText)
	}
	return nil
}

func (*textFlag) Type() string { return "TEXT" }

// writeText writes a report as text, wrapped to the width of the terminal if there is one.
func (a *app) writeText(r session.Report) error {
	s := a.screen()
	var err error
	if wrapped, ok := r.(session.Wrapped); ok && s.columns > 0 {
		err = wrapped.WriteWrapped(s, s.columns)
	} else {
		err = r.WriteText(s)
	}
	return errors.Join(err, s.Flush())
}
