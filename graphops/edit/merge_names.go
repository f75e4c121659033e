package edit

import "lathe/graphops"

// mergedNames has the new names of values and nodes.
type mergedNames struct {
	all    *graphops.Names   // generates names for both models
	values map[string]bool   // of first outside functions
	nodes  map[string]bool   // likewise
	first  map[string]string // new names in first
	second map[string]string // new names of values in second's main graph
	inner  map[string]string // new names of inner values of second, including bodies
	stays  map[string]bool   // inputs and outputs of second that keep their names
}

// joinNames changes names that both models use. Inputs and remaining outputs of the first model
// always keep their names. Inputs and outputs of the second keep theirs unless the first has such
// an input or output. Any other value gets a new name if its name is taken.
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

// namesOutsideFunctions returns the names of values and nodes in the main graph and all bodies.
// Names in functions cannot conflict with these.
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

// nameInterface decides which names the inputs and outputs of the second model get, as far as the
// result has them.
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

// keptOutputs returns the outputs of first that are outputs of the result.
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

// innerName returns the new name of a value of the second model that is no input or output. Values
// of the same name in several places get the same new name.
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

// reportNames reports the values of both main graphs that get new names.
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

// withNames returns the model with new names for values. names has those for the main graph, and
// for bodies that read these values. inner returns the new name of a value that a body defines. It
// must not occur in the model yet, because bodies are renamed before the graphs around them.
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

// capturedAs returns the new names of the values that a body captures. The body must not define a
// value with one of these names.
func capturedAs(p *graphops.Place, names map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, name := range p.Graph.Captured() {
		out[renamed(names, name)] = true
	}
	return out
}

// withNodeNames returns the second model, in which no node of the main graph has the name of a node
// of the first model. Names of nodes in bodies may occur twice.
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
