package opset

import (
	"fmt"

	"lathe/graphops"
)

// unbatched replaces a Scan of version 8, which handles the items of a batch one by one. The result
// is a Scan over the batch whose body has a Scan over the sequence.
func unbatched(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Inputs()) < 2 {
		return nil, fmt.Errorf("it has %d inputs, expected at least 2", len(n.Inputs()))
	}
	if n.Inputs()[0] != "" {
		return nil, fmt.Errorf("it has sequence lengths %q, for which later versions have no input", n.Inputs()[0])
	}
	body, ok := n.Attribute("body")
	if !ok || len(body.Graphs()) != 1 {
		return nil, fmt.Errorf("it has no body")
	}
	count, err := intOr(n, "num_scan_inputs", 0)
	if err != nil {
		return nil, err
	}
	attributes := []*graphops.Attribute{body, graphops.IntAttribute("num_scan_inputs", count)}
	if d, ok := n.Attribute("directions"); ok {
		attributes = append(attributes, graphops.IntsAttribute("scan_input_directions", d.Ints()))
	}
	e := graphops.EditGraph(body.Graphs()[0])
	e.Nodes, e.Initializers, e.Sparse, e.Inputs, e.Outputs, e.ValueInfo = nil, nil, nil, nil, nil, nil
	inner := graphops.NodeSpec{Op: "Scan", Name: n.Name(), Attributes: attributes}
	for _, name := range n.Inputs()[1:] {
		item := s.c.names.Value(name + "_item")
		e.Inputs = append(e.Inputs, graphops.NewValueInfo(item, s.itemType(name)))
		inner.Inputs = append(inner.Inputs, item)
	}
	var outputs []string
	for _, name := range n.Outputs() {
		if name == "" {
			name = s.c.names.Value(n.Outputs()[0] + "_unread")
		}
		item := s.c.names.Value(name + "_item")
		e.Outputs = append(e.Outputs, graphops.NewValueInfo(item, s.itemType(name)))
		inner.Outputs = append(inner.Outputs, item)
		outputs = append(outputs, name)
	}
	e.Nodes = append(e.Nodes, graphops.NewNode(inner))
	outer := n.WithInputs(n.Inputs()[1:]).WithOutputs(outputs).WithAttributes([]*graphops.Attribute{
		graphops.GraphAttribute("body", e.Graph()), graphops.IntAttribute("num_scan_inputs", int64(len(inner.Inputs))),
	})
	if n.Name() != "" {
		outer = outer.WithName(s.c.names.Node(n.Name() + "_batch"))
	}
	return s.one(outer, "a Scan over the batch contains one over the sequence")
}

// itemType returns the type of one item of a batch: the type of the value without its first axis.
func (s *step) itemType(name string) graphops.Type {
	t := s.typ(name)
	if t.Kind != graphops.TypeTensor || len(t.Dims) == 0 {
		return graphops.Type{}
	}
	t.Dims = t.Dims[1:]
	return t.ForFile()
}
