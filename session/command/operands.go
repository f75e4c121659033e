package command

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/session"
)

// manyChoices is the number of choices from which on the usage line shows the name of an operand
// instead of its choices.
const manyChoices = 4

// explain returns the first paragraph of a step's help: what the step does, and the choices of
// operands that the usage line only names.
func explain(step session.Step) string {
	text := upperFirst(step.Summary()) + "."
	for _, o := range step.Options() {
		if o.Operand && len(o.Choices) >= manyChoices {
			text += fmt.Sprintf("\n%s is one of %s: %s.", strings.ToUpper(o.Name), strings.Join(o.Choices, ", "), o.Usage)
		}
	}
	return text
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// operandsOf returns the operands part of a usage line. An operand with fewer choices than the
// limit is shown as the list of its choices.
func operandsOf(step session.Step, choices int) string {
	use := ""
	for _, o := range step.Options() {
		if !o.Operand {
			continue
		}
		word := strings.ToUpper(o.Name)
		switch {
		case len(o.Choices) > 0 && len(o.Choices) < choices:
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

// setOperands sets the step's operands to the words without flags, in order. An operand that is a
// list takes all remaining words, except the last one if the step also takes a model.
func setOperands(step session.Step, args []string) error {
	usage := func() error {
		return session.UsageError(fmt.Sprintf("expected lathe %s%s; see lathe %s --help", step.Name(), operandsOf(step, math.MaxInt), step.Name()))
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
		return tooMany(step, args[0], usage())
	}
	return nil
}

// tooMany returns the error for a word that no operand takes. The word may be meant for a flag
// whose value is optional; such a flag takes its value only after "=".
func tooMany(step session.Step, word string, usage error) error {
	for _, o := range step.Options() {
		if !o.Operand && o.Kind != session.KindSwitch && o.Implied != "" && slices.Equal(o.Values(), []string{o.Implied}) && o.Set(word) == nil {
			return session.UsageError(fmt.Sprintf("unexpected %q; --%s takes its value after =, as --%s=%s", word, o.LongFlag(), o.LongFlag(), word))
		}
	}
	return session.UsageError(fmt.Sprintf("unexpected %q; %s", word, usage))
}
