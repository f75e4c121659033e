package edit_test

import (
	"bytes"
	"fmt"
	"testing"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// FuzzNodes deletes, bypasses and inserts anywhere in models as broken as they
// like. Nothing panics, and what was valid stays so.
func FuzzNodes(f *testing.F) {
	for i, text := range []string{branching, forked, quantized, plain, passed} {
		for kind := range uint8(8) {
			f.Add(graphtest.Bytes(f, text), kind, uint16(i), uint16(kind), uint16(i*7))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint8, place, node, value uint16) {
		m, err := graphops.Decode(data)
		if err != nil || len(m.Places()) > 1000 {
			return
		}
		p := m.Places()[int(place)%len(m.Places())]
		x := p.Graph.Index()
		if len(p.Graph.Nodes()) == 0 || x.Values() == 0 {
			return
		}
		nodes := []string{fmt.Sprintf("#%d", int(node)%len(p.Graph.Nodes()))}
		name := x.Name(graphops.ValueID(int(value) % x.Values()))
		before := graphtest.Encode(t, m)
		next, err := oneEdit(t, m, p, kind, nodes, name)
		if err != nil {
			return
		}
		if !bytes.Equal(before, graphtest.Encode(t, m)) {
			t.Error("the original changed")
		}
		graphtest.Encode(t, next)
		if problems := graphtest.Problems(next); len(problems) > 0 && len(graphtest.Problems(m)) == 0 {
			t.Errorf("%v of %q, %q is not valid: %q", kind, nodes, name, problems)
		}
	})
}

func oneEdit(t *testing.T, m *graphops.Model, p *graphops.Place, kind uint8, nodes []string, value string) (*graphops.Model, error) {
	var next *graphops.Model
	var err error
	flag := kind&8 != 0
	switch kind % 8 {
	case 0, 1:
		next, _, err = edit.Delete(m, p, edit.DeleteOptions{Nodes: nodes, Downstream: kind%2 == 0, Unused: flag})
	case 2:
		next, _, err = edit.Bypass(t.Context(), m, p, edit.BypassOptions{Nodes: nodes, ForceType: flag, Unused: true})
	case 3:
		next, _, err = edit.Bypass(t.Context(), m, p, edit.BypassOptions{Nodes: nodes, Through: []string{value}, ForceType: flag})
	case 4:
		next, _, err = edit.Insert(t.Context(), m, p, edit.InsertOptions{On: []string{value}, AtOutput: flag})
	case 5:
		next, _, err = edit.Insert(t.Context(), m, p, edit.InsertOptions{On: []string{value}, AtOutput: flag, To: tensor.F64})
	case 6:
		next, _, err = edit.Insert(t.Context(), m, p, edit.InsertOptions{On: []string{value}, Before: nodes, AtOutput: flag, To: tensor.F16})
	default:
		next, _, err = edit.Insert(t.Context(), m, p, edit.InsertOptions{On: []string{value}, Before: nodes})
	}
	return next, err
}
