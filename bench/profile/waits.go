package profile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
	"lathe/session/ort/ep"
)

// Clock says what the time of a node on a device includes.
type Clock string

// The clocks. With ClockHost every node ran on a provider that returns when the work is done. With
// ClockKernels the provider wrote the times of its kernels. With ClockWaits the runtime waited for
// the device after each node. With ClockStarts a time is only that of starting the work.
const (
	ClockHost    Clock = "host"
	ClockKernels Clock = "kernels"
	ClockWaits   Clock = "waits"
	ClockStarts  Clock = "starts"
)

// Waits is a graph in which the runtime waits for the device after each node on it. A wait is a read
// of one element of the node's first output: Reshape and Slice on the device, a copy to the host,
// and an operator that only the CPU has. The copy ends when the device has done everything before
// it. Each node has two waits, one after the other. The second one has nothing to wait for, so it
// shows how long the first would take alone. No node has another order or another input than before.
type Waits struct {
	Model  *graphops.Model
	nodes  []*graphops.Node // of the optimized graph
	prefix string
	// copies are the names of the copies between devices, in the order in which they ran. When
	// the runtime loads the graph, it adds them again, with other names.
	copies []string
	// on is the provider of each node of the main graph that ran, by name.
	on map[string]string
}

// The two reads of a node, and the nodes of a read.
const (
	readNode = iota // ends when the node's work is done
	readIdle        // has nothing to wait for

	roleFlat = "flat"
	roleOne  = "one"
	roleSink = "sink"
)

// WithWaits adds waits to an optimized graph after each node that a trace of it shows on a device.
// feeds has the inputs of a run. The result is nil if the trace shows no such node.
func WithWaits(optimized *graphops.Model, t *Trace, feeds graphops.Feeds) *Waits {
	main := optimized.Places()[0]
	on := map[int]bool{}
	for timed, where := range match(t, main) {
		n := main.Graph.Nodes()[where.node]
		if where.place == main && isAsynchronous(timed.Provider) && !holdsBodies(timed.Op) && !isCopy(timed.Op) && n.Output(0) != "" {
			on[where.node] = true
		}
	}
	if len(on) == 0 {
		return nil
	}
	e := graphops.Edit(optimized)
	w := &Waits{nodes: main.Graph.Nodes(), prefix: e.Names().Node("lathe_wait"), on: map[string]string{}}
	for _, n := range t.Nodes {
		if isCopy(n.Op) {
			w.copies = append(w.copies, n.Name)
		} else if n.Parent == nil {
			w.on[n.Name] = n.Provider
		}
	}
	version, known := optimized.Opset("")
	if !known {
		version = slicesByInput
		e.SetOpset("", version)
	}
	if _, known := optimized.Opset(graphops.MicrosoftDomain); !known {
		e.SetOpset(graphops.MicrosoftDomain, 1)
	}
	e.Nodes = append(w.constants(), withoutCopies(e.Nodes)...)
	// In files of IR version 3, initializers are inputs too. If an optimization removes one, the
	// runtime leaves its input.
	e.Inputs = slices.DeleteFunc(e.Inputs, func(v *graphops.ValueInfo) bool {
		_, fed := feeds[v.Name()]
		return !fed && !slices.ContainsFunc(e.Initializers, func(i *graphops.Tensor) bool { return i.Name() == v.Name() })
	})
	// The runtime orders nodes by searching backwards from those that no other node reads, the last
	// one of the file first. So the reads of the first node come last.
	for k := len(w.nodes) - 1; k >= 0; k-- {
		if on[k] {
			e.Nodes = slices.Concat(e.Nodes, w.read(k, readIdle, version), w.read(k, readNode, version))
		}
	}
	w.Model = e.Model()
	return w
}

