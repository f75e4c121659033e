package steps

import (
	"lathe/graphops"
)

// nodeEntry is one row of node_list.
type nodeEntry struct {
	Index   int      `json:"index"`
	Name    string   `json:"name"`
	Op      string   `json:"op"`
	Domain  string   `json:"domain"`
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
	Scope   string   `json:"scope"`
}

// valueEntry is one row of value_list. Producer is the index of the node that
// makes the value, null for inputs and initializers.
type valueEntry struct {
	value
	Producer  *int    `json:"producer"`
	Consumers []int32 `json:"consumers"`
}

// tensorEntry is one row of tensor_list. Location is "embedded", or the file
// that external data lies in; the offset is that of the first byte in the file
// which holds it, null where the bytes are not stored one after another there.
type tensorEntry struct {
	Name     string         `json:"name"`
	Type     string         `json:"type"`
	Shape    graphops.Shape `json:"shape"`
	Bytes    int64          `json:"bytes"`
	Location string         `json:"location"`
	Offset   *int64         `json:"offset"`
}

func nodeList(m *graphops.Model, match matcher) []nodeEntry {
	out := []nodeEntry{}
	for i, n := range m.Graph().Nodes() {
		if match(n.Name(), n.OpType()) {
			out = append(out, nodeEntry{
				i, n.Name(), n.OpType(), n.Domain(), orEmpty(n.Inputs()), orEmpty(n.Outputs()), n.Scope(),
			})
		}
	}
	return out
}

func valueList(m *graphops.Model, match matcher) []valueEntry {
	x := m.Graph().Index()
	out := []valueEntry{}
	for i := range x.Values() {
		id := graphops.ValueID(i)
		op := ""
		e := valueEntry{Consumers: orEmpty(x.Readers(id))}
		if p := x.Producer(id); p >= 0 {
			e.Producer = &p
			op = m.Graph().Nodes()[p].OpType()
		}
		if !match(x.Name(id), op) {
			continue
		}
		t := x.Type(id)
		e.value = value{x.Name(id), t.String(), t.Shape}
		out = append(out, e)
	}
	return out
}

func tensorList(m *graphops.Model, match matcher) []tensorEntry {
	out := []tensorEntry{}
	for t := range m.Tensors() {
		if !match(t.Name(), "") {
			continue
		}
		e := tensorEntry{Name: t.Name(), Type: t.DType().String(), Shape: graphops.FixedShape(t.Dims()), Location: "embedded"}
		if n, err := t.ByteLen(); err == nil { // what makes no sense is among the warnings
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
