package origin

import (
	"strings"

	"lathe/graphops"
)

// Node is the metadata about the origin of a node.
type Node struct{ view }

var nodeKeys = []string{
	keyNamespace, keyScopes, keyClasses, keyFX, keyStack, keyInputNames,
	keyBuilderScopes, keyBuilderClass, keyRule, keyInference,
}

// OfNode returns the metadata of a node.
func OfNode(n *graphops.Node) Node { return Node{view{n.Metadata(), nodeKeys}} }

// Modules returns the path of modules in the source program that leads to the node.
func (n Node) Modules() Said[Modules] { return modules(n.view) }

// PathKey returns a text that is the same for nodes with the same module path. It takes less time
// than Modules. Callers that need the paths of many nodes can use it to parse each path once. ok is
// false for some nodes that have Modules.
func (n Node) PathKey() (string, bool) {
	raw, ok := lookup(n.entries, keyScopes)
	if !ok {
		return "", false
	}
	return pathKey(raw)
}

// Stack returns the call stack of the operation in the source program, outermost call first.
func (n Node) Stack() Said[[]Frame] { return read(n.view, stackFrames, keyStack) }

// FX returns the node of PyTorch's captured graph from which the node was created.
func (n Node) FX() Said[FX] { return read(n.view, fxNode, keyFX) }

// InputNames returns the parameter names for the node's inputs. PyTorch records them for an
// operation that it could not translate to ONNX.
func (n Node) InputNames() Said[[]string] { return read(n.view, stringList, keyInputNames) }

// Rules returns the names of the rewrite rules that were applied to the node, in order.
func (n Node) Rules() Said[[]string] {
	return read(n.view, func(s string) ([]string, bool) { return strings.Split(s, ", "), s != "" }, keyRule)
}

// InferenceError returns why the exporter could not infer the node's shapes.
func (n Node) InferenceError() Said[string] { return read(n.view, asText, keyInference) }

// Value is the metadata about the origin of a value.
type Value struct{ view }

var valueKeys = []string{keyInputKind, keyPersistent, keyOutputKind, keyOriginalName, keyFoldedFrom}

// OfValue returns a view of the metadata of a value. ValueMetadata returns that metadata.
func OfValue(entries []graphops.Entry) Value { return Value{view{entries, valueKeys}} }

// ValueMetadata returns the metadata of a value: the entries of its value info, and those of its
// initializer.
func ValueMetadata(x *graphops.Index, v graphops.ValueID) []graphops.Entry {
	var out []graphops.Entry
	if t := x.Initializer(v); t != nil {
		out = t.Metadata()
	}
	if info := x.Info(v); info != nil { // last, so that its entries apply: exporters write to value_info
		out = append(out, info.Metadata()...)
	}
	return out
}

// InputKind returns the kind of the input of the exported program that became this value.
func (v Value) InputKind() Said[Kind] { return read(v.view, asKind, keyInputKind) }

// Persistence returns whether the value is a buffer that is saved with the weights.
func (v Value) Persistence() Said[Persistence] { return read(v.view, asPersistence, keyPersistent) }

// OutputKind returns the kind of the output of the exported program that became this value.
func (v Value) OutputKind() Said[Kind] { return read(v.view, asKind, keyOutputKind) }

// OriginalName returns the name that the value had in PyTorch's captured graph.
func (v Value) OriginalName() Said[string] { return read(v.view, asText, keyOriginalName) }

// FoldedFrom returns the names of the values from which the exporter computed this constant.
func (v Value) FoldedFrom() Said[[]string] { return read(v.view, stringList, keyFoldedFrom) }

// Graph is the metadata about the origin of a graph or function.
type Graph struct{ view }

var graphKeys = []string{keySignature, keyRanges, keySubgraph}

// OfGraph returns the metadata of a graph.
func OfGraph(g *graphops.Graph) Graph { return Graph{view{g.Metadata(), graphKeys}} }

// OfFunction returns the metadata of a model-local function.
func OfFunction(f *graphops.Function) Graph { return Graph{view{f.Metadata(), graphKeys}} }

// Signature returns the inputs and outputs of the exported program.
func (g Graph) Signature() Said[Signature] { return read(g.view, signature, keySignature) }

// Ranges returns the ranges of the symbols in shapes.
func (g Graph) Ranges() Said[[]Range] { return read(g.view, ranges, keyRanges) }

// Subgraph returns the name that PyTorch gave to the function.
func (g Graph) Subgraph() Said[string] { return read(g.view, asText, keySubgraph) }

// Model is the metadata about the origin of a model.
type Model struct {
	view
	Producer, Version string
}

// OfModel returns the metadata of a model. No known exporter writes entries with a special form
// there, so Rest returns all of them.
func OfModel(m *graphops.Model) Model {
	name, version := m.Producer()
	return Model{view{m.Metadata(), nil}, name, version}
}
