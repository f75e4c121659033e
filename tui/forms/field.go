package forms

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/paths"
	"lathe/tui/shell"
)

// Field is the input for one option. It is a line of text, a line for each value of a list followed
// by an empty one, or a choice.
type field struct {
	Name, usage string
	label       string // of the field in the form
	kind        session.OptionKind
	required    bool
	option      session.Option     // used only to split values
	Lines       []*shell.Textfield // a choice has one line without text
	choices     []string           // of a choice; "" is the default
	Chosen      int
	// Rare fields are folded if a step has many fields.
	Rare bool
	// err is why the option rejects the value. It is shown after the person has left the field or
	// paused.
	err  error
	Told bool
	// flaws maps values that the option accepts to other problems with them, such as a name that
	// the model does not have. Values that have not been checked are missing.
	flaws map[string]string
}

func newField(o session.Option) *field {
	f := &field{Name: o.Name, label: labelOf(o), usage: usageOf(o), kind: o.Kind, required: o.Required, option: o}
	values := o.Values()
	switch {
	case o.Kind == session.KindSwitch:
		f.choices = []string{"", "true"}
	case o.Kind == session.KindChoice && o.Required:
		f.choices = o.Choices
	case o.Kind == session.KindChoice:
		f.choices = append([]string{""}, o.Choices...)
	case o.IsList():
		for _, v := range values {
			f.Lines = append(f.Lines, shell.NewTextfield(v))
		}
		f.Lines = append(f.Lines, shell.NewTextfield(""))
		return f
	case o.IsPath(): // a path is replaced more often than it is continued
		f.Lines = []*shell.Textfield{shell.NewProposal(strings.Join(values, ""))}
		return f
	default:
		f.Lines = []*shell.Textfield{shell.NewTextfield(strings.Join(values, ""))}
		return f
	}
	f.Lines = []*shell.Textfield{shell.NewTextfield("")}
	f.Chosen = max(slices.Index(f.choices, strings.Join(values, "")), 0)
	return f
}

// usageOf returns the help of an option as a form shows it: several values are lines there.
func usageOf(o session.Option) string {
	s := strings.ReplaceAll(o.Usage, "`", "")
	s = strings.ReplaceAll(s, "repeat for several", "one per line")
	return strings.ReplaceAll(s, "repeat to measure several", "one per line to measure several")
}

// labelOf returns the label of an option: its name or, if the flag is another word, the flag.
func labelOf(o session.Option) string {
	if o.Flag != "" {
		return spelled(o)
	}
	return o.Name
}

// spelled returns an option as a command line has it: an operand by its name, others by their flag.
func spelled(o session.Option) string {
	if o.Operand {
		return o.Name
	}
	return "--" + o.LongFlag()
}

// Values returns the values of the field, as Option.Set accepts them.
func (f *field) Values() []string {
	if f.choices != nil {
		return graph.Present([]string{f.choices[f.Chosen]})
	}
	out := make([]string, len(f.Lines))
	for i := range f.Lines {
		out[i] = f.value(i)
	}
	return graph.Present(out)
}

// value returns the text of a line. A ~ before a path becomes the home folder, because only a shell
// would replace it later.
func (f *field) value(line int) string {
	v := f.Lines[line].Value()
	if !f.option.IsPath() {
		return v
	}
	return f.option.WithPath(v, paths.Expand)
}

// apply sets an option to the values of the field.
func (f *field) apply(o session.Option) error {
	values := f.Values()
	if o.Required && len(values) == 0 {
		return fmt.Errorf("%s is required", spelled(o))
	}
	o.Reset() // drops values of the new step
	for _, v := range values {
		if err := o.Set(v); err != nil {
			return err
		}
	}
	return nil
}

// Typed handles a key or a paste in one of the lines. It reports whether the value has changed.
func (f *field) Typed(line int, msg tea.Msg) (changed bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	switch {
	case f.choices != nil && isKey:
		return f.turn(k.String())
	case f.choices != nil:
		return false
	case f.isList() && isKey && k.String() == "backspace" && f.Lines[line].Value() == "" && line < len(f.Lines)-1:
		f.Lines = slices.Delete(f.Lines, line, line+1)
		return true
	}
	changed = f.Lines[line].Typed(msg)
	if f.isList() && f.Lines[len(f.Lines)-1].Value() != "" {
		f.Lines = append(f.Lines, shell.NewTextfield(""))
	}
	return changed
}

