package graphops

import (
	"sync"

	"lathe/graphops/fieldnum"
)

// Graph is nodes and the values between them: the main graph of a model, a body
// that an attribute holds, or the content of a model-local function, whose inputs
// and outputs are names without types.
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

// Name is the graph's name.
func (g *Graph) Name() string { return lastString(g.head, fieldnum.GraphName) }

// Doc is the graph's doc_string.
func (g *Graph) Doc() string { return lastString(g.head, fieldnum.GraphDoc) }

// Metadata are the graph's metadata_props.
func (g *Graph) Metadata() []Entry { return entriesOf(g.head, fieldnum.GraphMetadata) }

// Nodes are the graph's nodes in the order of the file.
func (g *Graph) Nodes() []*Node { return g.nodes }

// Initializers are the graph's dense constants.
func (g *Graph) Initializers() []*Tensor { return g.initializers }

// SparseInitializers are the graph's sparse constants.
func (g *Graph) SparseInitializers() []*SparseTensor { return g.sparse }

// Inputs are the graph's inputs. Files of IR version 3 list initializers among
// them; later ones may, which makes those inputs optional.
func (g *Graph) Inputs() []*ValueInfo { return g.inputs }

// Outputs are the graph's outputs.
func (g *Graph) Outputs() []*ValueInfo { return g.outputs }

// ValueInfo are the types of values that are neither input nor output.
func (g *Graph) ValueInfo() []*ValueInfo { return g.valueInfo }

// FeedInputs are the inputs that a run must be given: those behind which no
// initializer stands, and no Constant node, which a runtime prefers to an input
// of the same name.
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

// headOnly is the graph without contents.
func (g *Graph) headOnly() *Graph { return &Graph{head: g.head} }
