package graphops

import "testing"

// TestDomains checks that an operator of another domain is not taken for the standard one of the
// same name.
func TestDomains(t *testing.T) {
	for _, c := range []struct {
		domain   string
		standard bool
	}{{"", true}, {"ai.onnx", true}, {"com.example", false}, {MicrosoftDomain, false}} {
		n := NewNode(NodeSpec{Op: "Constant", Domain: c.domain, Outputs: []string{"c"}})
		if n.Is("Constant") != c.standard || n.IsConstant() != c.standard || (n.StandardOp() == "Constant") != c.standard || (n.Op() == Op{Name: "Constant"}) != c.standard {
			t.Errorf("domain %q: Is %t, IsConstant %t, StandardOp %q, Op %v", c.domain, n.Is("Constant"), n.IsConstant(), n.StandardOp(), n.Op())
		}
	}
	if n := NewNode(NodeSpec{Op: "Constant", Outputs: []string{"a", "b"}}); n.IsConstant() {
		t.Error("a Constant with two outputs counts as one that a runtime can turn into an initializer")
	}
}
