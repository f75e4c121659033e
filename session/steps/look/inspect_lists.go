package look

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/scope"
	"lathe/session/reporting"
	"lathe/session/text"
)

// nodeEntry is a row of node_list. Scope is the path of the node's module as package scope finds
// it, or "".
type nodeEntry struct {
	Index   int      `json:"index"`
	Name    string   `json:"name"`
	Op      string   `json:"op"`
	Domain  string   `json:"domain"`
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
	Scope   string   `json:"scope"`
	nodeCost
	Metadata metadata `json:"metadata"`
}

// valueEntry is a row of value_list. Producer is the index of the node that computes the value. It
// is null for inputs and initializers.
type valueEntry struct {
	reporting.Value
	Producer  *int     `json:"producer"`
	Consumers []int32  `json:"consumers"`
	Metadata  metadata `json:"metadata"`
}

// tensorEntry is a row of tensor_list. Location is "embedded" or the file with the external data.
// The offset is that of the first byte in this file. It is null if the bytes are not contiguous.
type tensorEntry struct {
	Name     string         `json:"name"`
	Type     string         `json:"type"`
	Shape    graphops.Shape `json:"shape"`
	Bytes    int64          `json:"bytes"`
	Location string         `json:"location"`
	Offset   *int64         `json:"offset"`
}

// placeEntry is a row of place_list. Place is the path to the place, as --in accepts it.
type placeEntry struct {
	Place    []string `json:"place"`
	Kind     string   `json:"kind"` // "graph", "body" or "function"
	Nodes    int      `json:"nodes"`
	Inputs   []string `json:"inputs"`
	Outputs  []string `json:"outputs"`
	Captures []string `json:"captures"`
	Metadata metadata `json:"metadata"`
}

func placeList(m *graphops.Model) []placeEntry {
	out := []placeEntry{}
	for _, p := range m.Places() {
		out = append(out, placeEntry{
			Place: reporting.OrEmpty(p.Hops()), Kind: p.Kind.String(), Nodes: len(p.Graph.Nodes()),
			Inputs: graphops.ValueNames(p.Graph.Inputs()), Outputs: graphops.ValueNames(p.Graph.Outputs()), Captures: reporting.OrEmpty(p.Graph.Captured()),
			Metadata: placeMetadata(p),
		})
	}
	return out
}

// definitionWarnings warn about names that a place defines more than once.
func definitionWarnings(m *graphops.Model) []string {
	var out []string
	for _, p := range m.Places() {
		where := ""
		if p.Kind != graphops.MainGraph {
			where = fmt.Sprintf("%q: ", p)
		}
		x := p.Graph.Index()
		if n := len(x.Duplicates); n > 0 {
			out = append(out, fmt.Sprintf("%s%s defined more than once, which ONNX Runtime rejects: %s", where, text.Plural(n, "value"), graphops.QuoteNames(x.Duplicates)))
		}
		if n := len(x.Overruled); n > 0 {
			out = append(out, fmt.Sprintf("%s%s defined more than once: %s; %s", where, text.Plural(n, "constant"), graphops.QuoteNames(x.Overruled), graphops.OverruledNote))
		}
	}
	return out
}

func nodeList(place *graphops.Place, positions []int32, known known) []nodeEntry {
	out := make([]nodeEntry, 0, len(positions))
	scopes := scopePaths(place)
	for _, i := range positions {
		n := place.Graph.Nodes()[i]
		out = append(out, nodeEntry{
			int(i), n.Name(), n.OpType(), n.Domain(), reporting.OrEmpty(n.Inputs()), reporting.OrEmpty(n.Outputs()), scopes(int(i)), known.node(place, int(i)), metadata{n},
		})
	}
	return out
}

// scopePaths returns a function that gives the scope of a node. Each path is formatted only once.
func scopePaths(place *graphops.Place) func(node int) string {
	tree := scope.BuildPlace(place)
	paths := make([]string, len(tree.Scopes))
	return func(node int) string {
		s := tree.Find(node)
		if s != scope.Root && paths[s] == "" {
			paths[s] = tree.Path(s)
		}
		return paths[s]
	}
}

func valueList(place *graphops.Place, values []graphops.ValueID, known known) []valueEntry {
	x := place.Graph.Index()
	out := make([]valueEntry, 0, len(values))
	for _, id := range values {
		e := valueEntry{Consumers: reporting.OrEmpty(x.Readers(id)), Metadata: metadata{valueOf{x, id}}}
		if p := x.Producer(id); p >= 0 {
			e.Producer = &p
		}
		e.Value = known.value(place, id, place.Type(id))
		out = append(out, e)
	}
	return out
}

func tensorList(tensors []*graphops.Tensor) []tensorEntry {
	out := make([]tensorEntry, 0, len(tensors))
	for _, t := range tensors {
		e := tensorEntry{Name: t.Name(), Type: t.DType().String(), Shape: graphops.FixedShape(t.Dims()), Location: "embedded"}
		if n, err := t.ByteLen(); err == nil { // other tensors have a warning
			e.Bytes = n
		}
		location, offset, inFile := t.Stored()
		if t.IsExternal() {
			e.Location = location
		}
		if inFile {
			e.Offset = &offset
		}
		out = append(out, e)
	}
	return out
}
