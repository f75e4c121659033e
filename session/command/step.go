package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/steps"
	"lathe/session/text"
)

// stepCommands makes a command for every step. A step with a name of two words is a subcommand of
// its first word. If the first argument names one of these commands, only that one is made in full:
// making all of them takes a third of the program's start-up time.
func (a *app) stepCommands() []*cobra.Command {
	groups := a.commandGroups()
	var out []*cobra.Command
	for _, name := range steps.Names() {
		first, _, below := strings.Cut(name, " ")
		if a.runsOther(first) {
			continue
		}
		cmd := a.stepCommand(name)
		if name == "check" {
			a.addExplain(cmd)
		}
		if below {
			groups[first].AddCommand(cmd)
			continue
		}
		out = append(out, cmd)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, groups[name])
	}
	return out
}

// runsOther reports whether the first argument names a command other than name, so that name need
// not be made in full.
func (a *app) runsOther(name string) bool {
	return a.first != name && (a.first == workerName || beginsStep(a.first))
}

// beginsStep reports whether a word is the first word of a step's name.
func beginsStep(word string) bool {
	return slices.ContainsFunc(steps.Names(), func(step string) bool {
		first, _, _ := strings.Cut(step, " ")
		return first == word
	})
}

// commandGroups returns the commands that have steps as subcommands.
func (a *app) commandGroups() map[string]*cobra.Command {
	quantize := groupCommand(quantizeName, "convert weights to 8 or 16 bits, and compare the result with the original", listings["quantize dynamic"].example,
		"expected lathe quantize "+lastOr(steps.QuantizeModes())+", such as lathe quantize dynamic MODEL; see lathe quantize --help")
	quantize.GroupID = groupChange
	return map[string]*cobra.Command{torchName: a.torchCommand(), quantizeName: quantize}
}

// quantizeName is the command whose subcommands are the modes of quantization.
const quantizeName = "quantize"

