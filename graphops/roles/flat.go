package roles

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
)

const (
	maxDepth  = 64    // how deep bodies and functions are followed
	minBudget = 10000 // how many nodes a small model may expand to
	growth    = 4     // how many times its own nodes a larger one may expand to
)

// value is the number of a value in the flat list, or nothing.
type value = int32

const nothing value = -1

// node is a node of the flat list. op is nil for a node that joins the results of branches.
type node struct {
	op *graphops.Node
	*facts
	in, out []value
}

// home is where the model has a value.
type home struct {
	place *graphops.Place
	id    graphops.ValueID
}

// flat is a model as one list of nodes, producers first.
type flat struct {
	nodes    []node
	homes    []home
	maker    []int32 // the node that makes a value, or -1
	constant []bool  // stored, or computed from stored values only
	limits   []string

	ctx       context.Context
	functions map[graphops.FunctionKey]*graphops.Place
	bodies    map[*graphops.Place]map[int][]*graphops.Place
	known     map[graphops.Op]*facts
	room      []value // the lists of nodes are parts of it
	budget    int
	fed       map[string]bool
}

// frame is a graph that is being written into the list.
type frame struct {
	place *graphops.Place
	x     *graphops.Index
	local []value // by number of the value in the graph; unset if it has none yet
	outer *frame  // of a body
	depth int
	// facts and calls are by the number that the index gives an operator.
	facts []*facts
	calls []*graphops.Place // of functions, nil for an operator
}

const unset value = -2

// flatten writes a model as one list.
func flatten(ctx context.Context, m *graphops.Model) (*flat, *frame) {
	f := &flat{ctx: ctx, functions: map[graphops.FunctionKey]*graphops.Place{}, bodies: map[*graphops.Place]map[int][]*graphops.Place{}, known: map[graphops.Op]*facts{}, fed: map[string]bool{}}
	places := m.Places()
	for _, p := range places {
		f.budget += growth * len(p.Graph.Nodes())
		if p.Kind == graphops.FunctionBody {
			f.functions[p.Function.Key()] = p
		}
		if p.Kind == graphops.BodyGraph {
			if f.bodies[p.Parent] == nil {
				f.bodies[p.Parent] = map[int][]*graphops.Place{}
			}
			f.bodies[p.Parent][p.Node] = append(f.bodies[p.Parent][p.Node], p)
		}
	}
	f.budget = max(f.budget, minBudget)
	for _, in := range m.Graph().FeedInputs() {
		f.fed[in.Name()] = true
	}
	main := f.frame(places[0], nil, 0)
	f.write(main)
	return f, main
}

func (f *flat) frame(p *graphops.Place, outer *frame, depth int) *frame {
	fr := &frame{place: p, x: p.Graph.Index(), outer: outer, depth: depth}
	fr.local = make([]value, fr.x.Values())
	for i := range fr.local {
		fr.local[i] = unset
	}
	for _, op := range fr.x.Operators() {
		fr.facts = append(fr.facts, f.factsOf(graphops.Op{Domain: op.Domain, Name: op.Name}))
		fr.calls = append(fr.calls, f.functions[op])
	}
	f.nodes = slices.Grow(f.nodes, len(p.Graph.Nodes()))
	f.homes, f.maker, f.constant = slices.Grow(f.homes, len(fr.local)), slices.Grow(f.maker, len(fr.local)), slices.Grow(f.constant, len(fr.local))
	return fr
}

// named returns the value with a name in a frame, which may be one of the frames around it.
func (f *flat) named(fr *frame, name string) value {
	if name == "" {
		return nothing
	}
	id, ok := fr.x.Value(name)
	if !ok {
		return nothing
	}
	return f.numbered(fr, id)
}

