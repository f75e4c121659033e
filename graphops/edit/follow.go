package edit

import (
	"cmp"
	"slices"

	"lathe/graphops"
)

// follower finds all values whose types may change if the types of some values change: everything
// that is computed from them. It follows values into bodies that read them, out of bodies to the
// enclosing nodes, and into functions that are called with them.
type follower struct {
	// origin is the function whose values were changed first, or nil. From its outputs, all calls
	// are followed. From the outputs of any other function, no calls are followed: a call whose
	// inputs change is marked already, and other calls are not affected.
	origin  *graphops.Function
	found   map[*graphops.Place]map[string]bool
	pending []placed
	calls   map[graphops.FunctionKey]*function
}

// placed is a value, identified by its place and name.
type placed struct {
	place *graphops.Place
	name  string
}

// function is a function of the model with all its calls.
type function struct {
	place *graphops.Place
	calls []call
}

type call struct {
	place *graphops.Place
	node  *graphops.Node
}

func newFollower(m *graphops.Model, at *graphops.Place) *follower {
	f := &follower{origin: at.Function, found: map[*graphops.Place]map[string]bool{}, calls: map[graphops.FunctionKey]*function{}}
	for _, p := range m.Places() {
		if p.Kind == graphops.FunctionBody {
			f.calls[p.Function.Key()] = &function{place: p}
		}
	}
	if len(f.calls) == 0 {
		return f
	}
	for _, p := range m.Places() {
		for _, n := range p.Graph.Nodes() {
			if fn := f.calls[n.Calls()]; fn != nil {
				fn.calls = append(fn.calls, call{p, n})
			}
		}
	}
	return f
}

// value marks a value as changed. run then follows it.
func (f *follower) value(p *graphops.Place, name string) {
	if name == "" || f.found[p][name] {
		return
	}
	if f.found[p] == nil {
		f.found[p] = map[string]bool{}
	}
	f.found[p][name] = true
	f.pending = append(f.pending, placed{p, name})
}

// only marks a value as changed, but its readers are not followed.
func (f *follower) only(p *graphops.Place, name string) {
	if f.found[p] == nil {
		f.found[p] = map[string]bool{}
	}
	f.found[p][name] = true
}

// run marks all values that depend on the values marked so far.
func (f *follower) run() {
	for len(f.pending) > 0 {
		v := f.pending[len(f.pending)-1]
		f.pending = f.pending[:len(f.pending)-1]
		x := v.place.Graph.Index()
		id, ok := x.Value(v.name)
		if !ok {
			continue
		}
		for _, i := range x.Readers(id) {
			f.read(v.place, int(i), v.name)
		}
		if x.IsOutput(id) {
			f.leave(v.place, v.name)
		}
	}
}

// read marks what depends on the value called name through node i, which reads it itself or in a
// body.
func (f *follower) read(p *graphops.Place, i int, name string) {
	n := p.Graph.Nodes()[i]
	for _, b := range bodiesOf(p, i) {
		for k, in := range n.Inputs() {
			if at := bodyInput(n, b.Graph, k); in == name && at >= 0 && at < len(b.Graph.Inputs()) {
				f.value(b, b.Graph.Inputs()[at].Name())
			}
		}
		if id, ok := b.Graph.Index().Value(name); ok && !b.Graph.Index().IsDefined(id) {
			f.value(b, name)
		}
	}
	if !slices.Contains(n.Inputs(), name) {
		return // what a body does with it is followed there
	}
	f.values(p, n.Outputs())
	f.enter(n)
}

// enter marks the inputs of the function that a node calls.
func (f *follower) enter(n *graphops.Node) {
	if fn := f.calls[n.Calls()]; fn != nil {
		f.values(fn.place, graphops.ValueNames(fn.place.Graph.Inputs()))
	}
}

// leave marks what depends on an output of a place: the outputs of the enclosing node or of the
// calls, and the value of the next iteration.
func (f *follower) leave(p *graphops.Place, name string) {
	if p.Kind == graphops.FunctionBody && p.Function == f.origin {
		for _, c := range f.calls[p.Function.Key()].calls {
			f.values(c.place, c.node.Outputs())
		}
	}
	if p.Kind != graphops.BodyGraph {
		return
	}
	for k, o := range p.Graph.Outputs() {
		if o.Name() != name {
			continue
		}
		f.values(p.Parent, holderOutputs(p.Holder(), k))
		if at := nextInput(p.Holder(), p.Graph, k); at >= 0 {
			f.value(p, p.Graph.Inputs()[at].Name())
		}
	}
}

func (f *follower) values(p *graphops.Place, names []string) {
	for _, name := range names {
		f.value(p, name)
	}
}

// bodiesOf returns the places of the bodies of the node at the given position.
func bodiesOf(p *graphops.Place, node int) []*graphops.Place {
	if len(p.Graph.Nodes()[node].Graphs()) == 0 {
		return nil
	}
	from, _ := slices.BinarySearchFunc(p.Bodies, node, func(b *graphops.Place, i int) int { return cmp.Compare(b.Node, i) })
	to, _ := slices.BinarySearchFunc(p.Bodies, node+1, func(b *graphops.Place, i int) int { return cmp.Compare(b.Node, i) })
	return p.Bodies[from:to]
}