// turn selects another choice.
func (f *field) turn(key string) bool {
	by := 1
	switch key {
	case "space", "right":
	case "left":
		by = -1
	default:
		return false
	}
	n := len(f.choices)
	f.Chosen = (f.Chosen + by + n) % n
	return n > 1
}

func (f *field) isList() bool {
	return f.kind == session.KindList || f.kind == session.KindPaths
}

// View draws one line of the field in w cells. x is the column of its cursor, or -1.
func (f *field) View(line, w int) (s string, x int) {
	switch {
	case f.kind == session.KindSwitch && f.Chosen == 1:
		return cells.Fit("[x]", w), -1
	case f.kind == session.KindSwitch:
		return cells.Fit("[ ]", w), -1
	case f.choices != nil:
		return cells.Fit(f.chosen(), w), -1
	default:
		return f.Lines[line].View(w)
	}
}

// chosen returns the choice as the field shows it.
func (f *field) chosen() string {
	chosen := f.choices[f.Chosen]
	if chosen == "" {
		if chosen = "default"; f.option.Default != "" {
			chosen = f.option.Default + ", the default"
		}
	}
	return "‹ " + cells.Prose(chosen) + " ›"
}

// beside returns what a switch or a choice shows faintly beside its value: the default, or what else
// may be chosen.
func (f *field) beside() string {
	switch {
	case f.kind == session.KindSwitch && f.Chosen == 0:
		return f.option.Default
	case f.kind == session.KindSwitch || f.choices == nil:
		return ""
	}
	var others []string
	for i, c := range f.choices {
		if i != f.Chosen && c != "" && (f.Chosen > 0 || c != f.option.Default) {
			others = append(others, c)
		}
	}
	return strings.Join(others, ", ")
}

// Usage is the help of the field.
func (f *field) Usage() string { return f.usage }

// isEmpty reports whether the field has no value.
func (f *field) isEmpty() bool { return len(f.Values()) == 0 }

// hint is shown in an empty line: the default of the option.
func (f *field) hint(line int) string {
	switch {
	case f.choices != nil || f.Lines[line].Value() != "":
		return ""
	case f.isList() && line > 0:
		return "another"
	case !f.isEmpty():
		return ""
	case f.required:
		return "needed"
	case f.option.Default == "" && f.isList():
		return "none"
	default:
		return f.option.Default
	}
}

// tell allows the error of a field to be shown. It does so unless the field is empty or still ends
// where a suggestion expects more, as in OLD=.
func (f *field) tell() {
	f.Told = !f.isEmpty() && (f.Told || !f.isBegun())
}

// isBegun reports whether a line still contains a suggestion that the person has to complete.
func (f *field) isBegun() bool {
	for line := range f.Lines {
		if f.begun(line) != "" {
			return true
		}
	}
	return false
}

// Begun returns what a line still needs if it contains a suggestion that the person has to
// complete, such as OLD=. It is "" for all other lines.
func (f *field) begun(line int) string {
	l, then := f.Lines[line], f.option.Then
	if _, isChecked := checkedSubjects[f.option.Names]; !isChecked || then == "" || !l.IsUntouched() || !strings.HasSuffix(l.Value(), then) {
		return ""
	}
	return fmt.Sprintf("%q is incomplete: add something after %s", l.Value(), then)
}

// Flaw returns what is wrong with a line. It is "" if nothing is, or if the person is still typing.
func (f *field) Flaw(line int) string {
	switch {
	case !f.Told:
		return ""
	case f.err != nil && line == len(f.Lines)-1:
		return f.err.Error()
	case f.choices != nil || f.err != nil:
		return ""
	}
	if begun := f.begun(line); begun != "" {
		return begun
	}
	return f.flaws[f.value(line)]
}
