package profile

import (
	"cmp"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/tensor"
)

// Number is a float64 that JSON can hold.
type Number = tensor.Number

// Result is what a profile tells of a model.
type Result struct {
	Runs int `json:"runs"` // that count
	// RunUS is the median time of a run with every node timed, OverheadUS what of it is in
	// no node; in microseconds, as all times are.
	RunUS      Number `json:"run_us"`
	OverheadUS Number `json:"overhead_us"`
	// NodesUS is the sum of the nodes' times. Each is a median of its own, so that it is
	// less than RunUS without OverheadUS where other nodes are disturbed in each run.
	NodesUS Number `json:"nodes_us"`
	// FloorUS is the shortest time of any call. Taking a time and noting it is a part of
	// each: a node that shows little more may have done next to nothing.
	FloorUS Number `json:"floor_us"`
	// Nodes are what ran, the longest first, Ops the same by operator. Shares are of the
	// time of all nodes.
	Nodes     []Node           `json:"nodes"`
	Ops       map[string]Total `json:"ops"`
	Providers map[string]Total `json:"providers"`
	// Copies are the nodes that bring a value from one device to another.
	Copies []Copy `json:"memcpy"`
	// UnjoinedShare is that of the nodes that no node of the model is known for.
	UnjoinedShare Number `json:"unjoined_share"`
	// JoinedBy are the shares by how nodes were joined.
	JoinedBy map[By]Number `json:"joined_by"`
	// Folded is how many nodes of the main graph no node that ran stands for: computed
	// before the run, or not needed.
	Folded int `json:"folded"`
	// Parallel is how many nodes ran at once, on average; 1 where they ran one after the
	// other.
	Parallel Number   `json:"parallel"`
	Peak     *Peak    `json:"peak"`
	Modules  []Module `json:"modules"`
	// Cut tells that the runtime kept no events of later runs, Unread how many of the
	// others nobody can read, because of names in them.
	Cut    bool `json:"cut"`
	Unread int  `json:"unread_events"`
}

// Node is a node that ran.
type Node struct {
	Name     string `json:"name"` // as it ran
	Op       string `json:"op"`
	Provider string `json:"ep"`
	// US is the median time of a run, all calls together, without what bodies took.
	US    Number `json:"us"`
	Share Number `json:"share"`
	Calls Number `json:"calls"` // in a run
	// By tells how it was joined, Place and Index to which node, Original its name. Place
	// is empty in the main graph; Index is null where nothing is known.
	By    By     `json:"by"`
	Place string `json:"place,omitempty"`
	Index *int   `json:"index"`
	// Main is the position in the main graph: Index, or that of the node which holds the
	// body that it stands in.
	Main     *int   `json:"main_index"`
	Original string `json:"original,omitempty"`
	Scope    string `json:"scope,omitempty"` // the module that the original stands in
	// Members are the positions of all nodes whose work this is.
	Members []int `json:"members,omitempty"`
	// WithinUS is the median of US and what its bodies took; 0 where it has none.
	WithinUS Number `json:"within_us,omitempty"`
	DeviceUS Number `json:"device_us,omitempty"` // mean time of its kernels on a device
	// MACs and Bytes are of a run; MACs are null where they are not known.
	MACs   *int64  `json:"macs"`
	Bytes  int64   `json:"bytes"`
	GFLOPS *Number `json:"gflops"` // achieved, of 2 operations for each of MACs
	GBPS   *Number `json:"gbps"`
	Elem   string  `json:"elem,omitempty"` // the type that products are computed in
	Bound  *Bound  `json:"bound"`          // null where too little is known
}

// Total is what several nodes took.
type Total struct {
	US    Number `json:"us"`
	Share Number `json:"share"`
	Nodes int    `json:"nodes"`
	Calls Number `json:"calls"`
}

// Copy is a node that brings a value to another device.
type Copy struct {
	Name  string `json:"name"`
	Op    string `json:"op"`
	US    Number `json:"us"`
	Share Number `json:"share"`
	Bytes int64  `json:"bytes"` // of a run
}

// Subject is what a trace is about.
type Subject struct {
	Model *graphops.Model
	// Optimized is the graph that ran; nil where it is not known. Nodes are then joined by
	// their names alone.
	Optimized *graphops.Model
	// Costs are those of Model for the sizes that it ran with; nil where they are unknown.
	Costs *cost.Result
	// Peak is that of the machine that it ran on; nil where it is unknown.
	Peak *Peak
}

