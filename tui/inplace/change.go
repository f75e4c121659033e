package inplace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/tui/workspace"
)

// change is a target with the value that was typed for it.
type change struct {
	Target
	to string
}

// stepsOf returns the steps that make changes to a row, in an order in which each still finds what it
// is about: names change last.
func stepsOf(ws *workspace.Workspace, row int, changes []change) ([]session.Step, error) {
	settings := map[string][][2]string{}
	add := func(step, option, value string) {
		settings[step] = append(settings[step], [2]string{option, value})
	}
	node := strings.Join(ws.Outline.NodeWords(row), "")
	if _, i := ws.Outline.At(row); strings.Contains(node, "=") { // rename would read it as two names
		node = "#" + strconv.Itoa(i)
	}
	op := slices.IndexFunc(changes, func(c change) bool { return c.Kind == Operator })
	if op >= 0 {
		settings["replace"] = replaced(ws, row, node, changes[op].to, changes)
	}
	for _, c := range changes {
		switch {
		case c.Kind == Operator, c.Kind == Attribute && op >= 0:
		case c.Kind == Attribute && c.to == "":
			add("attribute", "remove", c.Subject)
		case c.Kind == Attribute:
			add("attribute", "set", c.Subject+"="+c.to)
		case c.Kind == Type && c.to == "":
			add("annotate", "remove", c.Subject)
		case c.Kind == Type:
			add("annotate", "value", c.Subject+"="+withShape(c.to, c.Now))
		case c.Kind == ValueName:
			add("rename", "value", c.Subject+"="+c.to)
		default:
			add("rename", "node", node+"="+c.to)
		}
	}
	if len(settings["attribute"]) > 0 {
		add("attribute", "node", node)
	}
	var out []session.Step
	for _, name := range []string{"replace", "attribute", "annotate", "rename"} {
		if len(settings[name]) == 0 {
			continue
		}
		step, err := stepWith(ws, name, settings[name])
		if err != nil {
			return nil, err
		}
		out = append(out, step)
	}
	return out, nil
}

// replaced returns the settings of the step that gives a node another operator. The node keeps its name, and
// with the changes the attributes that the operator has. The result is not compared with the original,
// because the change is meant.
func replaced(ws *workspace.Workspace, row int, node, op string, changes []change) [][2]string {
	n := ws.Outline.Node(row)
	out := [][2]string{{"node", node}, {"op", op}, {"no-compare", "true"}}
	if n.Name() != "" {
		out = append(out, [2]string{"name", n.Name()})
	}
	to := graphops.ParseOp(op)
	version, _ := ws.Model().Opset(graphops.NormalDomain(to.Domain))
	schema, known := opschema.Find(to.Domain, to.Name, version)
	if !known {
		return out
	}
	values := map[string]string{}
	for _, a := range n.Attributes() {
		if now, ok := typed(n, a); ok {
			values[a.Name()] = now
		}
	}
	for _, c := range changes {
		if c.Kind == Attribute {
			values[c.Subject] = c.to
		}
	}
	for _, a := range schema.Attributes {
		if v := values[a.Name]; v != "" {
			out = append(out, [2]string{"set", a.Name + "=" + v})
		}
	}
	return out
}

// withShape returns a type that was typed. If it is only an element type, it gets the shape of the
// type that is there.
func withShape(typed, now string) string {
	at := strings.IndexByte(now, '[')
	if _, err := tensor.ParseDType(typed); err != nil || at < 0 || strings.Contains(now[:at], "(") {
		return typed
	}
	return typed + now[at:]
}

// stepWith returns a step with options, for the place of the list.
func stepWith(ws *workspace.Workspace, name string, settings [][2]string) (session.Step, error) {
	for _, hop := range ws.Outline.Place.Hops() {
		settings = append(settings, [2]string{"in", hop})
	}
	return mainStep(ws, name, settings)
}

// mainStep returns a step with options, for the main graph.
func mainStep(ws *workspace.Workspace, name string, settings [][2]string) (session.Step, error) {
	step := ws.NewStep(name)
	if step == nil {
		return nil, fmt.Errorf("there is no step %s", name)
	}
	return step, set(step, settings)
}

func set(step session.Step, settings [][2]string) error {
	for _, s := range settings {
		o, ok := workspace.OptionNamed(step, s[0])
		if !ok {
			return fmt.Errorf("%s has no option --%s", step.Name(), s[0])
		}
		if err := o.Set(s[1]); err != nil {
			return err
		}
	}
	return nil
}
