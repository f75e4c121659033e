package command

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lathe/session"
	"lathe/session/steps"
)

// statesDefault matches texts that state a default. Defaults belong into Option.Default.
var statesDefault = regexp.MustCompile(`(?i)\bwithout it\b|\bby default\b|\bdefaults? (is|are|to|follows)\b|\b(is|are) the default\b|\bdefault:|` +
	`\bunless (stated|given|set|said)\b|\b(if|when|where) (it is )?(not given|omitted|left out|absent)\b`)

// metavariable matches the placeholder of a value: upper case, possibly with punctuation, such as
// FILE.py:CALLABLE.
var metavariable = regexp.MustCompile(`^[A-Z][A-Z_]*(\.py:[A-Z]+|[:=.,\[\]A-Z]+)?$`)

// TestUsageTexts checks that no usage text states a default, that placeholders of values are in
// upper case, and that --help prints each default once, at the end.
func TestUsageTexts(t *testing.T) {
	for _, s := range steps.All() {
		for _, o := range s.Options() {
			if found := statesDefault.FindString(o.Usage); found != "" {
				t.Errorf("%s %s: %q states a default: use WithDefault", s.Name(), o.Name, found)
			}
			if o.Default != strings.TrimSpace(o.Default) || strings.ContainsAny(o.Default, "`()\n") {
				t.Errorf("%s %s: the default %q is not a plain phrase", s.Name(), o.Name, o.Default)
			}
			if o.Default != "" && !strings.HasSuffix(flagUsage(o), " (default: "+o.Default+")") {
				t.Errorf("%s %s: --help does not end with the default: %q", s.Name(), o.Name, flagUsage(o))
			}
		}
	}
	seen := 0
	eachFlag((&app{}).rootCommand(), func(c *cobra.Command, f *pflag.Flag) {
		seen++
		value, usage := pflag.UnquoteUsage(f)
		if value != "" && !metavariable.MatchString(value) {
			t.Errorf("%s --%s: the value is called %q: use upper case", c.CommandPath(), f.Name, value)
		}
		usage, _, _ = strings.Cut(usage, " (default: ")
		if found := statesDefault.FindString(usage); found != "" {
			t.Errorf("%s --%s: %q states a default", c.CommandPath(), f.Name, found)
		}
		if f.Name != "help" && (usage == "" || usage != strings.TrimRight(strings.TrimSpace(usage), ".")) {
			t.Errorf("%s --%s: %q is not a usage text", c.CommandPath(), f.Name, usage)
		}
	})
	if seen < 400 {
		t.Errorf("there are only %d flags", seen)
	}
}

// eachFlag visits the flags of a command and of those below it.
func eachFlag(c *cobra.Command, visit func(*cobra.Command, *pflag.Flag)) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			visit(c, f)
		}
	})
	for _, below := range c.Commands() {
		eachFlag(below, visit)
	}
}

// TestStatesDefault has texts that state a default, and texts that use the same words otherwise.
func TestStatesDefault(t *testing.T) {
	for text, want := range map[string]bool{
		"lines of each table; 8 without it": true, "info is the default": true, "the default follows from the type": true,
		"the model unless stated": true, "default: all": true, "rgb if not given": true, "all by default": true,
		"keep the initializers as default values of their inputs": false, "list weights without reading them": false,
	} {
		if got := statesDefault.MatchString(text); got != want {
			t.Errorf("%q: %v, expected %v", text, got, want)
		}
	}
}

// TestFlagUsage checks how --help shows choices and defaults.
func TestFlagUsage(t *testing.T) {
	var s string
	o := session.Choice(&s, "opt", "optimize up to `LEVEL`", "none", "all").WithDefault("all")
	if got, want := flagUsage(o), "optimize up to `LEVEL`; one of none, all (default: all)"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}
