package origin

import (
	"strings"

	"lathe/graphops"
)

// Node says where a node comes from.
type Node struct{ view }

var nodeKeys = []string{
	keyNamespace, keyScopes, keyClasses, keyFX, keyStack, keyInputNames,
	keyBuilderScopes, keyBuilderClass, keyRule, keyInference,
}

// OfNode returns the view of a node.
func OfNode(n *graphops.Node) Node { return Node{view{n.Metadata(), nodeKeys}} }

// Modules returns the path to the node through the modules of its program.
func (n Node) Modules() Said[Modules] { return modules(n.view) }

// PathKey returns a text that is the same for nodes with the same module path, so that callers
// which read many nodes can parse each path once. Some nodes have Modules but no key.
func (n Node) PathKey() (string, bool) {
	raw, ok := Lookup(n.entries, keyScopes)
	if !ok {
		return "", false
	}
	return pathKey(raw)
}

// Stack returns the call stack of the operation in the source, outermost call first.
func (n Node) Stack() Said[[]Frame] { return read(n.view, stackFrames, keyStack) }

// FX returns the node of PyTorch's captured graph.
func (n Node) FX() Said[FX] { return read(n.view, fxNode, keyFX) }

// InputNames returns the names of the parameters for the inputs of an operation that has no
// translation.
func (n Node) InputNames() Said[[]string] { return read(n.view, stringList, keyInputNames) }

// Rules returns the rewrite rules that were applied to the node, in order.
func (n Node) Rules() Said[[]string] {
	return read(n.view, func(s string) ([]string, bool) { return strings.Split(s, ", "), s != "" }, keyRule)
}

// InferenceError returns why the exporter could not infer the node's shapes.
func (n Node) InferenceError() Said[string] { return read(n.view, asText, keyInference) }

// Value says where a value comes from.
type Value struct{ view }

var valueKeys = []string{keyInputKind, keyPersistent, keyOutputKind, keyOriginalName, keyFoldedFrom}

// OfValue returns the view of the metadata of a value; ValueMetadata collects it.
func OfValue(entries []graphops.Entry) Value { return Value{view{entries, valueKeys}} }

// ValueMetadata returns the metadata of a value: the entries of its value info, and those of its
// initializer.
func ValueMetadata(x *graphops.Index, v graphops.ValueID) []graphops.Entry {
	var out []graphops.Entry
	if t := x.Initializer(v); t != nil {
		out = t.Metadata()
	}
	if info := x.Info(v); info != nil { // last, so that it applies: exporters write it there
		out = append(out, info.Metadata()...)
	}
	return out
}

// InputKind returns which kind of input of the exported program the value is.
func (v Value) InputKind() Said[Kind] { return read(v.view, asKind, keyInputKind) }

// Persistence returns whether a buffer is saved with the weights.
func (v Value) Persistence() Said[Persistence] { return read(v.view, asPersistence, keyPersistent) }

// OutputKind returns which kind of output of the exported program the value is.
func (v Value) OutputKind() Said[Kind] { return read(v.view, asKind, keyOutputKind) }

// OriginalName returns the name of the value in the captured graph.
func (v Value) OriginalName() Said[string] { return read(v.view, asText, keyOriginalName) }

// FoldedFrom returns the values from which a constant was computed at export.
func (v Value) FoldedFrom() Said[[]string] { return read(v.view, stringList, keyFoldedFrom) }

// Graph says where a graph or function comes from.
type Graph struct{ view }

var graphKeys = []string{keySignature, keyRanges, keySubgraph}

// OfGraph returns the view of a graph.
func OfGraph(g *graphops.Graph) Graph { return Graph{view{g.Metadata(), graphKeys}} }

// OfFunction returns the view of a function of the model.
func OfFunction(f *graphops.Function) Graph { return Graph{view{f.Metadata(), graphKeys}} }

// Signature returns the inputs and outputs of the exported program.
func (g Graph) Signature() Said[Signature] { return read(g.view, signature, keySignature) }

// Ranges returns the possible values of the symbols of dimensions.
func (g Graph) Ranges() Said[[]Range] { return read(g.view, ranges, keyRanges) }

// Subgraph returns PyTorch's name of the function.
func (g Graph) Subgraph() Said[string] { return read(g.view, asText, keySubgraph) }

// Model says where a model comes from.
type Model struct {
	view
	Producer, Version string
}

// OfModel returns the view of a model. No known exporter writes keys with a special form there, so
// all entries are in Rest.
func OfModel(m *graphops.Model) Model {
	name, version := m.Producer()
	return Model{view{m.Metadata(), nil}, name, version}
}
