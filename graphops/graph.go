package graphops

import (
	"sync"

	"lathe/graphops/fieldnum"
)

// Graph consists of nodes and the values that they read and produce. It is the main graph of a
// model, a body in an attribute, or the content of a model-local function. The inputs and outputs
// of a function have names but no types.
type Graph struct {
	nodes        []*Node
	initializers []*Tensor
	sparse       []*SparseTensor
	inputs       []*ValueInfo
	outputs      []*ValueInfo
	valueInfo    []*ValueInfo
	head         []byte // the serialized GraphProto without the parts above

	indexOnce sync.Once
	index     *Index
}

// Name returns the graph's name.
func (g *Graph) Name() string { return lastString(g.head, fieldnum.GraphName) }

// Doc returns the graph's doc_string.
func (g *Graph) Doc() string { return lastString(g.head, fieldnum.GraphDoc) }

// Metadata returns the graph's metadata_props.
func (g *Graph) Metadata() []Entry { return entriesOf(g.head, fieldnum.GraphMetadata) }

// Nodes returns the graph's nodes in file order.
func (g *Graph) Nodes() []*Node { return g.nodes }

// Initializers returns the dense initializers of the graph.
func (g *Graph) Initializers() []*Tensor { return g.initializers }

// SparseInitializers returns the sparse initializers of the graph.
func (g *Graph) SparseInitializers() []*SparseTensor { return g.sparse }

// Inputs returns the graph's inputs. In files of IR version 3 every initializer is also listed as
// an input. In later versions this is allowed and makes the input optional: the initializer is its
// default.
func (g *Graph) Inputs() []*ValueInfo { return g.inputs }

// Outputs returns the graph's outputs.
func (g *Graph) Outputs() []*ValueInfo { return g.outputs }

// ValueInfo returns the entries of value_info: the types of values that are neither inputs nor
// outputs.
func (g *Graph) ValueInfo() []*ValueInfo { return g.valueInfo }

// FeedInputs returns the inputs for which a run needs a value from the caller. It leaves out inputs
// with a default, which is an initializer of the same name. It also leaves out inputs with the name
// of a Constant node, because runtimes use the Constant instead.
func (g *Graph) FeedInputs() []*ValueInfo {
	constant := make(map[string]bool, len(g.initializers))
	for _, t := range g.initializers {
		constant[t.name] = true
	}
	for _, s := range g.sparse {
		constant[s.Name()] = true
	}
	for _, n := range g.nodes {
		if n.IsConstant() {
			constant[n.outputs[0]] = true
		}
	}
	var out []*ValueInfo
	for _, v := range g.inputs {
		if !constant[v.name] {
			out = append(out, v)
		}
	}
	return out
}

// headOnly returns a graph without nodes and values, but with the other fields, such as the name
// and the metadata.
func (g *Graph) headOnly() *Graph { return &Graph{head: g.head} }
