package graphops

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// TestBareNodes finds everything that a node has besides its names: what a file says, and what is
// added to a node that had nothing else.
func TestBareNodes(t *testing.T) {
	plain := appendString(appendString(nil, fieldnum.NodeOutput, "y"), fieldnum.NodeOpType, "Relu")
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, fieldnum.NodeInput, protowire.VarintType), 1)
	for name, c := range map[string]struct {
		more []byte
		bare bool
		has  func(n *Node) bool
	}{
		"nothing":   {nil, true, func(n *Node) bool { return n.Doc() == "" && n.Attributes() == nil && n.Metadata() == nil }},
		"doc":       {appendString(nil, fieldnum.NodeDoc, "a doc"), false, func(n *Node) bool { return n.Doc() == "a doc" }},
		"metadata":  {appendEntry(nil, fieldnum.NodeMetadata, Entry{"k", "v"}), false, func(n *Node) bool { return n.Metadata()[0].Value == "v" }},
		"attribute": {appendBytes(nil, fieldnum.NodeAttribute, appendString(nil, fieldnum.AttrName, "alpha")), false, func(n *Node) bool { _, ok := n.Attribute("alpha"); return ok }},
		"a number":  {unknown, false, func(n *Node) bool { return len(n.Inputs()) == 0 }},
	} {
		node := &Node{}
		b := append(append([]byte{}, plain...), c.more...)
		if _, err := (&decoder{}).scanNode(b, node); err != nil {
			t.Fatal(err)
		}
		node.head = b
		if node.bare != c.bare || !c.has(node) || !c.has(node.WithName("n")) || node.Output(0) != "y" {
			t.Errorf("%s: bare is %v, and something is missing in %q", name, node.bare, node.WithName("n").head)
		}
	}
	n := NewNode(NodeSpec{Op: "Relu", Outputs: []string{"y"}})
	n = n.WithDoc("a doc").WithMetadata([]Entry{{"k", "v"}}).WithInputs([]string{"x"})
	n = n.WithAttributes([]*Attribute{IntAttribute("axis", 1)})
	if a, ok := n.Attribute("axis"); n.Doc() != "a doc" || len(n.Metadata()) != 1 || !ok || a.Int() != 1 || !strings.Contains(string(n.head), "x") {
		t.Errorf("the node is %q with %d attributes", n.head, len(n.attrs))
	}
}
