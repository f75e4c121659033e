package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lathe/session"
)

// GroupAnnotation is the annotation of a flag that is an option: the title of its group.
const GroupAnnotation = "group"

// addFlag adds the flag of an option, and hidden flags for its earlier names.
func addFlag(flags *pflag.FlagSet, step session.Step, o session.Option) {
	f := flags.VarPF(optionFlag{o: o, step: step}, o.LongFlag(), o.Short, flagUsage(o))
	f.NoOptDefVal = o.Implied
	f.Annotations = map[string][]string{GroupAnnotation: {o.Group.String()}}
	for _, name := range o.Aliases {
		if flags.Lookup(name) != nil {
			continue // the old name belongs to another option
		}
		f := flags.VarPF(optionFlag{o, true, step}, name, "", "")
		f.Hidden, f.NoOptDefVal = true, o.Implied
	}
}

// noteAliases prints the current names of flags that were given by their earlier names.
func (a *app) noteAliases(flags *pflag.FlagSet) {
	flags.Visit(func(f *pflag.Flag) {
		if option, ok := optionOf(f); ok && option.former {
			a.remark("note", fmt.Sprintf("--%s is now called --%s", f.Name, option.o.LongFlag()))
		}
	})
}

// flagUsage is the usage text of an option in --help: what it does, its choices and its default.
func flagUsage(o session.Option) string {
	usage := o.Usage
	switch {
	case len(o.Choices) == 0:
	case o.IsList():
		usage += "; any of " + strings.Join(o.Choices, ", ")
	default:
		usage += "; one of " + strings.Join(o.Choices, ", ")
	}
	if o.Default != "" {
		usage += " (default: " + o.Default + ")"
	}
	return usage
}

// optionFlag adapts an option to the flag library, under its name or, if former is set, under an
// alias.
type optionFlag struct {
	o      session.Option
	former bool
	step   session.Step
}

func (f optionFlag) String() string {
	if f.o.IsList() {
		return ""
	}
	return strings.Join(f.o.Values(), " ")
}

func (f optionFlag) Set(v string) error {
	if v == "" {
		if err := refuseEmpty(f.o.Kind); err != nil {
			return err
		}
	}
	// The flag library puts the flag's name in front of the message itself.
	if err := f.o.Set(v); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "--"+f.o.LongFlag()+": "))
	}
	return nil
}

// FileFlag is the value of a flag that names a file, for commands that are not steps.
type FileFlag string

func (f *FileFlag) String() string { return string(*f) }

func (f *FileFlag) Set(v string) error {
	*f = FileFlag(v)
	if v == "" {
		return refuseEmpty(session.KindPath)
	}
	return nil
}

func (*FileFlag) Type() string { return "PATH" }

// ChoiceFlag is a flag with a fixed set of values. It belongs to a command and not to a step.
type ChoiceFlag struct {
	Value   *string
	Choices []string
}

func (f *ChoiceFlag) String() string { return "" } // the usage text states the default

// Set implements pflag.Value.
func (f *ChoiceFlag) Set(v string) error {
	if !slices.Contains(f.Choices, v) {
		return fmt.Errorf("%q is not one of %s", v, strings.Join(f.Choices, ", "))
	}
	*f.Value = v
	return nil
}

// Type implements pflag.Value.
func (*ChoiceFlag) Type() string { return "TEXT" }

// refuseEmpty returns an error if an empty value would have the same effect as no flag. Otherwise
// an unset variable in a script would silently turn a command that writes into a preview, or a run
// on a GPU into a run on the CPU.
func refuseEmpty(k session.OptionKind) error {
	switch k {
	case session.KindPath, session.KindPaths:
		return errors.New("expected the name of a file")
	case session.KindText:
		return errors.New("expected a value; leave the flag out for the default")
	default:
		return nil // in a list, "" is an element; other kinds reject it themselves
	}
}

// Type returns the placeholder for the value in --help, unless the usage text has one in backticks.
// The flag library prints no placeholder for "bool".
func (f optionFlag) Type() string {
	switch f.o.Kind {
	case session.KindSwitch:
		return "bool"
	case session.KindInt:
		return "N"
	case session.KindFloat:
		return "NUMBER"
	case session.KindPath, session.KindPaths:
		return "PATH"
	default:
		return "TEXT"
	}
}

// textFlag is the value of a flag for any text, for commands that are not steps.
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
