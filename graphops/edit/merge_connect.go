package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// connect determines which value feeds which input. It returns an error if their types differ.
func (j *merger) connect() error {
	list := j.o.Connect
	if len(list) == 0 {
		var err error
		if list, err = j.pair(); err != nil {
			return err
		}
	}
	for _, c := range list {
		if err := j.connectOne(c); err != nil {
			return err
		}
		j.report.changed("connection", c.From, c.From, c.To)
	}
	return nil
}

// pair connects outputs with inputs of the same name, or, if no names agree, the only output with
// the only input.
func (j *merger) pair() ([]Connection, error) {
	inputs := j.second.Graph().FeedInputs()
	outputs := map[string]bool{}
	for _, v := range j.first.Graph().Outputs() {
		outputs[v.Name()] = true
	}
	var list []Connection
	for _, v := range inputs {
		if outputs[v.Name()] {
			list = append(list, Connection{v.Name(), v.Name()})
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	if len(inputs) == 1 && len(outputs) == 1 {
		return []Connection{{j.first.Graph().Outputs()[0].Name(), inputs[0].Name()}}, nil
	}
	return nil, fmt.Errorf("no output of the first model has the name of an input of the second; connect them by OUTPUT=INPUT; outputs are %s, inputs %s",
		graphops.QuoteNames(graphops.ValueNames(j.first.Graph().Outputs())), graphops.QuoteNames(graphops.ValueNames(inputs)))
}

// connectOne checks and records one connection. Any value of the first main graph can feed an
// input, not only an output.
func (j *merger) connectOne(c Connection) error {
	x := j.first.Graph().Index()
	id, err := x.Lookup("output", c.From)
	if err != nil {
		return fmt.Errorf("the first model: %w", err)
	}
	if !x.IsDefined(id) {
		return fmt.Errorf("the first model: value %q is not defined by any node, input or initializer", c.From)
	}
	if err := j.checkInput(c.To); err != nil {
		return err
	}
	if from, twice := j.source[c.To]; twice {
		return fmt.Errorf("input %q of the second model is connected twice, with %q and %q", c.To, from, c.From)
	}
	from, to := j.declareMade(id), j.inputType(c.To)
	if why := disagree(from, to); why != "" {
		return fmt.Errorf("value %q of the first model is %s, input %q of the second takes %s: %s", c.From, from.Simplified().Declaration(), c.To, to.Simplified().Declaration(), why)
	}
	j.source[c.To] = c.From
	j.fed = append(j.fed, c.To)
	return nil
}

// declareMade returns the type of a value of first. If inference knows better than the declaration,
// the inferred type is declared and returned.
func (j *merger) declareMade(id graphops.ValueID) graphops.Type {
	main := j.first.Places()[0]
	name, declared := main.Graph.Index().Name(id), main.Type(id)
	b := j.made.Believe(main, id, declared)
	if b.Denied == "" && !b.Filled {
		return declared
	}
	if b.Denied != "" {
		j.report.warn("%s", b.Deny(name, declared))
	}
	made := j.made.ForFile(b)
	j.first = redeclared(j.first, main, map[string]graphops.Type{name: made})
	return made
}

// checkInput returns an error if the second model has no input with the name.
func (j *merger) checkInput(name string) error {
	x := j.second.Graph().Index()
	id, ok := x.Value(name)
	if ok && x.IsInput(id) {
		return nil
	}
	inputs := graphops.ValueNames(j.second.Graph().FeedInputs())
	why := "the graph has none of that name"
	if ok {
		why = "the value of that name is not an input"
	}
	near := graphops.NearestNames(name, slices.Values(inputs))
	if len(near) > 0 {
		return fmt.Errorf("the second model: input %q: %s; nearest names: %s", name, why, graphops.QuoteNames(near))
	}
	return fmt.Errorf("the second model: input %q: %s; inputs are %s", name, why, graphops.QuoteNames(inputs))
}

func (j *merger) inputType(name string) graphops.Type {
	x := j.second.Graph().Index()
	id, _ := x.Value(name)
	return x.Type(id)
}

// share lets the inputs that both models have under the same name become one, unless their types
// differ or the options keep them separate. An input with a default is not considered.
func (j *merger) share() error {
	first, second := feeds(j.first), feeds(j.second)
	separate := map[string]bool{}
	for _, name := range j.o.Separate {
		if _, fed := j.source[name]; first[name] == nil || second[name] == nil || fed {
			return fmt.Errorf("input %q is not an input of both models that nothing feeds; there is nothing to separate", name)
		}
		separate[name] = true
	}
	for _, v := range j.second.Graph().FeedInputs() {
		name := v.Name()
		if _, fed := j.source[name]; fed || first[name] == nil || separate[name] {
			continue
		}
		if why := disagree(first[name].Type(), v.Type()); why != "" {
			j.report.warn("input %q is %s in the first model and %s in the second, so it becomes two inputs: %s", name, first[name].Type().Simplified().Declaration(), v.Type().Simplified().Declaration(), why)
			continue
		}
		j.source[name] = name
		j.fed = append(j.fed, name)
		j.report.changed("shared input", name, "two", "one")
	}
	return nil
}

// feeds returns, by name, the inputs for which a caller must provide a value.
func feeds(m *graphops.Model) map[string]*graphops.ValueInfo {
	out := map[string]*graphops.ValueInfo{}
	for _, v := range m.Graph().FeedInputs() {
		out[v.Name()] = v
	}
	return out
}

// disagree returns why a value of type from cannot feed an input of type to; "" if it can, as far
// as the types are known.
func disagree(from, to graphops.Type) string {
	switch {
	case from.Kind == graphops.TypeUnknown || to.Kind == graphops.TypeUnknown:
		return ""
	case from.Kind != to.Kind:
		return "these are different kinds of value"
	case from.Elem != to.Elem && from.Elem.Valid() && to.Elem.Valid():
		return "the element types differ; put a Cast between them first, with lathe insert"
	case from.Of != nil && to.Of != nil:
		return disagree(*from.Of, *to.Of)
	case from.Shape == nil || to.Shape == nil:
		return ""
	case len(from.Shape) != len(to.Shape):
		return "the ranks differ"
	}
	for axis, d := range from.Shape {
		if other := to.Shape[axis]; d.IsFixed() && other.IsFixed() && d != other {
			return fmt.Sprintf("axis %d differs", axis)
		}
	}
	return ""
}
