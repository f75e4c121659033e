package command

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/session"
)

// manyChoices is from how many on a usage line names the operand and not what it
// can be.
const manyChoices = 4

// explain is what the help of a step says first: what it does, and what its
// operands can be where the usage line does not show it.
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

// operandsOf is the usage of what stands on the line without a flag. Where an
// operand can be one of fewer than so many choices, they are spelled out.
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

// setOperands hands the words without flags to the step's operands, in order.
// A list takes what is left; a step that takes a model leaves the last word.
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

// tooMany is the error of a word that no operand takes. It may be meant for a flag that can do
// without a value, which takes one behind "=" alone.
func tooMany(step session.Step, word string, usage error) error {
	for _, o := range step.Options() {
		if !o.Operand && o.Kind != session.KindSwitch && o.Implied != "" && slices.Equal(o.Values(), []string{o.Implied}) && o.Set(word) == nil {
			return session.UsageError(fmt.Sprintf("unexpected %q; --%s takes its value after =, as --%s=%s", word, o.LongFlag(), o.LongFlag(), word))
		}
	}
	return session.UsageError(fmt.Sprintf("unexpected %q; %s", word, usage))
}
