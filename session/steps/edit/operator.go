package edit

import (
	"fmt"
	"strings"

	"lathe/graphops/edit"
	"lathe/session"
)

// operatorOptions has the options that say what a new node gets besides its operator.
type operatorOptions struct {
	Set    []string
	Input  []string
	Domain string
}

func (s *operatorOptions) domain() session.Option {
	return session.Text(&s.Domain, "domain", "the operator is one of this `DOMAIN`").WithDefault("the default domain, or the only one that has it")
}

func (s *operatorOptions) set() session.Option {
	return session.Keyed(&s.Set, "set", "set `ATTR=VALUE` of the new node; VALUE has the kind that the operator declares, such as 3, 0.5, [1,2], f16 or text; repeat for several").Naming(session.NamesAttribute, "=")
}

// input returns the option for inputs of the new node. what says which inputs these are.
func (s *operatorOptions) input(what string) session.Option {
	return session.Keyed(&s.Input, "input", "`INPUT=VALUE`: "+what+", by name or position, is a value of the model, or a constant such as f32[]{0.5} or i64[2]{0,1}; repeat for several").Naming(session.NamesOperand, "=")
}

// value returns the operator for package edit.
func (s *operatorOptions) value(op string) (edit.Operator, error) {
	o := edit.Operator{Name: op}
	if s.Domain != "" {
		if _, _, stated := edit.SplitOperator(op); stated {
			return o, session.UsageError(fmt.Sprintf("--domain %q: --op %q says the domain already", s.Domain, op))
		}
		o.Name = s.Domain + "::" + op
	}
	for _, text := range s.Set {
		set, err := attributeSetting(text)
		if err != nil {
			return o, err
		}
		o.Set = append(o.Set, set)
	}
	for _, text := range s.Input {
		in, err := operatorInput(text)
		if err != nil {
			return o, err
		}
		o.Inputs = append(o.Inputs, in)
	}
	return o, nil
}

// operatorInput reads "INPUT=VALUE". It splits at the first "=": names of values may contain one,
// names of inputs do not.
func operatorInput(text string) (edit.OperatorInput, error) {
	input, value, ok := strings.Cut(text, "=")
	if !ok || input == "" {
		return edit.OperatorInput{}, session.UsageError(fmt.Sprintf("--input %q: expected INPUT=VALUE, such as 1=other or slope=f32[]{0.5}", text))
	}
	return edit.OperatorInput{Input: input, Text: value}, nil
}
