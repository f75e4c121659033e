package fault

import (
	"regexp"
	"slices"
	"strings"

	"lathe/graphops"
)

// byOperands finds a node by all that it reads and makes. Values of a function
// that was put in place of its call have other names.
func (l *locator) byOperands(n Node) []Site {
	if len(n.Outputs) == 0 && len(n.Inputs) == 0 {
		return nil
	}
	return l.every(func(m *graphops.Node) bool {
		return slices.Equal(m.Outputs(), n.Outputs) && slices.Equal(m.Inputs(), n.Inputs) && m.Name() == n.Name
	})
}

// byName finds nodes of the name, or of the longest name that the text could
// mean.
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

// The runtime puts model-local functions, and the branch of an If whose condition
// is a constant, in place of the node that holds them. The names become those of
// the function or attribute, with the old name behind; a second call of a
// function adds a number to the function's.
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

// inBranch finds a node in a branch: by its name, or by its operator, which the
// runtime puts there in place of the name.
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

// byValue finds the node of a value that the text names, where it names no node:
// those that make it twice, those that read what nothing makes, and else the one
// that makes it, or those that read it.
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

// byAttribute finds nodes that have the attribute that the text names, with the
// text that it found there.
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

// sound are texts that an attribute may well have, where the runtime does not say
// which one it found.
var sound = map[string][]string{"auto_pad": {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}}

// byOperator finds nodes of the operator, where the text gives no name. A name that
// the model does not have, once the graph is optimized, is that of a node which was
// put in: then no node of the model is meant.
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
