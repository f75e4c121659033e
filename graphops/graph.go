package graphops

import (
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of GraphProto.
const (
	graphNode              protowire.Number = 1
	graphName              protowire.Number = 2
	graphInitializer       protowire.Number = 5
	graphDoc               protowire.Number = 10
	graphInput             protowire.Number = 11
	graphOutput            protowire.Number = 12
	graphValueInfo         protowire.Number = 13
	graphSparseInitializer protowire.Number = 15
	graphMetadata          protowire.Number = 16
)

// Graph is a graph: the main one of a model, or a body that an attribute holds.
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
func (g *Graph) Name() string { return lastString(g.head, graphName) }

// Doc is the graph's doc_string.
func (g *Graph) Doc() string { return lastString(g.head, graphDoc) }

// Metadata are the graph's metadata_props.
func (g *Graph) Metadata() []Entry { return entriesOf(g.head, graphMetadata) }

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

// FeedInputs are the inputs that a run must be given: those no initializer
// stands behind.
func (g *Graph) FeedInputs() []*ValueInfo {
	constant := make(map[string]bool, len(g.initializers))
	for _, t := range g.initializers {
		constant[t.name] = true
	}
	for _, s := range g.sparse {
		constant[s.Name()] = true
	}
	var out []*ValueInfo
	for _, v := range g.inputs {
		if !constant[v.name] {
			out = append(out, v)
		}
	}
	return out
}

// Function is a model-local function.
type Function struct {
	name, domain, overload string
	inputs, outputs        []string
	nodes                  []*Node
	valueInfo              []*ValueInfo
	head                   []byte // everything but the nodes and value_info
}

// Field numbers of FunctionProto.
const (
	functionName      protowire.Number = 1
	functionInput     protowire.Number = 4
	functionOutput    protowire.Number = 5
	functionNode      protowire.Number = 7
	functionOpset     protowire.Number = 9
	functionDomain    protowire.Number = 10
	functionValueInfo protowire.Number = 12
	functionOverload  protowire.Number = 13
)

// FunctionKey identifies a function as a node calls it.
type FunctionKey struct{ Domain, Name, Overload string }

// Key is what a node must name to call the function.
func (f *Function) Key() FunctionKey {
	return FunctionKey{NormalDomain(f.domain), f.name, f.overload}
}

// Inputs are the function's formal inputs.
func (f *Function) Inputs() []string { return f.inputs }

// Outputs are the function's formal outputs.
func (f *Function) Outputs() []string { return f.outputs }

// Nodes are the nodes of the function's body.
func (f *Function) Nodes() []*Node { return f.nodes }

// Calls is the key of the function that the node calls, if there is one.
func (n *Node) Calls() FunctionKey { return FunctionKey{n.Domain(), n.opType, n.overload} }

// headOnly is the graph without contents.
func (g *Graph) headOnly() *Graph { return &Graph{head: g.head} }
