package profile

import "lathe/graphops"

// matcher finds the node of the optimized graph for each node of the trace.
type matcher struct {
	found map[*Timed]at
}

// match maps the nodes of a trace to those of the graph that ran. For a node without a name the
// runtime writes its operator and an index, which no file records. Such nodes are matched by order
// if both sides have the same number.
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

// among matches nodes of the trace with those of the places.
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

// byOrder pairs nodes without names. If the numbers differ because a branch did not run, it
// pairs them with those of the only place that has the same number.
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