// Explain makes a result of a trace.
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

// Summary is what a trace tells where its model is not known: nodes by the names that they had when
// they ran.
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

// result is what a trace tells of its runs, without nodes.
func (t *Trace) result() *Result {
	r := &Result{
		Runs: t.Runs, RunUS: Number(median(t.RunTimes)), OverheadUS: Number(median(t.Overhead)), Parallel: Number(max(t.Busy, 1)),
		Nodes: []Node{}, Ops: map[string]Total{}, Providers: map[string]Total{}, Copies: []Copy{}, JoinedBy: map[By]Number{},
		Modules: []Module{}, Cut: t.Cut, Unread: t.Unread,
	}
	sum := 0.0
	for _, n := range t.Nodes {
		us := n.Median()
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

// explanation is the making of a result.
type explanation struct {
	Subject
	trace  *Trace
	origin map[*Timed]Origin
	places map[*graphops.Place]bool
}

// join leads the nodes of the trace back to the model.
func (x *explanation) join() {
	optimized := x.Optimized
	if optimized == nil {
		optimized = x.Model
	}
	j := joinModels(x.Model, optimized, x.weight)
	found := match(x.trace, optimized.Places()[0])
	x.origin = map[*Timed]Origin{}
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

// byNameAlone is the origin of a node that the optimized graph does not have.
func (x *explanation) byNameAlone(t *Timed) Origin {
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
				return Origin{By: ByName, Place: p, Node: i, Members: []int{i}}
			}
		}
	}
	return nowhere
}

// weight is the multiply-accumulates of a node, 0 where they are not known.
func (x *explanation) weight(p *graphops.Place, node int) int64 {
	if x.Costs == nil {
		return 0
	}
	n, _ := x.Costs.Node(p, node).MACs.Number()
	return n
}

// within is the time of nodes with what their bodies took.
func (x *explanation) within() map[*Timed]Number {
	out := map[*Timed]Number{}
	for i := len(x.trace.Nodes) - 1; i >= 0; i-- { // what is held stands after its holder
		n := x.trace.Nodes[i]
		if _, holds := out[n]; holds {
			out[n] += Number(n.Median())
		}
		if n.Parent != nil {
			if held, holds := out[n]; holds {
				out[n.Parent] += held
			} else {
				out[n.Parent] += Number(n.Median())
			}
		}
	}
	return out
}

// node describes what ran.
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

// node is what a trace of so many runs tells of a node; sum is the time of all.
func (t *Timed) node(runs int, sum float64) Node {
	us := t.Median()
	n := Node{
		Name: t.Name, Op: t.Op, Provider: shortProvider(t.Provider), US: Number(us), By: ByNone,
		Calls: Number(float64(t.Calls) / float64(runs)), DeviceUS: Number(float64(t.Device) / float64(runs)),
	}
	if sum > 0 {
		n.Share = Number(us / sum)
	}
	return n
}

// reach tells what a node reached, and what it is bound by.
func (x *explanation) reach(n *Node, t *Timed, o Origin) {
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
	us := n.busy()
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

// busy is how long the node kept what computes it busy, in microseconds; 0 where nobody
// tells. A provider that only starts the work tells by its kernels.
func (n *Node) busy() float64 {
	switch n.Provider {
	case "cuda", "tensorrt", "nvtensorrtrtx", "rocm", "migraphx", "dml", "webgpu", "cann":
		return float64(n.DeviceUS)
	}
	return float64(n.US)
}

// rate is billions per second.
func rate(what, us float64) *Number {
	n := Number(what / us / 1e3)
	return &n
}

// macs are the multiply-accumulates of a run; what was inserted has none.
func (x *explanation) macs(o Origin) (int64, bool) {
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

// bytes are those that a run moves: of a node that is the work of one, what it reads and
// writes by its formula; of any other, its inputs and outputs as the runtime saw them.
func (x *explanation) bytes(t *Timed, o Origin) int64 {
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

// weights are the bytes of the initializers that a node reads once.
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

// shortProvider is a provider as chains name it: "cuda" for "CUDAExecutionProvider".
func shortProvider(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, "ExecutionProvider"))
}
