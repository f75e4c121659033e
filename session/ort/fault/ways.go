package fault

import (
	"regexp"
	"slices"
	"strings"

	"lathe/graphops"
)

// byOperands finds a node by all of its inputs and outputs. It does not find nodes of an inlined
// function, because the runtime renames their values.
func (l *locator) byOperands(n Node) []Site {
	if len(n.Outputs) == 0 && len(n.Inputs) == 0 {
		return nil
	}
	return l.every(func(m *graphops.Node) bool {
		return slices.Equal(m.Outputs(), n.Outputs) && slices.Equal(m.Inputs(), n.Inputs) && m.Name() == n.Name
	})
}

// byName finds nodes with the name, trying the longest possible reading first.
func (l *locator) byName(n Node) []Site {
	if !n.Named {
		return nil
	}
	for _, name := range slices.Backward(append([]string{n.Name}, n.readings...)) {
		if name == "" {
			continue
		}
		if out := l.every(func(m *graphops.Node) bool { return m.Name() == name }); len(out) > 0 {
			return out
		}
	}
	return nil
}

// The runtime replaces a call of a model-local function by the function's body, and an If with a
// constant condition by the chosen branch. The new names start with the name of the function or
// attribute, followed by the old name. From the second call of a function on, a number follows the
// function's name.
const (
	inlinedFunction = "_inlfunc_"
	inlinedBranch   = "_if_"
)

var callNumber = regexp.MustCompile(`^_token_\d+_`)

func (l *locator) byInlining(n Node) []Site {
	var out []Site
	for _, p := range l.model.Places() {
		switch {
		case p.Kind == graphops.FunctionBody:
			out = append(out, inFunction(p, n)...)
		case p.Kind == graphops.BodyGraph:
			out = append(out, inBranch(p, n)...)
		}
	}
	return out
}

// inFunction finds a node in a function, or in a body below it.
func inFunction(p *graphops.Place, n Node) []Site {
	rest, ok := strings.CutPrefix(n.Name, inlinedFunction+p.Function.Key().Name)
	if !ok {
		return nil
	}
	if number := callNumber.FindString(rest); number != "" {
		rest = rest[len(number):]
	} else {
		rest = strings.TrimPrefix(rest, "_")
	}
	return below(p, func(m *graphops.Node) bool {
		return m.Name() != "" && (m.Name() == rest || strings.HasPrefix(rest, m.Name()+"/"))
	})
}

// inBranch finds a node in a branch: by its name, or by its operator, which the runtime uses for
// nodes without a name.
func inBranch(p *graphops.Place, n Node) []Site {
	rest, ok := strings.CutPrefix(n.Name, inlinedBranch+p.Attribute+"_")
	if !ok {
		return nil
	}
	return below(p, func(m *graphops.Node) bool {
		return m.Name() == rest && rest != "" || withoutToken(rest) == m.OpType()
	})
}

func below(p *graphops.Place, fits func(*graphops.Node) bool) []Site {
	var out []Site
	for i, m := range p.Graph.Nodes() {
		if fits(m) {
			out = append(out, Site{p, i})
		}
	}
	for _, b := range p.Bodies {
		out = append(out, below(b, fits)...)
	}
	return out
}

// byValue finds the node from the value that the text names, if it names no node: the nodes that
// compute the value, or else those that read it. If the text states an operator, the node must have
// that operator.
func (l *locator) byValue(n Node) []Site {
	value := l.fault.Value
	if value == "" || n.Named && n.Name != "" {
		return nil
	}
	makes := l.every(func(m *graphops.Node) bool { return slices.Contains(m.Outputs(), value) })
	reads := l.every(func(m *graphops.Node) bool { return slices.Contains(m.Inputs(), value) })
	switch {
	case n.Op != "":
		return keep(append(makes, reads...), func(s Site) bool { return s.Node().OpType() == n.Op })
	case len(makes) > 0:
		return makes
	}
	return reads
}

// byAttribute finds nodes that have the named attribute, with the value that the text quotes.
func (l *locator) byAttribute(n Node) []Site {
	f := l.fault
	if f.Attribute == "" || n.known() {
		return nil
	}
	return l.every(func(m *graphops.Node) bool {
		a, ok := m.Attribute(f.Attribute)
		return ok && (f.Found == "" || a.Text() == f.Found) && !slices.Contains(sound[f.Attribute], a.Text())
	})
}

// sound lists valid values of an attribute. Nodes with these are excluded if the runtime does not
// quote the bad value.
var sound = map[string][]string{"auto_pad": {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}}

// byOperator finds nodes of the operator if the text gives no name. If the graph is optimized and
// the model does not have the given name, the name belongs to a node that the runtime inserted, and
// no node of the model is meant.
func (l *locator) byOperator(n Node) []Site {
	optimized := l.fault.Stage == Running || l.fault.Stage == Initializing
	unnamed := n.Named && isUnnamed(n.Name)
	if n.Op == "" || n.Named && !unnamed && optimized {
		return nil
	}
	return l.every(func(m *graphops.Node) bool {
		return isPart(n.Op, m.OpType()) && (!unnamed || m.Name() == "")
	})
}
