package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// Named is a name that a user can type, with a short description.
type Named struct{ Name, About string }

// Operators lists the operators that a new node of a place can have: functions of the model, and
// operators in the opsets that the place imports or could import. Those of other domains than the
// default one are written with their domain.
func Operators(m *graphops.Model, p *graphops.Place) []Named {
	e := begin(m, p)
	var list []Named
	for _, f := range m.Functions() {
		k := f.Key()
		list = append(list, Named{joinOperator(k.Domain, k.Name), "function of the model"})
	}
	for _, d := range opschema.Domains() {
		version, ok := e.opset(d)
		if !ok {
			version = opschema.Latest(d)
		}
		for _, op := range opschema.Names(d) {
			if s, found := opschema.Find(d, op, version); found && !s.Deprecated {
				list = append(list, Named{joinOperator(d, op), domainLabel(d)})
			}
		}
	}
	return list
}

// Form is what a user fills in for a new node.
type Form struct{ Attributes, Inputs []Named }

// FormOf returns the form of an operator in a place. ok is false if there is no such operator.
func FormOf(m *graphops.Model, p *graphops.Place, op string) (form Form, ok bool) {
	s, err := begin(m, p).signatureOf(op)
	if err != nil {
		return Form{}, false
	}
	names, required := s.attributeNames()
	for _, name := range names {
		kind, _ := s.attribute(name)
		about := kind.String()
		if slices.Contains(required, name) {
			about += ", required"
		}
		form.Attributes = append(form.Attributes, Named{name, about})
	}
	for i := range min(s.maxInputs(), maxListed) {
		name := s.inputName(i)
		if slices.ContainsFunc(form.Inputs, func(in Named) bool { return in.Name == name }) {
			continue // an operator that takes any number of them
		}
		about := fmt.Sprintf("input %d", i)
		if s.needsInput(i) {
			about += ", required"
		}
		form.Inputs = append(form.Inputs, Named{name, about})
	}
	return form, true
}
