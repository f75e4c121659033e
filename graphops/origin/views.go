package origin

import (
	"strings"

	"lathe/graphops"
)

// Node tells where a node comes from.
type Node struct{ view }

var nodeKeys = []string{
	keyNamespace, keyScopes, keyClasses, keyFX, keyStack, keyInputNames,
	keyBuilderScopes, keyBuilderClass, keyRule, keyInference,
}

// OfNode is the view of a node.
func OfNode(n *graphops.Node) Node { return Node{view{n.Metadata(), nodeKeys}} }

// Modules is the way to the node through the modules of its program.
func (n Node) Modules() Said[Modules] { return modules(n.view) }

// PathKey is a text that is the same for nodes of the same module path, so that
// whoever reads many nodes parses each path once. Not every node has one that has
// Modules.
func (n Node) PathKey() (string, bool) {
	raw, ok := Lookup(n.entries, keyScopes)
	if !ok {
		return "", false
	}
	return pathKey(raw)
}

// Stack is where in the source the operation stands, outermost call first.
func (n Node) Stack() Said[[]Frame] { return read(n.view, stackFrames, keyStack) }

// FX is the node of PyTorch's captured graph.
func (n Node) FX() Said[FX] { return read(n.view, fxNode, keyFX) }

// InputNames are the names of the formal parameters that the inputs fill, of an
// operation that has no translation.
func (n Node) InputNames() Said[[]string] { return read(n.view, stringList, keyInputNames) }

// Rules are the rewrite rules that the node has been through, in their order.
func (n Node) Rules() Said[[]string] {
	return read(n.view, func(s string) ([]string, bool) { return strings.Split(s, ", "), s != "" }, keyRule)
}

// InferenceError is why the exporter could not infer the node's shapes.
func (n Node) InferenceError() Said[string] { return read(n.view, asText, keyInference) }

// Value tells where a value comes from.
type Value struct{ view }

var valueKeys = []string{keyInputKind, keyPersistent, keyOutputKind, keyOriginalName, keyFoldedFrom}

// OfValue is the view of the metadata of a value; ValueMetadata gathers it.
func OfValue(entries []graphops.Entry) Value { return Value{view{entries, valueKeys}} }

// ValueMetadata is what a graph says of a value: the entries of its value info, and
// those of the initializer behind it.
func ValueMetadata(x *graphops.Index, v graphops.ValueID) []graphops.Entry {
	var out []graphops.Entry
	if t := x.Initializer(v); t != nil {
		out = t.Metadata()
	}
	if info := x.Info(v); info != nil { // last, so that it counts: exporters write it there
		out = append(out, info.Metadata()...)
	}
	return out
}

// InputKind is what kind of input of the exported program the value is.
func (v Value) InputKind() Said[Kind] { return read(v.view, asKind, keyInputKind) }

// Persistence tells of a buffer whether it is saved with the weights.
func (v Value) Persistence() Said[Persistence] { return read(v.view, asPersistence, keyPersistent) }

// OutputKind is what kind of output of the exported program the value is.
func (v Value) OutputKind() Said[Kind] { return read(v.view, asKind, keyOutputKind) }

// OriginalName is the name that the value had in the captured graph.
func (v Value) OriginalName() Said[string] { return read(v.view, asText, keyOriginalName) }

// FoldedFrom are the values that a constant was computed from at export.
func (v Value) FoldedFrom() Said[[]string] { return read(v.view, stringList, keyFoldedFrom) }

// Graph tells where a graph, or a function, comes from.
type Graph struct{ view }

var graphKeys = []string{keySignature, keyRanges, keySubgraph}

// OfGraph is the view of a graph.
func OfGraph(g *graphops.Graph) Graph { return Graph{view{g.Metadata(), graphKeys}} }

// OfFunction is the view of a model-local function.
func OfFunction(f *graphops.Function) Graph { return Graph{view{f.Metadata(), graphKeys}} }

// Signature is what the exported program takes and gives.
func (g Graph) Signature() Said[Signature] { return read(g.view, signature, keySignature) }

// Ranges are the values that the symbols of dimensions may have.
func (g Graph) Ranges() Said[[]Range] { return read(g.view, ranges, keyRanges) }

// Subgraph is by what name PyTorch calls the function.
func (g Graph) Subgraph() Said[string] { return read(g.view, asText, keySubgraph) }

// Model tells where a model comes from.
type Model struct {
	view
	Producer, Version string
}

// OfModel is the view of a model. No exporter that is known writes a key of a form
// of its own there, so all entries are the rest.
func OfModel(m *graphops.Model) Model {
	name, version := m.Producer()
	return Model{view{m.Metadata(), nil}, name, version}
}