// withoutCopies removes the copies between devices that the runtime has added. It adds them again when
// it loads the graph. The readers of a copy, also those in bodies, read the original again.
func withoutCopies(nodes []*graphops.Node) []*graphops.Node {
	original := map[string]string{}
	for _, n := range nodes {
		if isCopy(n.OpType()) && len(n.Inputs()) == 1 && len(n.Outputs()) == 1 {
			original[n.Output(0)] = n.Input(0)
		}
	}
	if len(original) == 0 {
		return nodes
	}
	var out []*graphops.Node
	for _, n := range nodes {
		if len(n.Outputs()) != 1 || original[n.Output(0)] == "" {
			out = append(out, n.Renamed(original))
		}
	}
	return out
}

// isAsynchronous reports whether a provider, under the runtime's name or Lathe's, may only start work
// on its device.
func isAsynchronous(provider string) bool { return ep.IsAsynchronous(opschema.ShortProvider(provider)) }

// clock returns the clock of the nodes. Without Clock, only the nodes show it.
func (t *Trace) clock() Clock {
	c := ClockHost
	for _, n := range t.Nodes {
		if n.Device > 0 {
			return ClockKernels
		}
		if isAsynchronous(n.Provider) {
			c = cmp.Or(t.Clock, ClockStarts)
		}
	}
	return c
}

// The names of the constants that all reads share, after the prefix.
const (
	allInOne = "_shape" // of Reshape: one axis
	first    = "_first" // of Slice
	second   = "_second"
	axis     = "_axis" // of the operator on the CPU
)

// constants returns the nodes of the constants. Initializers would have to be inputs in old files.
func (w *Waits) constants() []*graphops.Node {
	constant := func(name string, t *graphops.Tensor) *graphops.Node {
		return graphops.NewNode(graphops.NodeSpec{
			Op: "Constant", Name: w.prefix + name, Outputs: []string{w.prefix + name},
			Attributes: []*graphops.Attribute{graphops.TensorAttribute("value", t)},
		})
	}
	one := func(v int64) *graphops.Tensor { return graphops.NewTensorOf("", tensor.FromSlice([]int64{v}, 1)) }
	return []*graphops.Node{
		constant(allInOne, one(-1)), constant(first, one(0)), constant(second, one(1)),
		constant(axis, graphops.NewTensorOf("", tensor.FromSlice([]int32{0}))),
	}
}

// slicesByInput is the first opset in which Slice has inputs in place of attributes.
const slicesByInput = 10

// read returns the nodes that read one element of the first output of node k.
func (w *Waits) read(k, turn int, version int64) []*graphops.Node {
	name := func(role string) string {
		return strings.Join([]string{w.prefix, strconv.Itoa(k), strconv.Itoa(turn), role}, "/")
	}
	node := func(op, domain, role string, attributes []*graphops.Attribute, inputs ...string) *graphops.Node {
		return graphops.NewNode(graphops.NodeSpec{Op: op, Domain: domain, Name: name(role), Inputs: inputs, Outputs: []string{name(role)}, Attributes: attributes})
	}
	inputs, attributes := []string{name(roleFlat), w.prefix + first, w.prefix + second}, []*graphops.Attribute(nil)
	if version < slicesByInput {
		inputs, attributes = inputs[:1], []*graphops.Attribute{graphops.IntsAttribute("starts", []int64{0}), graphops.IntsAttribute("ends", []int64{1})}
	}
	return []*graphops.Node{
		node("Reshape", "", roleFlat, nil, w.nodes[k].Output(0), w.prefix+allInOne),
		node("Slice", "", roleOne, attributes, inputs...),
		node("ExpandDims", graphops.MicrosoftDomain, roleSink, nil, name(roleOne), w.prefix+axis),
	}
}

// parse returns the node and the turn of the read that a node with this name belongs to.
func (w *Waits) parse(name string) (k, turn int, role string, ok bool) {
	rest, ok := strings.CutPrefix(name, w.prefix+"/")
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 3 {
		return 0, 0, "", false
	}
	k, err := strconv.Atoi(parts[0])
	turn, err2 := strconv.Atoi(parts[1])
	return k, turn, parts[2], err == nil && err2 == nil && k < len(w.nodes)
}