// numbered returns the value with a number in the graph of a frame.
func (f *flat) numbered(fr *frame, id graphops.ValueID) value {
	if id < 0 {
		return nothing
	}
	if fr.local[id] != unset {
		return fr.local[id]
	}
	name := fr.x.Name(id)
	if fr.outer != nil && !fr.x.IsDefined(id) {
		fr.local[id] = f.named(fr.outer, name)
		return fr.local[id]
	}
	v := value(len(f.homes))
	f.homes = append(f.homes, home{fr.place, id})
	f.maker = append(f.maker, -1)
	isFed := fr.outer == nil && fr.depth == 0 && f.fed[name]
	f.constant = append(f.constant, fr.x.IsInitializer(id) && !isFed)
	fr.local[id] = v
	return v
}

// valuesOf returns the values with these numbers. Thousands of lists share one allocation.
func (f *flat) valuesOf(fr *frame, ids []graphops.ValueID) []value {
	n := len(ids)
	if len(f.room) < n {
		f.room = make([]value, max(n, 1024))
	}
	out := f.room[:n:n]
	f.room = f.room[n:]
	for i, id := range ids {
		out[i] = f.numbered(fr, id)
	}
	return out
}

func (f *flat) inputs(fr *frame, i int) []value  { return f.valuesOf(fr, fr.x.Inputs(i)) }
func (f *flat) outputs(fr *frame, i int) []value { return f.valuesOf(fr, fr.x.Outputs(i)) }

// add appends a node. Its outputs are constant if all its inputs are.
func (f *flat) add(n node) {
	at := int32(len(f.nodes))
	f.nodes = append(f.nodes, n)
	constant := n.op != nil && (n.op.IsConstant() || len(n.in) > 0 && len(n.op.Graphs()) == 0)
	for _, v := range n.in {
		constant = constant && (v == nothing || f.constant[v])
	}
	for _, v := range n.out {
		if v != nothing && f.maker[v] < 0 {
			f.maker[v], f.constant[v] = at, constant
		}
	}
}

// write appends the nodes of a frame.
func (f *flat) write(fr *frame) {
	nodes, bodies := fr.place.Graph.Nodes(), f.bodies[fr.place]
	order, err := fr.place.Graph.Order()
	for at := range nodes {
		i := at
		if err == nil {
			i = order[at]
		}
		if at%4096 == 0 && f.ctx.Err() != nil {
			return
		}
		f.budget--
		f.writeNode(fr, i, nodes[i], bodies[i])
	}
}

func (f *flat) writeNode(fr *frame, i int, n *graphops.Node, bodies []*graphops.Place) {
	operator := fr.x.Operator(i)
	if p := fr.calls[operator]; p != nil && f.affords(fr, p, n.OpType()) {
		f.call(fr, i, p)
		return
	}
	switch n.StandardOp() {
	case "If":
		if len(bodies) == 2 && f.affords(fr, bodies[0], "If") && f.affords(fr, bodies[1], "If") {
			f.branch(fr, i, bodies)
			return
		}
	case "Loop", "Scan":
		if len(bodies) == 1 && f.affords(fr, bodies[0], n.OpType()) {
			f.loop(fr, i, bodies[0])
			return
		}
	}
	f.add(node{n, fr.facts[operator], f.inputs(fr, i), f.outputs(fr, i)})
}

// affords reports whether the content of a body or function may be written too.
func (f *flat) affords(fr *frame, p *graphops.Place, what string) bool {
	cost := len(p.Graph.Nodes()) + p.Graph.Index().Values()/4
	if cost <= f.budget && fr.depth < maxDepth {
		f.budget -= p.Graph.Index().Values() / 4
		return true
	}
	if len(f.limits) == 0 {
		f.limits = append(f.limits, fmt.Sprintf("the model expands to too many nodes; some are not followed, such as those of %s", graphops.ShortQuoted(what)))
	}
	return false
}