// lastOr joins words with commas, and "or" before the last one.
func lastOr(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (a *app) stepCommand(name string) *cobra.Command {
	step, _ := steps.New(name)
	cmd := &cobra.Command{
		Use:     name[strings.LastIndexByte(name, ' ')+1:] + operandsOf(step, manyChoices),
		Aliases: aliases[name],
		Short:   step.Summary(),
		Long:    explain(step),
		Example: listings[name].example,
		GroupID: listings[name].group,
		Args:    func(_ *cobra.Command, args []string) error { return setOperands(step, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			a.noteAliases(cmd.Flags())
			return a.runStep(cmd.Context(), step, args)
		},
		ValidArgsFunction: completeOperands(step),
	}
	cmd.Flags().SortFlags = false
	for _, o := range step.Options() {
		if !o.Operand {
			addFlag(cmd.Flags(), step, o)
		}
	}
	return cmd
}

// Annotations of a flag that is an option: the title of its group, and its default.
const (
	GroupAnnotation   = "group"
	DefaultAnnotation = "default"
)

// addFlag adds the flag of an option, and hidden flags for its earlier names.
func addFlag(flags *pflag.FlagSet, step session.Step, o session.Option) {
	f := flags.VarPF(optionFlag{o: o, step: step}, o.LongFlag(), o.Short, flagUsage(o))
	f.NoOptDefVal = o.Implied
	f.Annotations = map[string][]string{GroupAnnotation: {o.Group.String()}, DefaultAnnotation: {o.Default}}
	for _, a := range o.Aliases {
		if flags.Lookup(a.Name) != nil {
			continue // the old name belongs to another option
		}
		f := flags.VarPF(optionFlag{o, a, step}, a.Name, "", "")
		f.Hidden, f.NoOptDefVal = true, o.Implied
		if a.Value != "" {
			f.NoOptDefVal = "true"
		}
	}
}

// noteAliases prints the current names of flags that were given by their earlier names.
func (a *app) noteAliases(flags *pflag.FlagSet) {
	flags.Visit(func(f *pflag.Flag) {
		if option, ok := optionOf(f); ok && option.alias.Name != "" {
			a.remark("note", fmt.Sprintf("--%s is now called --%s", f.Name, strings.TrimSpace(option.o.LongFlag()+" "+option.alias.Value)))
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

// optionFlag adapts an option to the flag library, under its name or under an alias.
type optionFlag struct {
	o     session.Option
	alias session.Alias
	step  session.Step
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
	if err := f.o.SetAs(f.alias, v); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "--"+f.o.LongFlag()+": "))
	}
	return nil
}

// FileFlag is a flag for a file name. It belongs to a command and not to a step.
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

// runStep runs a step as a command. If the step would write a model and no output file is named, it
// runs a preview.
func (a *app) runStep(ctx context.Context, step session.Step, args []string) error {
	if err := checkRequired(step); err != nil {
		return err
	}
	out, writes := outputOf(step)
	toStdout := writes && out == "-"
	if toStdout && a.json {
		return session.UsageError("--out - and --json both write to standard output")
	}
	if toStdout && isTerminal(a.out.w) {
		return session.UsageError("--out -: standard output is a terminal, and a model is binary; redirect it to a file or a program")
	}
	launched, ok := step.(session.Launched)
	if !ok || !launched.RunsElsewhere() {
		if err := cmp.Or(a.checkNamedPython(), a.checkNamedRuntime(ctx)); err != nil {
			return err
		}
	}
	env, done := a.env(ctx)
	defer done()
	env.Stdin = a.stdin()
	if !writes || out != "" { // a preview skips the proof
		defer env.Prepare(ctx, step)()
	}
	var m *graphops.Model
	if looker, ok := step.(session.Looker); ok {
		if r, err := looker.Look(ctx, env, args[len(args)-1]); err != nil || r != nil {
			done()
			if err != nil {
				return err
			}
			return a.answer(r)
		}
	}
	if session.TakesModel(step) {
		var err error
		if m, err = a.openFor(ctx, env, step, args[len(args)-1]); err != nil {
			return err
		}
	}
	if writes && out == "" {
		p, err := step.Preview(ctx, env, m)
		if err != nil {
			return err
		}
		done()
		return a.answer(p.Report)
	}
	if toStdout {
		return a.runToStdout(ctx, step, env, m, done)
	}
	r, err := step.Run(ctx, env, m)
	if err != nil {
		return err
	}
	done()
	if err := a.answer(r.Report); err != nil {
		return err
	}
	if r.No {
		return errNo
	}
	return nil
}

// openFor opens the model of a step. If the step runs on another machine, it opens the model there.
func (a *app) openFor(ctx context.Context, env session.Env, step session.Step, path string) (*graphops.Model, error) {
	if o, ok := step.(session.Opener); ok && o.OpensElsewhere() {
		return o.OpenModel(ctx, env, path)
	}
	return a.openModel(ctx, path)
}

// runToStdout writes the model to standard output and the report to standard error, after the
// progress line is gone.
func (a *app) runToStdout(ctx context.Context, step session.Step, env session.Env, m *graphops.Model, done func()) error {
	for _, o := range step.Options() {
		if o.Name == "external-data" && len(o.Values()) > 0 {
			return session.UsageError("--out - writes one file, so not with --external-data")
		}
		if o.Role == session.RoleModel {
			o.Reset()
		}
	}
	r, err := step.Run(ctx, env, m)
	if err != nil {
		return err
	}
	result := r.Model
	if result == nil {
		result = m
	}
	done()
	if result != nil { // nil if the step could not make a model
		if err := graphops.Write(a.out, result); err != nil {
			return err
		}
	}
	if err := r.Report.WriteText(a.errOut); err != nil {
		return err
	}
	if r.No {
		return errNo
	}
	return nil
}

func checkRequired(step session.Step) error {
	out, writes := outputOf(step)
	for _, o := range step.Options() {
		if !o.Required || len(o.Values()) > 0 || writes && out == "" && o.Role == session.RoleModel {
			continue
		}
		return session.UsageError(fmt.Sprintf("%s: --%s is required; see lathe %s --help", step.Name(), o.LongFlag(), step.Name()))
	}
	return nil
}

// outputOf returns where the step writes its model, and whether it can write one.
func outputOf(step session.Step) (path string, writes bool) {
	o, writes := session.WithRole(step, session.RoleModel)
	if !writes {
		return "", false
	}
	return strings.Join(o.Values(), ""), true
}

// answer writes a report as JSON or as text.
func (a *app) answer(r session.Report) error {
	if d, ok := r.(document); ok && !a.json {
		return a.writeDocument(d)
	}
	if !a.json {
		return a.writeText(r)
	}
	out := text.EscapeJSON(a.out)
	if large, ok := r.(interface{ WriteJSON(w io.Writer) error }); ok {
		return large.WriteJSON(out)
	}
	return writeJSON(out, r)
}

// document is a report in a format that other programs read, such as a model in ONNX text syntax.
// It is printed unchanged even without --json; warnings go to standard error.
type document interface {
	WriteDocument(w io.Writer) (warnings []string, err error)
}

// writeDocument writes a document byte for byte. On a terminal, control characters are escaped.
func (a *app) writeDocument(d document) error {
	screen := &text.Lines{W: a.out}
	var out io.Writer = a.out
	if isTerminal(a.out.w) {
		out = screen
	}
	warnings, err := d.WriteDocument(out)
	if screen.Changed {
		warnings = append(warnings, "control characters are shown escaped on a terminal; a file or a pipe gets them unchanged")
	}
	for _, w := range warnings {
		a.remark("warning", w)
	}
	return err
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
