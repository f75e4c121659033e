package graphops

import (
	"sync"

	"lathe/graphops/fieldnum"
)

// Graph has nodes and the values between them. It is the main graph of a model, a body in an
// attribute, or the content of a model-local function, whose inputs and outputs are names without
// types.
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

// Initializers returns the graph's dense constants.
func (g *Graph) Initializers() []*Tensor { return g.initializers }

// SparseInitializers returns the graph's sparse constants.
func (g *Graph) SparseInitializers() []*SparseTensor { return g.sparse }

// Inputs returns the graph's inputs. Files of IR version 3 list initializers among them. Later
// versions may do this, which makes these inputs optional.
func (g *Graph) Inputs() []*ValueInfo { return g.inputs }

// Outputs returns the graph's outputs.
func (g *Graph) Outputs() []*ValueInfo { return g.outputs }

// ValueInfo returns the types of values that are neither inputs nor outputs.
func (g *Graph) ValueInfo() []*ValueInfo { return g.valueInfo }

// FeedInputs returns the inputs that a run requires: those without an initializer of the same
// name, and without a Constant node of the same name, which a runtime prefers to the input.
func (g *Graph) FeedInputs() []*ValueInfo {
	constant := make(map[string]bool, len(g.initializers))
	for _, t := range g.initializers {
		constant[t.name] = true
	}
	for _, s := range g.sparse {
		constant[s.Name()] = true
	}
	for _, n := range g.nodes {
		if n.isConstant() {
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

// headOnly returns the graph without contents.
func (g *Graph) headOnly() *Graph { return &Graph{head: g.head} }