// alias makes a value of the frame the same as one that exists.
func (f *flat) alias(fr *frame, name string, v value) {
	id, ok := fr.x.Value(name)
	if !ok {
		return
	}
	if fr.local[id] == unset {
		fr.local[id] = v
		return
	}
	if was := fr.local[id]; was >= 0 && v >= 0 && f.maker[was] < 0 {
		f.add(node{nil, joint, []value{v}, []value{was}}) // a reader came first
	}
}

// call writes the content of a function in place of its call.
func (f *flat) call(fr *frame, at int, p *graphops.Place) {
	n, in := fr.place.Graph.Nodes()[at], f.inputs(fr, at)
	body := f.frame(p, nil, fr.depth+1)
	for i, formal := range p.Graph.Inputs() {
		v := nothing
		if i < len(in) {
			v = in[i]
		}
		f.alias(body, formal.Name(), v)
	}
	f.write(body)
	for i, formal := range p.Graph.Outputs() {
		if i < len(n.Outputs()) {
			f.alias(fr, n.Outputs()[i], f.named(body, formal.Name()))
		}
	}
}

// branch writes both branches of an If, and a node for each output that joins their results.
func (f *flat) branch(fr *frame, at int, bodies []*graphops.Place) {
	f.add(node{op: fr.place.Graph.Nodes()[at], facts: fr.facts[fr.x.Operator(at)], in: f.inputs(fr, at)})
	var results [2][]value
	for i, p := range bodies {
		body := f.frame(p, fr, fr.depth+1)
		f.write(body)
		for _, out := range p.Graph.Outputs() {
			results[i] = append(results[i], f.named(body, out.Name()))
		}
	}
	for i, out := range f.outputs(fr, at) {
		if out == nothing {
			continue
		}
		join := node{facts: joint, out: []value{out}}
		for _, list := range results {
			if i < len(list) && list[i] != nothing {
				join.in = append(join.in, list[i])
			}
		}
		f.add(join)
	}
}

// loop writes the body of a Loop or Scan once. Its state variables begin with the initial values.
func (f *flat) loop(fr *frame, i int, p *graphops.Place) {
	n, in := fr.place.Graph.Nodes()[i], f.inputs(fr, i)
	first, states := loopStates(n, p)
	body := f.frame(p, fr, fr.depth+1)
	formals := p.Graph.Inputs()
	for k := range states {
		if at := first + k; at < len(in) && firstFormal(n)+k < len(formals) {
			f.alias(body, formals[firstFormal(n)+k].Name(), in[at])
		}
	}
	for k, formal := range formals[min(len(formals), firstFormal(n)+states):] {
		if at := first + states + k; n.Is("Scan") && at < len(in) {
			f.alias(body, formal.Name(), in[at])
		}
	}
	f.write(body)
	f.add(node{n, fr.facts[fr.x.Operator(i)], in, f.outputs(fr, i)})
}

// loopStates returns the first input with a state variable of a Loop or Scan, and their number.
func loopStates(n *graphops.Node, p *graphops.Place) (first, states int) {
	if n.Is("Loop") {
		return 2, max(0, len(n.Inputs())-2)
	}
	scanned, _ := integer(n, "num_scan_inputs", 0)
	states = max(0, len(p.Graph.Inputs())-int(min(max(scanned, 0), int64(len(p.Graph.Inputs())))))
	return max(0, len(n.Inputs())-len(p.Graph.Inputs())), states
}

// firstFormal returns the first input of a body that is a state variable.
func firstFormal(n *graphops.Node) int {
	if n.Is("Loop") {
		return 2
	}
	return 0
}

// integer returns an attribute that is an integer, or a default. known is false if the attribute
// refers to one of a function.
func integer(n *graphops.Node, name string, otherwise int64) (v int64, known bool) {
	a, ok := n.Attribute(name)
	if !ok {
		return otherwise, true
	}
	if a.RefName() != "" {
		return otherwise, false
	}
	return a.Int(), true
}

// at returns a value of a list, or nothing.
func at(list []value, i int) value {
	if i < 0 || i >= len(list) {
		return nothing
	}
	return list[i]
}
