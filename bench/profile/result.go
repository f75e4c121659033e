package profile

import (
	"cmp"
	"slices"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// Number is a float64 that JSON can represent.
type Number = tensor.Number

// Result is the evaluated profile of a model.
type Result struct {
	Runs int `json:"runs"` // number of evaluated runs
	// Slowdown is how many times as long a run takes with a clock at each node; 0 if unknown. The
	// times of this Result are not scaled by it.
	Slowdown Number `json:"slowdown,omitempty"`
	// RunUS is the median time of a run with every node timed. OverheadUS is the part of it
	// outside of nodes. All times are in microseconds.
	RunUS      Number `json:"run_us"`
	OverheadUS Number `json:"overhead_us"`
	// NodesUS is the sum of the nodes' median times. It is less than RunUS minus OverheadUS if in
	// each run other nodes were slower than usual, as on a busy machine.
	NodesUS Number `json:"nodes_us"`
	// FloorUS is the shortest mean time of a node's calls. Measuring and recording the time is a
	// part of each call, so a node that takes little more than this may have done almost nothing.
	FloorUS Number `json:"floor_us"`
	// Clock says what the times of nodes on a device include. With ClockWaits, WaitUS is the median
	// time of a wait that has nothing to wait for, which is not a part of any other time; 0 if the
	// provider itself waits. Loose is the number of calls in a run that ended before the device was
	// done.
	Clock  Clock  `json:"clock"`
	WaitUS Number `json:"wait_us,omitempty"`
	Loose  Number `json:"loose,omitempty"`
	// Nodes are the nodes that ran, the longest first. Ops are their sums by operator. Shares
	// are relative to the time of all nodes.
	Nodes     []Node           `json:"nodes"`
	Ops       map[string]Total `json:"ops"`
	Providers map[string]Total `json:"providers"`
	// Copies are the nodes that copy a value between devices.
	Copies []Copy `json:"memcpy"`
	// UnjoinedShare is the share of the nodes that could not be mapped to a node of the model.
	UnjoinedShare Number `json:"unjoined_share"`
	// JoinedBy has the shares of the nodes by the way in which they were mapped to the model.
	JoinedBy map[By]Number `json:"joined_by"`
	// Folded is the number of nodes of the main graph that no node ran for: they were computed
	// before the run, or not needed.
	Folded int `json:"folded"`
	// Parallel is the mean number of nodes that ran at the same time; 1 if they ran one after
	// the other.
	Parallel Number   `json:"parallel"`
	Peak     *Peak    `json:"peak"`
	Modules  []Module `json:"modules"`
	// Cut is set if the runtime dropped the events of later runs, because it keeps at most one
	// million. Unread is the number of events that could not be read because of unescaped
	// characters in names.
	Cut    bool `json:"cut"`
	Unread int  `json:"unread_events"`
}

// Node is a node that ran, with the node of the model that it comes from.
type Node struct {
	Name     string `json:"name"` // as it ran
	Op       string `json:"op"`
	Provider string `json:"ep"`
	// US is the median time in a run, summed over all calls, without bodies.
	US    Number `json:"us"`
	Share Number `json:"share"`
	// Quartiles are the lower and the upper quartile of the time in a run. Unsure is set if they are so
	// far apart that the node's place among the others is not certain.
	Quartiles [2]Number `json:"quartiles_us"`
	Unsure    bool      `json:"unsure,omitempty"`
	Calls     Number    `json:"calls"` // per run
	// By says how the node was mapped to a node of the model. Place and Index say which node that
	// is, and Original is its name. Place is empty for the main graph. Index is null if the node
	// could not be mapped.
	By    By     `json:"by"`
	Place string `json:"place,omitempty"`
	Index *int   `json:"index"`
	// Main is the position of the node of the main graph that it belongs to: Index if that is in
	// the main graph, otherwise the position of the node whose body contains it.
	Main     *int   `json:"main_index"`
	Original string `json:"original,omitempty"`
	Scope    string `json:"scope,omitempty"` // the module of the original
	// Members are the positions of all nodes in Place whose work this node did.
	Members []int `json:"members,omitempty"`
	// WithinUS is US plus the median times of the nodes in its bodies; 0 if the node has no bodies.
	WithinUS Number `json:"within_us,omitempty"`
	DeviceUS Number `json:"device_us,omitempty"` // mean time of its kernels on a device
	// MACs is the number of multiply-accumulates per run, null if unknown. Bytes is the number of
	// bytes moved per run.
	MACs   *int64  `json:"macs"`
	Bytes  int64   `json:"bytes"`
	GFLOPS *Number `json:"gflops"` // achieved rate, with 2 operations for each multiply-accumulate
	GBPS   *Number `json:"gbps"`
	Elem   string  `json:"elem,omitempty"` // element type of the products
	Bound  *Bound  `json:"bound"`          // null if too little is known
}

// Total is the sum over several nodes.
type Total struct {
	US    Number `json:"us"`
	Share Number `json:"share"`
	Nodes int    `json:"nodes"`
	Calls Number `json:"calls"`
}

// Copy is a node that copies a value to another device.
type Copy struct {
	Name  string `json:"name"`
	Op    string `json:"op"`
	US    Number `json:"us"`
	Share Number `json:"share"`
	Bytes int64  `json:"bytes"` // per run
}

// Subject is the model that a trace was recorded from, with what is known about it and the machine.
type Subject struct {
	Model *graphops.Model
	// Optimized is the optimized model, whose graph ran. If it is nil, nodes are mapped to Model by
	// their names only.
	Optimized *graphops.Model
	// Costs are the multiply-accumulates and bytes of Model's nodes at the sizes of the run; nil if
	// unknown.
	Costs *cost.Result
	// Peak is the peak of the machine that ran it, nil if unknown.
	Peak *Peak
}

// Explain evaluates the trace of a known model: it maps the nodes that ran to the model, and
// computes their rates and bounds.
func Explain(t *Trace, s Subject) *Result {
	x := &explanation{trace: t, Subject: s, places: map[*graphops.Place]bool{}}
	x.join()
	r := t.result()
	r.Peak = s.Peak
	within := x.within()
	for _, n := range t.Nodes {
		row := x.node(n, float64(r.NodesUS))
		row.WithinUS = within[n]
		r.add(row)
	}
	r.Folded = idle(r.Cells(len(s.Model.Graph().Nodes())))
	r.Modules = x.modules(r)
	r.longestFirst()
	return r
}

// Summary evaluates a trace whose model is unknown. Nodes have the names that they ran with.
func (t *Trace) Summary() *Result {
	r := t.result()
	for _, n := range t.Nodes {
		r.add(n.node(t.Runs, float64(r.NodesUS)))
	}
	r.longestFirst()
	return r
}

func (r *Result) longestFirst() {
	slices.SortStableFunc(r.Nodes, func(a, b Node) int { return cmp.Compare(b.US, a.US) })
}

// result returns the totals of a trace, without nodes.
func (t *Trace) result() *Result {
	r := &Result{
		Runs: t.Runs, RunUS: Number(median(t.RunTimes)), OverheadUS: Number(median(t.Overhead)), Parallel: Number(max(t.Busy, 1)),
		Nodes: []Node{}, Ops: map[string]Total{}, Providers: map[string]Total{}, Copies: []Copy{}, JoinedBy: map[By]Number{},
		Modules: []Module{}, Cut: t.Cut, Unread: t.Unread, Clock: t.clock(), WaitUS: Number(median(t.Idle)), Slowdown: Number(t.Slowdown),
	}
	if t.Runs > 0 {
		r.Loose = Number(float64(t.Loose) / float64(t.Runs))
	}
	sum := 0.0
	for _, n := range t.Nodes {
		us := n.median()
		sum += us
		if one := Number(us * float64(t.Runs) / float64(n.Calls)); us > 0 && (r.FloorUS == 0 || one < r.FloorUS) {
			r.FloorUS = one
		}
	}
	r.NodesUS = Number(sum)
	return r
}

func (r *Result) add(n Node) {
	r.Nodes = append(r.Nodes, n)
	r.Ops[n.Op] = r.Ops[n.Op].plus(n)
	r.Providers[n.Provider] = r.Providers[n.Provider].plus(n)
	r.JoinedBy[n.By] += n.Share
	if n.By == ByNone {
		r.UnjoinedShare += n.Share
	}
	if isCopy(n.Op) {
		r.Copies = append(r.Copies, Copy{Name: n.Name, Op: n.Op, US: n.US, Share: n.Share, Bytes: n.Bytes})
	}
}

func (t Total) plus(n Node) Total {
	return Total{t.US + n.US, t.Share + n.Share, t.Nodes + 1, t.Calls + n.Calls}
}

// explanation is the state of one call of Explain.
type explanation struct {
	Subject
	trace  *Trace
	origin map[*Timed]origin
	places map[*graphops.Place]bool
}

// join sets the origin of each node of the trace.
func (x *explanation) join() {
	optimized := x.Optimized
	if optimized == nil {
		optimized = x.Model
	}
	j := joinModels(x.Model, optimized, x.weight)
	found := match(x.trace, optimized.Places()[0])
	x.origin = map[*Timed]origin{}
	for _, t := range x.trace.Nodes {
		if where, ok := found[t]; ok {
			if o, ok := j.origin[where]; ok {
				x.origin[t] = o
				continue
			}
		}
		x.origin[t] = x.byNameAlone(t)
	}
}

// byNameAlone returns the origin of a node of the trace that was not found in the optimized graph.
// It compares names only.
func (x *explanation) byNameAlone(t *Timed) origin {
	places := x.Model.Places()[:1]
	if t.Parent != nil {
		o := x.origin[t.Parent]
		places = nil
		if o.Place != nil {
			for _, b := range o.Place.Bodies {
				if b.Node == o.Node {
					places = append(places, b)
				}
			}
		}
	}
	for _, name := range append([]string{t.Name}, undecorated(t.Name)...) {
		for _, p := range places {
			i := slices.IndexFunc(p.Graph.Nodes(), func(n *graphops.Node) bool { return n.Name() == name && name != "" })
			if i >= 0 && isKin(t.Op, p.Graph.Nodes()[i].OpType()) {
				return origin{By: ByName, Place: p, Node: i, Members: []int{i}}
			}
		}
	}
	return nowhere
}

// weight returns the number of multiply-accumulates of a node of the model, or 0 if unknown.
func (x *explanation) weight(p *graphops.Place, node int) int64 {
	if x.Costs == nil {
		return 0
	}
	n, _ := x.Costs.Node(p, node).MACs.Number()
	return n
}

// within returns the times of the nodes that have bodies, including the time of the bodies, in
// microseconds.
func (x *explanation) within() map[*Timed]Number {
	out := map[*Timed]Number{}
	// nodes inside bodies come after the node with the bodies
	for i := len(x.trace.Nodes) - 1; i >= 0; i-- {
		n := x.trace.Nodes[i]
		if _, holds := out[n]; holds {
			out[n] += Number(n.median())
		}
		if n.Parent != nil {
			if held, holds := out[n]; holds {
				out[n.Parent] += held
			} else {
				out[n.Parent] += Number(n.median())
			}
		}
	}
	return out
}

// node returns the description of a node that ran. sum is the time of all nodes in microseconds.
func (x *explanation) node(t *Timed, sum float64) Node {
	n := t.node(x.trace.Runs, sum)
	o := x.origin[t]
	if o.By != ByNone {
		original := o.Place.Graph.Nodes()[o.Node]
		n.By, n.Index, n.Original, n.Members = o.By, &o.Node, original.Name(), o.Members
		if o.Place.Kind != graphops.MainGraph {
			n.Place = o.Place.String()
		}
		if i := inMain(o); i >= 0 {
			n.Main = &i
		}
	}
	x.reach(&n, t, o)
	return n
}

// node returns the description of a node as far as the trace alone gives it. runs is the number of
// evaluated runs, and sum the time of all nodes in microseconds.
func (t *Timed) node(runs int, sum float64) Node {
	us := t.median()
	n := Node{
		Name: t.Name, Op: t.Op, Provider: opschema.ShortProvider(t.Provider), US: Number(us), By: ByNone,
		Calls: Number(float64(t.Calls) / float64(runs)), DeviceUS: Number(float64(t.Device) / float64(runs)),
	}
	low, high := t.quartiles()
	n.Quartiles, n.Unsure = [2]Number{Number(low), Number(high)}, isWide(low, us, high)
	if sum > 0 {
		n.Share = Number(us / sum)
	}
	return n
}

// reach sets the work of a node, the rates at which the node did it, and its bound.
func (x *explanation) reach(n *Node, t *Timed, o origin) {
	operations := -1.0
	if macs, ok := x.macs(o); ok {
		n.MACs, operations = &macs, 2*float64(macs)
		if macs > 0 {
			n.Elem = t.arithmetic()
		}
	}
	moved := x.bytes(t, o)
	bytes := float64(moved)
	n.Bytes = moved
	us := n.busy(x.trace.clock())
	if us > 0 && operations > 0 {
		n.GFLOPS = rate(operations, us)
	}
	if us > 0 && bytes > 0 {
		n.GBPS = rate(bytes, us)
	}
	if b := x.Peak.bound(us, operations, bytes, t.arithmetic()); b != BoundUnknown {
		n.Bound = &b
	}
}

// busy returns how long the node kept its processor or device busy, in microseconds; 0 if unknown.
// For a provider that only starts work on a device it is the time of the device's kernels, unless
// the runtime waited for the device.
func (n *Node) busy(c Clock) float64 {
	if c != ClockWaits && isAsynchronous(n.Provider) {
		return float64(n.DeviceUS)
	}
	return float64(n.US)
}

// rate returns the rate, in billions per second, of doing what operations, or moving what bytes, in
// us microseconds.
func rate(what, us float64) *Number {
	n := Number(what / us / 1e3)
	return &n
}

// macs returns the number of multiply-accumulates per run of a node with origin o: the sum over its
// members. The second result is false if the number is not known.
func (x *explanation) macs(o origin) (int64, bool) {
	if x.Costs == nil || o.By == ByNone {
		return 0, false
	}
	sum := int64(0)
	for _, m := range o.Members {
		n, ok := x.Costs.Node(o.Place, m).MACs.Number()
		if !ok {
			return 0, false
		}
		sum += n
	}
	return sum, true
}

// bytes returns the number of bytes that a node moves per run. If the node does the work of exactly
// one node of the model, package cost gives the number. Otherwise it is the size of the inputs and
// outputs that the runtime reports.
func (x *explanation) bytes(t *Timed, o origin) int64 {
	if x.Costs != nil && len(o.Members) == 1 && o.Members[0] == o.Node {
		c := x.Costs.Node(o.Place, o.Node)
		if n, ok := c.Read.Add(c.Written).Number(); ok {
			return n
		}
	}
	parameters := t.Parameters
	if x.Costs != nil {
		weights := int64(0)
		for _, m := range o.Members {
			weights += x.weights(o.Place, m)
		}
		parameters = max(parameters, weights*int64(x.trace.Runs))
	}
	return (t.Activations + parameters + t.Outputs) / int64(x.trace.Runs)
}

// weights returns the size in bytes of the constants that a node of the model reads.
func (x *explanation) weights(p *graphops.Place, node int) int64 {
	sum := int64(0)
	for _, name := range p.Graph.Nodes()[node].Inputs() {
		if c, _ := p.Constant(name); c != nil {
			if n, err := c.ByteLen(); err == nil {
				sum += n
			}
		}
	}
	return sum
}
