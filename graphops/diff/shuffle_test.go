package diff_test

import (
	"fmt"
	"math/rand/v2"

	"lathe/graphops"
)

// disguised is the model with every name inside it exchanged and the nodes of every
// place in another order that a runtime can follow. Names of inputs and outputs of
// the main graph stay: they are its interface.
func disguised(m *graphops.Model, seed uint64) *graphops.Model {
	rng := rand.New(rand.NewPCG(seed, 1))
	m = shuffled(m.WithoutOverruled(), rng)
	return renumbered(m, rng)
}

func shuffled(m *graphops.Model, rng *rand.Rand) *graphops.Model {
	return m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		order := randomOrder(p.Graph, rng)
		nodes := make([]*graphops.Node, len(order))
		for at, i := range order {
			nodes[at] = e.Nodes[i]
		}
		e.Nodes = nodes
		rng.Shuffle(len(e.Initializers), func(i, j int) {
			e.Initializers[i], e.Initializers[j] = e.Initializers[j], e.Initializers[i]
		})
		return true
	})
}

// randomOrder is a random topological order of the positions of a graph's nodes.
func randomOrder(g *graphops.Graph, rng *rand.Rand) []int {
	x := g.Index()
	waits, readers := make([]int, len(g.Nodes())), make([][]int, len(g.Nodes()))
	var ready, out []int
	for i, n := range g.Nodes() {
		for _, list := range [][]string{n.Inputs(), n.Captured()} {
			for _, name := range list {
				if v, ok := x.Value(name); ok && name != "" && x.Producer(v) >= 0 {
					waits[i]++
					readers[x.Producer(v)] = append(readers[x.Producer(v)], i)
				}
			}
		}
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		k := rng.IntN(len(ready))
		i := ready[k]
		ready[k] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		out = append(out, i)
		for _, r := range readers[i] {
			if waits[r]--; waits[r] == 0 {
				ready = append(ready, r)
			}
		}
	}
	return out
}

// renumbered names every value and node of every place anew.
func renumbered(m *graphops.Model, rng *rand.Rand) *graphops.Model {
	next := rng.IntN(1000)
	names := map[*graphops.Graph]map[string]string{}
	// Outer names first: a body's names must not be those that it captures.
	for _, p := range m.Places() {
		fixed := map[string]bool{"": true}
		if p.Kind == graphops.MainGraph {
			for _, list := range [][]*graphops.ValueInfo{p.Graph.Inputs(), p.Graph.Outputs()} {
				for _, v := range list {
					fixed[v.Name()] = true
				}
			}
		}
		own, x := map[string]string{}, p.Graph.Index()
		for v := range x.Values() {
			if name := x.Name(graphops.ValueID(v)); x.IsDefined(graphops.ValueID(v)) && !fixed[name] {
				next++
				own[name] = fmt.Sprintf("v%d", next)
			}
		}
		names[p.Graph] = own
	}
	return m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		g := e.Graph().Renamed(names[p.Graph])
		*e = *graphops.EditGraph(g)
		for i, n := range e.Nodes {
			next++
			e.Nodes[i] = n.WithName(fmt.Sprintf("n%d", next))
		}
		return true
	})
}
