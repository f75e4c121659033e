package command

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lathe/session"
	"lathe/session/steps"
)

// everyOption visits the options of all steps.
func everyOption(visit func(s session.Step, o session.Option)) {
	for _, s := range steps.All() {
		for _, o := range s.Options() {
			visit(s, o)
		}
	}
}

// TestEveryOption checks for every option of every step what help, completion and forms need.
func TestEveryOption(t *testing.T) {
	root := (&app{first: cobra.ShellCompRequestCmd}).rootCommand()
	groups := map[string]session.Group{}
	everyOption(func(s session.Step, o session.Option) {
		where := s.Name() + " --" + o.LongFlag()
		if o.Operand {
			return
		}
		cmd, _, err := root.Find(strings.Fields(s.Name()))
		if err != nil {
			t.Fatal(err)
		}
		f := cmd.Flags().Lookup(o.LongFlag())
		if f == nil {
			t.Errorf("%s: is not a flag", where)
			return
		}
		if o.Default != "" && !strings.Contains(f.Usage, "(default: "+o.Default+")") {
			t.Errorf("%s: help does not show the default %q", where, o.Default)
		}
		if isOff := o.Kind == session.KindSwitch || o.IsList() || o.Required; o.Default == "" && !isOff {
			t.Errorf("%s: states no default", where)
		}
		for _, choice := range o.Choices {
			if !strings.Contains(f.Usage, choice) {
				t.Errorf("%s: help does not show the choice %q", where, choice)
			}
		}
		if len(o.Choices) > 0 {
			complete, _ := cmd.GetFlagCompletionFunc(f.Name)
			if complete == nil {
				t.Errorf("%s: its choices are not completed", where)
			} else if offered, _ := complete(cmd, nil, ""); !slices.Equal(offered, o.Choices) {
				t.Errorf("%s: completion offers %q, expected %q", where, offered, o.Choices)
			}
		}
		// An option that several steps share is in the same group everywhere.
		if g, ok := groups[o.Name]; ok && g != o.Group && !slices.Contains(twoGroups, o.Name) {
			t.Errorf("%s: is in group %s, and in %s elsewhere", where, o.Group, g)
		}
		groups[o.Name] = o.Group
	})
	for name, want := range map[string]session.Group{
		"ep": session.GroupRunOn, "on": session.GroupRunOn, "data": session.GroupInputs, "seed": session.GroupInputs,
		"threads": session.GroupRuntime, "timeout": session.GroupRuntime, "out": session.GroupResult, "force": session.GroupResult,
		"no-check": session.GroupResult, "no-store": session.GroupResult, "node": session.GroupStep,
	} {
		if got, ok := groups[name]; !ok || got != want {
			t.Errorf("--%s is in group %s, expected %s", name, got, want)
		}
	}
}

// twoGroups are names that mean different things to different steps.
var twoGroups = []string{"input", "dim", "role", "data", "save", "opt", "limit", "keep"}

// TestHelpFits checks that --help has few lines, and that no line of --help or --help-all is wider
// than the terminal.
func TestHelpFits(t *testing.T) {
	root := (&app{}).rootCommand()
	eachCommand(root, func(cmd *cobra.Command) {
		if cmd == root || cmd.Hidden || cmd.HasParent() && cmd.Parent().Name() == "completion" {
			return
		}
		for _, all := range []bool{false, true} {
			a := &app{helpAll: all, out: &checkedWriter{}}
			var out strings.Builder
			cmd.InitDefaultHelpFlag()
			a.help(cmd, &out)
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if !all && len(lines) > maxHelp {
				t.Errorf("%s --help has %d lines, expected %d at most", cmd.CommandPath(), len(lines), maxHelp)
			}
			for _, line := range lines {
				if utf8.RuneCountInString(line) > plainWidth && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("%s: a line has more than %d columns: %s", cmd.CommandPath(), plainWidth, line)
				}
			}
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				if !f.Hidden && !strings.Contains(out.String(), "--"+f.Name) {
					t.Errorf("%s: help does not name --%s", cmd.CommandPath(), f.Name)
				}
			})
		}
	})
}
