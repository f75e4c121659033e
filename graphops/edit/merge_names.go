package edit

import "lathe/graphops"

// mergedNames has the names of values in the result.
type mergedNames struct {
	all    *graphops.Names   // generates names for both models
	values map[string]bool   // of first outside functions
	nodes  map[string]bool   // likewise
	first  map[string]string // new names in first
	second map[string]string // new names of values in second's main graph
	inner  map[string]string // new names of inner values of second, including bodies
	stays  map[string]bool   // inputs and outputs of second that keep their names
}

// joinNames removes conflicts of names between the models. These keep their names: inputs and
// remaining outputs of the first, then inputs and outputs of the second. Inner values get another
// name if theirs is taken.
func (j *merger) joinNames() {
	j.names = mergedNames{
		all:   graphops.NamesOf(j.first, j.second),
		first: map[string]string{}, second: map[string]string{}, inner: map[string]string{}, stays: map[string]bool{},
	}
	j.names.values, j.names.nodes = namesOutsideFunctions(j.first)
	j.was, j.kept = j.second.Graph(), j.keptOutputs()
	j.nameInterface()
	x := j.was.Index()
	for v := range x.Values() {
		name := x.Name(graphops.ValueID(v))
		to, decided := j.names.second[name]
		if value, fed := j.source[name]; fed {
			to = renamed(j.names.first, value)
		} else if !decided {
			to = j.innerName(name)
		}
		if to != name {
			j.names.second[name] = to
		}
	}
	j.reportNames()
	j.first = withNames(j.first, j.names.first, func(s string) string { return renamed(j.names.first, s) })
	j.second = j.withNodeNames(withNames(j.second, j.names.second, j.innerName))
}

func renamed(names map[string]string, name string) string {
	if to, ok := names[name]; ok {
		return to
	}
	return name
}

// namesOutsideFunctions returns the names of values and nodes in the main graph and its bodies.
// Functions have separate names.
func namesOutsideFunctions(m *graphops.Model) (values, nodes map[string]bool) {
	values, nodes = map[string]bool{}, map[string]bool{}
	for _, p := range m.Places() {
		if p.Function != nil {
			continue
		}
		x := p.Graph.Index()
		for v := range x.Values() {
			values[x.Name(graphops.ValueID(v))] = true
		}
		for _, n := range p.Graph.Nodes() {
			nodes[n.Name()] = n.Name() != ""
		}
	}
	return values, nodes
}

// nameInterface decides about the inputs and outputs of the second model that the result has.
func (j *merger) nameInterface() {
	shown := map[string]string{}
	for _, v := range j.first.Graph().Inputs() {
		shown[v.Name()] = "an input"
	}
	for _, v := range j.kept {
		shown[v.Name()] = "an output"
	}
	g := j.was
	for i, v := range append(g.Inputs()[:len(g.Inputs()):len(g.Inputs())], g.Outputs()...) {
		kind := "input"
		if i >= len(g.Inputs()) {
			kind = "output"
		}
		name := v.Name()
		_, fed := j.source[name]
		_, decided := j.names.second[name]
		if fed || decided || j.names.stays[name] {
			continue
		}
		if of, taken := shown[name]; taken {
			to := j.names.all.Value(j.o.Prefix + name)
			j.names.second[name] = to
			j.report.warn("%s %q of the second model is called %q: the first has %s of that name", kind, name, to, of)
			continue
		}
		j.names.stays[name] = true
		if j.names.values[name] {
			j.names.first[name] = j.names.all.Value(name)
		}
	}
}

// keptOutputs returns the outputs of first that the result has.
func (j *merger) keptOutputs() []*graphops.ValueInfo {
	feeding := map[string]bool{}
	for _, value := range j.source {
		feeding[value] = true
	}
	var out []*graphops.ValueInfo
	for _, v := range j.first.Graph().Outputs() {
		if j.o.KeepOutputs || !feeding[v.Name()] {
			out = append(out, v)
		}
	}
	return out
}

// innerName returns the new name of an inner value of the second model, wherever it occurs.
func (j *merger) innerName(name string) string {
	if name == "" || j.names.stays[name] || j.o.Prefix == "" && !j.names.values[name] {
		return name
	}
	to, ok := j.names.inner[name]
	if !ok {
		to = j.names.all.Value(j.o.Prefix + name)
		j.names.inner[name] = to
	}
	return to
}

// reportNames reports the renamed values of the main graphs.
func (j *merger) reportNames() {
	for _, side := range []struct {
		g     *graphops.Graph
		names map[string]string
	}{{j.first.Graph(), j.names.first}, {j.was, j.names.second}} {
		x := side.g.Index()
		for v := range x.Values() {
			name := x.Name(graphops.ValueID(v))
			to, ok := side.names[name]
			if _, fed := j.source[name]; ok && to != name && (!fed || side.g == j.first.Graph()) {
				j.report.changed("value", name, name, to)
			}
		}
	}
}

// withNames returns the model with values renamed. names maps those of the main graph, wherever
// they are read. inner maps those that bodies define; names that it creates must be new to the
// model, because bodies are renamed from the inside out.
func withNames(m *graphops.Model, names map[string]string, inner func(string) string) *graphops.Model {
	return m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		own := names
		switch {
		case p.Function != nil:
			return false
		case p.Kind == graphops.BodyGraph:
			own = map[string]string{}
			x := p.Graph.Index()
			captured := capturedAs(p, names)
			for v := range x.Values() {
				id := graphops.ValueID(v)
				if !x.IsDefined(id) || p.PortsByName() && p.IsPort(id) && !captured[x.Name(id)] {
					continue
				}
				if to := inner(x.Name(id)); to != x.Name(id) {
					own[x.Name(id)] = to
				}
			}
		}
		if len(own) == 0 {
			return false
		}
		*e = *graphops.EditGraph(e.Graph().Renamed(own))
		return true
	})
}

// capturedAs returns the new names of captured values. No value of the body may have one of these.
func capturedAs(p *graphops.Place, names map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, name := range p.Graph.Captured() {
		out[renamed(names, name)] = true
	}
	return out
}

// withNodeNames gives nodes names that no node of the first model has. Names of nodes in bodies
// need not be unique.
func (j *merger) withNodeNames(m *graphops.Model) *graphops.Model {
	return m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		changed := false
		for i, n := range e.Nodes {
			clashes := p.Kind == graphops.MainGraph && j.names.nodes[n.Name()]
			if n.Name() == "" || p.Function != nil || j.o.Prefix == "" && !clashes {
				continue
			}
			to := j.names.all.Node(j.o.Prefix + n.Name())
			if p.Kind == graphops.MainGraph {
				j.report.changed("node", n.Name(), n.Name(), to)
			}
			e.Nodes[i] = n.WithName(to)
			changed = true
		}
		return changed
	})
}
