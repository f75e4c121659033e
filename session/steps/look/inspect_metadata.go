package look

import (
	"fmt"
	"io"
	"strings"

	"lathe/graphops"
	"lathe/graphops/origin"
	"lathe/session/text"
)

// metadata is the metadata_props of a part of a model. It is not decoded until it is written: the
// metadata of all nodes and values of a large model would need much memory.
type metadata struct{ of entries }

// entries is implemented by everything that has metadata_props.
type entries interface{ Metadata() []graphops.Entry }

// valueOf is a value of a graph. Its metadata may be with its type and with its initializer.
type valueOf struct {
	index *graphops.Index
	id    graphops.ValueID
}

// Metadata returns the entries of the value's type and of its initializer.
func (v valueOf) Metadata() []graphops.Entry { return origin.ValueMetadata(v.index, v.id) }

// placeMetadata is the metadata of a graph or of a function.
func placeMetadata(p *graphops.Place) metadata {
	if p.Kind == graphops.FunctionBody {
		return metadata{p.Function}
	}
	return metadata{p.Graph}
}

// MarshalJSON writes an object of strings in the order of the file. If a key occurs several times,
// it writes the last one, which is the one that readers use.
func (m metadata) MarshalJSON() ([]byte, error) {
	list := m.of.Metadata()
	if len(list) == 0 {
		return []byte("{}"), nil
	}
	keys := make([]string, len(list))
	last := make(map[string]int, len(list))
	for i, e := range list {
		b, err := encodeJSON(e.Key, "") // names that differ only in invalid UTF-8 become equal
		if err != nil {
			return nil, err
		}
		keys[i] = string(b)
		last[keys[i]] = i
	}
	out := []byte{'{'}
	for i, e := range list {
		if last[keys[i]] != i {
			continue
		}
		value, err := encodeJSON(e.Value, "")
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, keys[i]...), ':'), value...)
	}
	return append(out, '}'), nil
}

// writeMetadata writes the metadata of the model, of the listed graph, and of the listed nodes and
// values.
func (r *InspectReport) writeMetadata(w io.Writer) error {
	fmt.Fprintln(w, "\nmetadata of the model")
	if err := r.Metadata.writeText(w); err != nil {
		return err
	}
	if err := r.graph.writeBelow(w, "metadata of the graph"); err != nil {
		return err
	}
	if r.NodeList != nil {
		for _, n := range *r.NodeList {
			head := fmt.Sprintf("metadata of node %d, %s %s", n.Index, text.Clean(n.Op), text.Clean(n.Name))
			if err := n.Metadata.writeBelow(w, head); err != nil {
				return err
			}
		}
	}
	if r.ValueList != nil {
		for _, v := range *r.ValueList {
			if err := v.Metadata.writeBelow(w, "metadata of value "+text.Clean(v.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeBelow writes the entries below a heading. It writes nothing if there are no entries.
func (m metadata) writeBelow(w io.Writer, head string) error {
	if len(m.of.Metadata()) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s\n", head)
	return m.writeText(w)
}

// writeText writes every entry of the file, including repeated keys. Further lines of a value are
// indented below the first.
func (m metadata) writeText(w io.Writer) error {
	list := m.of.Metadata()
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "  (none)")
		return err
	}
	t := text.Table{}
	for _, e := range list {
		key := text.Clean(e.Key)
		for line := range strings.SplitSeq(e.Value, "\n") {
			t.Add(key, text.Clean(line))
			key = ""
		}
	}
	return t.WriteText(w, "  ")
}

// repeats counts the parts of a model whose metadata has a repeated key.
type repeats struct {
	parts int
	first string
}

func (r *repeats) check(e entries, name func() string) {
	again := origin.Repeated(e.Metadata())
	if len(again) == 0 {
		return
	}
	if r.parts++; r.parts == 1 {
		r.first = fmt.Sprintf("metadata of %s: %s more than once", name(), graphops.QuoteNames(again))
	}
}

// metadataWarnings warn about repeated keys in the metadata of the model, and of the nodes and
// values of the listed place.
func (s *Inspect) metadataWarnings(m *graphops.Model, g *graphops.Graph) []string {
	var r repeats
	r.check(m, func() string { return "the model" })
	if s.Nodes {
		for i, n := range g.Nodes() {
			r.check(n, func() string { return fmt.Sprintf("node %d (%q)", i, n.Name()) })
		}
	}
	if s.Values {
		for _, list := range [][]*graphops.ValueInfo{g.Inputs(), g.Outputs(), g.ValueInfo()} {
			for _, v := range list {
				r.check(v, func() string { return fmt.Sprintf("value %q", v.Name()) })
			}
		}
	}
	if r.parts == 0 {
		return nil
	}
	others := ""
	if r.parts > 1 {
		others = fmt.Sprintf(" (and %d more of the kind)", r.parts-1)
	}
	return []string{r.first + others + "; ONNX allows each key once, and the last one is used"}
}
