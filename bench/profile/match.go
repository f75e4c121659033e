package profile

import "lathe/graphops"

// matcher finds the node of the optimized graph for each node of the trace.
type matcher struct {
	found map[*Timed]at
}

// match maps the nodes of a trace to the nodes of the graph that ran. For a node without a name,
// the trace has its operator and an index that no file records. Such nodes are matched in order if
// the trace has as many of them as the graph.
func match(t *Trace, main *graphops.Place) map[*Timed]at {
	m := matcher{found: map[*Timed]at{}}
	inside := map[*Timed][]*Timed{}
	for _, n := range t.Nodes {
		inside[n.Parent] = append(inside[n.Parent], n)
	}
	m.among(inside[nil], []*graphops.Place{main})
	for _, n := range t.Nodes { // a node with bodies comes before the nodes inside them
		where, ok := m.found[n]
		if !ok || len(inside[n]) == 0 {
			continue
		}
		var bodies []*graphops.Place
		for _, b := range where.place.Bodies {
			if b.Node == where.node {
				bodies = append(bodies, b)
			}
		}
		m.among(inside[n], bodies)
	}
	return m.found
}

// among maps the nodes timed of the trace to nodes of the given places.
func (m *matcher) among(timed []*Timed, places []*graphops.Place) {
	type named struct{ name, op string }
	byName := map[named][]at{}
	unnamed := map[string][]at{}
	for _, p := range places {
		for i, n := range p.Graph.Nodes() {
			if n.Name() == "" {
				unnamed[n.OpType()] = append(unnamed[n.OpType()], at{p, i})
				continue
			}
			key := named{n.Name(), n.OpType()}
			byName[key] = append(byName[key], at{p, i})
		}
	}
	left := map[string][]*Timed{}
	for _, t := range timed {
		key := named{t.Name, t.Op}
		if len(byName[key]) == 0 && t.Escaped != "" {
			key.name = t.Escaped
		}
		if list := byName[key]; len(list) > 0 {
			m.found[t] = list[0]
			if len(list) > 1 {
				byName[key] = list[1:]
			}
		} else if t.isUnnamed() {
			left[t.Op] = append(left[t.Op], t)
		}
	}
	for op, list := range left {
		m.byOrder(list, unnamed[op], places)
	}
}

// byOrder maps nodes without names in order. If the trace has fewer of them than the places
// together, because a branch did not run, byOrder uses the one place that has the same number. If
// several places have it, it maps nothing.
func (m *matcher) byOrder(timed []*Timed, nodes []at, places []*graphops.Place) {
	if len(timed) != len(nodes) {
		var here []at
		for _, p := range places {
			var some []at
			for _, n := range nodes {
				if n.place == p {
					some = append(some, n)
				}
			}
			if len(some) == len(timed) {
				if here != nil {
					return // ambiguous
				}
				here = some
			}
		}
		nodes = here
	}
	for i := range nodes {
		m.found[timed[i]] = nodes[i]
	}
}
