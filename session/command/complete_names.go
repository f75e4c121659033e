package command

import (
	"strings"

	"github.com/spf13/cobra"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/session"
	"lathe/session/naming"
)

// completeNames completes the values of an option that name something in the model on the command
// line, such as nodes after --node.
func (a *app) completeNames(step session.Step, o session.Option) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		m, ok := a.modelOnLine(step, args)
		if !ok {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		q, err := naming.QueryOf(m, o, func(option string) ([]string, bool) { return valuesGiven(step, option) })
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		for _, n := range naming.Collect(q).Offered {
			offered := n.Name
			if !o.ThenOptional {
				offered += o.Then
			}
			if strings.HasPrefix(offered, word) && isOneWord(offered) {
				out = append(out, cobra.CompletionWithDesc(offered, n.About))
			}
		}
		if o.Then != "" { // the value goes on, for example after "="
			return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// valuesGiven returns the values of another option of the step that are already on the command
// line. They do not include the word that is being completed.
func valuesGiven(step session.Step, option string) ([]string, bool) {
	for _, o := range step.Options() {
		if o.Name == option {
			return o.Values(), true
		}
	}
	return nil, false
}

// modelOnLine opens the model named on the command line, or the first of several. Completion has
// nowhere to show an error: if the model does not open, nothing is offered.
func (a *app) modelOnLine(step session.Step, args []string) (*graphops.Model, bool) {
	at := 0
	for _, o := range step.Options() {
		if o.Operand && o.Kind != session.KindPath && o.Kind != session.KindPaths {
			at++
		}
	}
	if at >= len(args) || args[at] == "-" {
		return nil, false
	}
	m, err := graphops.Open(args[at], graphops.OpenOptions{AllowExternal: a.allowExternal, Text: onnxtext.Serialize})
	return m, err == nil
}

// isOneWord reports whether the shell can read a name as one completion: a tab would begin the
// description, and a line break the next completion.
func isOneWord(name string) bool { return !strings.ContainsAny(name, "\t\r\n\x00") }
