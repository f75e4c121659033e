package fault

import (
	"path/filepath"
	"slices"

	"lathe/graphops"
)

// Locate finds the node and the value that a fault is about in the model that was loaded, and
// explains the fault. m may be nil if the file could not be read as a model.
func Locate(f Fault, m *graphops.Model) Finding {
	found := Finding{Fault: f}
	if m != nil {
		l := &locator{model: m, fault: f}
		if f.Kind == ExternalData && f.Value == "" {
			l.fault.Value = l.storedIn(f.File)
			f = l.fault
			found.Fault = f
		}
		found.ValuePlace = l.placeOf(f.Value)
		if found.ValuePlace != nil {
			found.Value = f.Value
		}
		found.Sites, found.How = l.sites()
		found.Operands = l.operands(&found)
	}
	explain(&found)
	return found
}

// locator searches a model for the node of one fault.
type locator struct {
	model *graphops.Model
	fault Fault
}

// sites returns the nodes that the fault can be about. It tries the ways to find them in the order
// of their reliability and uses the first that finds a node.
func (l *locator) sites() ([]Site, How) {
	n := l.fault.Node
	around := l.holders()
	for _, way := range []struct {
		how  How
		find func(Node) []Site
	}{
		{ByOperands, l.byOperands},
		{ByName, l.byName},
		{ByInlining, l.byInlining},
		{ByChangeName, l.byChangedName},
		{ByValue, l.byValue},
		{ByAttribute, l.byAttribute},
		{ByCycle, l.byCycle},
		{ByOperator, l.byOperator},
	} {
		if out := l.narrow(way.find(n), around); len(out) > 0 {
			return out, way.how
		}
	}
	return nil, NotFound
}

// holders finds the nodes whose bodies or functions contain the node at fault, according to the
// text. If the text names several levels, it uses the innermost that can be found.
func (l *locator) holders() holders {
	for _, n := range slices.Backward(l.fault.Around) {
		for _, find := range []func(Node) []Site{l.byOperands, l.byName, l.byInlining, l.byChangedName, l.byOperator} {
			if out := find(n); len(out) > 0 {
				return holdersOf(out)
			}
		}
	}
	return holders{}
}

// holders are nodes of the model that may contain the node at fault, and the functions that they
// call.
type holders struct {
	nodes     map[Site]bool
	functions map[graphops.FunctionKey]bool
}

func holdersOf(sites []Site) holders {
	h := holders{map[Site]bool{}, map[graphops.FunctionKey]bool{}}
	for _, s := range sites {
		h.nodes[s] = true
		h.functions[s.Node().Calls()] = true
	}
	return h
}

// hold reports whether a site is inside one of the nodes: in one of its bodies, at any depth, or in
// the function that it calls. If h is empty, hold returns true for every site.
func (h holders) hold(s Site) bool {
	if f := s.Place.Function; len(h.nodes) == 0 || f != nil && h.functions[f.Key()] {
		return true
	}
	for p := s.Place; p.Parent != nil; p = p.Parent {
		if h.nodes[Site{p.Parent, p.Node}] {
			return true
		}
	}
	return false
}

// narrow keeps the sites that also match the other facts in the text: the nodes around it, the
// operator, the value and the domain. It ignores a fact that none of the sites matches.
func (l *locator) narrow(all []Site, around holders) []Site {
	f := l.fault
	for _, fits := range []func(Site) bool{
		around.hold,
		func(s Site) bool { return f.Node.Op == "" || s.Node().OpType() == f.Node.Op },
		func(s Site) bool { return f.Node.Op == "" || isPart(f.Node.Op, s.Node().OpType()) },
		func(s Site) bool { return f.Value == "" || s.touches(f.Value) },
		func(s Site) bool { return f.Node.Domain == "" || s.Node().Domain() == f.Node.Domain },
	} {
		if kept := keep(all, fits); len(kept) > 0 {
			all = kept
		}
	}
	return all
}

func keep(all []Site, fits func(Site) bool) []Site {
	var out []Site
	for _, s := range all {
		if fits(s) {
			out = append(out, s)
		}
	}
	return out
}

// touches reports whether value is an input or output of the node.
func (s Site) touches(value string) bool {
	n := s.Node()
	return slices.Contains(n.Inputs(), value) || slices.Contains(n.Outputs(), value)
}

// every returns the nodes for which fits returns true, in the main graph, all bodies and all
// functions.
func (l *locator) every(fits func(*graphops.Node) bool) []Site {
	var out []Site
	for _, p := range l.model.Places() {
		for i, n := range p.Graph.Nodes() {
			if fits(n) {
				out = append(out, Site{p, i})
			}
		}
	}
	return out
}

// placeOf returns the first place that defines a value with this name, or else the first that reads
// it.
func (l *locator) placeOf(value string) *graphops.Place {
	if value == "" {
		return nil
	}
	var reads *graphops.Place
	for _, p := range l.model.Places() {
		x := p.Graph.Index()
		id, ok := x.Value(value)
		if ok && x.IsDefined(id) {
			return p
		}
		if ok && reads == nil {
			reads = p
		}
	}
	return reads
}

// storedIn returns the name of the constant whose external data is in the file with this name, or
// "" unless there is exactly one such constant.
func (l *locator) storedIn(file string) string {
	name := ""
	for t := range l.model.ExternalTensors() {
		if path, _, _ := t.Stored(); file == "" || filepath.Base(path) != filepath.Base(file) {
			continue
		}
		if name != "" {
			return ""
		}
		name = t.Name()
	}
	return name
}

func (l *locator) operands(found *Finding) []Operand {
	switch {
	case len(found.Sites) == 1:
		return operandsOf(found.Sites[0])
	case found.ValuePlace != nil:
		return []Operand{operandOf(found.ValuePlace, l.fault.Side, -1, found.Value)}
	}
	return nil
}
