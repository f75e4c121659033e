package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/steps"
)

// stepCommands makes a command of every step.
func (a *app) stepCommands() []*cobra.Command {
	var out []*cobra.Command
	for _, name := range steps.Names() {
		out = append(out, a.stepCommand(name))
	}
	return out
}

func (a *app) stepCommand(name string) *cobra.Command {
	step, _ := steps.New(name)
	cmd := &cobra.Command{
		Use:     name + operandsOf(step),
		Short:   step.Summary(),
		Example: exampleOf(name),
		Args:    func(_ *cobra.Command, args []string) error { return setOperands(step, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runStep(cmd.Context(), step, args)
		},
	}
	for _, o := range step.Options() {
		if !o.Operand {
			addFlag(cmd.Flags(), o)
		}
	}
	return cmd
}

// operandsOf is the usage of what stands on the line without a flag.
func operandsOf(step session.Step) string {
	use := ""
	for _, o := range step.Options() {
		if !o.Operand {
			continue
		}
		word := strings.ToUpper(o.Name)
		switch {
		case len(o.Choices) > 0:
			word = strings.Join(o.Choices, "|")
		case o.IsList():
			word += "…"
		}
		if !o.Required {
			word = "[" + word + "]"
		}
		use += " " + word
	}
	if session.TakesModel(step) {
		use += " MODEL"
	}
	return use
}

// setOperands hands the words without flags to the step's operands, in order.
// A list takes what is left; a step that takes a model leaves the last word.
func setOperands(step session.Step, args []string) error {
	usage := func() error {
		return session.UsageError(fmt.Sprintf("expected lathe %s%s; see lathe %s --help", step.Name(), operandsOf(step), step.Name()))
	}
	if session.TakesModel(step) {
		if len(args) == 0 {
			return usage()
		}
		args = args[:len(args)-1]
	}
	for _, o := range step.Options() {
		if !o.Operand {
			continue
		}
		if len(args) == 0 && o.Required {
			return usage()
		}
		for len(args) > 0 {
			if err := o.Set(args[0]); err != nil {
				return session.UsageError(err.Error())
			}
			args = args[1:]
			if !o.IsList() {
				break
			}
		}
	}
	if len(args) > 0 {
		return usage()
	}
	return nil
}

// addFlag makes an option a flag.
func addFlag(flags *pflag.FlagSet, o session.Option) {
	f := flags.VarPF(optionFlag{o}, o.Name, o.Short, o.Usage)
	f.NoOptDefVal = o.Implied
}

// optionFlag is an option as the flag library sees it.
type optionFlag struct{ o session.Option }

func (f optionFlag) String() string {
	if f.o.IsList() {
		return ""
	}
	return strings.Join(f.o.Values(), " ")
}

func (f optionFlag) Set(v string) error {
	// The flag library writes the flag's name in front of the message itself.
	if err := f.o.Set(v); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "--"+f.o.Name+": "))
	}
	return nil
}

func (f optionFlag) Type() string {
	switch f.o.Kind {
	case session.KindSwitch:
		return "bool"
	case session.KindInt:
		return "int"
	case session.KindFloat:
		return "float"
	default:
		return "string"
	}
}

// runStep runs a step as a command: a preview where the step would write a
// model and no file is named.
func (a *app) runStep(ctx context.Context, step session.Step, args []string) error {
	if err := checkRequired(step); err != nil {
		return err
	}
	out, writes := outputOf(step)
	toStdout := writes && out == "-"
	if toStdout && a.json {
		return session.UsageError("--out - and --json both want standard output")
	}
	env, done := a.env(ctx)
	defer done()
	var m *graphops.Model
	if session.TakesModel(step) {
		var err error
		if m, err = a.openModel(ctx, args[len(args)-1]); err != nil {
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
		return a.runToStdout(ctx, step, env, m)
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

// runToStdout writes the model to standard output and the report beside it.
func (a *app) runToStdout(ctx context.Context, step session.Step, env session.Env, m *graphops.Model) error {
	for _, o := range step.Options() {
		if o.Name == "external-data" && len(o.Values()) > 0 {
			return session.UsageError("--out - writes one file, so not with --external-data")
		}
		if o.Name == "out" {
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
	if err := graphops.Write(a.out, result); err != nil {
		return err
	}
	return r.Report.WriteText(a.errOut)
}

func checkRequired(step session.Step) error {
	out, writes := outputOf(step)
	for _, o := range step.Options() {
		if !o.Required || len(o.Values()) > 0 || writes && out == "" && o.Name == "out" {
			continue
		}
		return session.UsageError(fmt.Sprintf("%s: --%s is required; see lathe %s --help", step.Name(), o.Name, step.Name()))
	}
	return nil
}

// outputOf tells whether the step can write a model, and where to.
func outputOf(step session.Step) (path string, writes bool) {
	for _, o := range step.Options() {
		if o.Name == "out" {
			return strings.Join(o.Values(), ""), true
		}
	}
	return "", false
}

// answer writes a report as JSON or as text.
func (a *app) answer(r session.Report) error {
	if !a.json {
		return r.WriteText(a.out)
	}
	if large, ok := r.(interface{ WriteJSON(w io.Writer) error }); ok {
		return large.WriteJSON(a.out)
	}
	return writeJSON(a.out, r)
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// exampleOf is a line that runs on a model in testdata.
func exampleOf(name string) string {
	return map[string]string{
		"inspect":   "lathe inspect testdata/digits.onnx --ops",
		"prune":     "lathe prune testdata/digits.onnx --output features -o features.onnx",
		"axes":      "lathe axes testdata/digits.onnx --dynamic input:0=batch -o dynamic.onnx",
		"annotate":  "lathe annotate testdata/digits.onnx --value input=f32[batch,1,8,8] -o annotated.onnx",
		"attribute": "lathe attribute testdata/digits.onnx --node /fc1/Gemm --set alpha=0.5 -o scaled.onnx",
		"bypass":    "lathe bypass testdata/digits.onnx --node /Relu_1 -o bypassed.onnx",
		"constants": "lathe constants to-nodes testdata/digits.onnx -o nodes.onnx",
		"delete":    "lathe delete testdata/scalar_f16.onnx --node largest --downstream --unused -o deleted.onnx",
		"insert":    "lathe insert testdata/digits.onnx --on features --op cast --to f16 -o cast.onnx",
		"merge":     "lathe merge testdata/external.onnx --with testdata/function.onnx -o both.onnx",
		"metadata":  "lathe metadata testdata/digits.onnx --set task=digits --doc 'reads one digit' -o described.onnx",
		"rename":    "lathe rename testdata/digits.onnx --value input=image --value logits=scores -o renamed.onnx",
		"export":    "lathe export testdata/digits.onnx --output features -o features.onnx",
		"quantize":  "lathe quantize dynamic testdata/digits.onnx -o digits.int8.onnx",
		"run-model": "lathe run-model testdata/digits.onnx --values features",
		"validate":  "lathe validate testdata/digits.onnx digits.int8.onnx --data testdata/digits_test.npz",
		"bench":     "lathe bench testdata/digits.onnx digits.int8.onnx --seconds 5",
	}[name]
}
