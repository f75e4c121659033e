package fault

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/pattern"
)

// byOperands finds the node that has exactly the inputs and outputs that the text lists. It does
// not find nodes of an inlined function, because the runtime renames their values.
func (l *locator) byOperands(n Node) []Site {
	if len(n.Outputs) == 0 && len(n.Inputs) == 0 {
		return nil
	}
	return l.every(func(m *graphops.Node) bool {
		return slices.Equal(m.Outputs(), n.Outputs) && slices.Equal(m.Inputs(), n.Inputs) && m.Name() == n.Name
	})
}

// byName finds nodes by the name in the text. If the end of the name is ambiguous, it tries the
// longest possible name first.
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
// constant condition by the chosen branch. The names of the inlined nodes start with one of these
// prefixes and the name of the function or of the If's attribute, followed by the old name. For the
// second and later calls of a function, a number follows the name of the function.
const (
	inlinedFunction = "_inlfunc_"
	inlinedBranch   = "_if_"
)

var callNumber = pattern.New(`^_token_\d+_`)

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

// inFunction finds the node of a function, or of a body inside it, from the name that the runtime
// gave it when it inlined the function.
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

// inBranch finds the node of a branch of If from the name that the runtime gave it when it inlined
// the branch. For a node without a name the runtime uses the operator in place of the name.
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

// byValue finds nodes by the value that the text names, if it names no node: the node that computes
// the value, or else the nodes that read it. If the text states an operator, byValue finds the
// nodes of that operator that compute or read the value.
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

// byAttribute finds nodes by the attribute that the text names, if it names no node. If the text
// quotes the attribute's value, the node must have that value.
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

// sound lists valid values of attributes. A node whose attribute has one of these values cannot be
// at fault. This narrows the search if the runtime does not quote the bad value.
var sound = map[string][]string{"auto_pad": {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}}

// byOperator finds nodes by the operator that the text names. It finds nothing if the text gives a
// node's name and the graph was already optimized: no node of the model has that name, so it must
// belong to a node that the runtime inserted.
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
