package graph

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/tui/theme"
)

// TestOpKinds finds every listed operator in the schema, and in one list only.
func TestOpKinds(t *testing.T) {
	var all []string
	for _, domain := range opschema.Domains() {
		all = append(all, opschema.Names(domain)...)
	}
	seen := map[string]bool{}
	for _, row := range opKinds {
		for _, op := range strings.Fields(row.ops) {
			if seen[op] || !slices.Contains(all, op) {
				t.Errorf("%s is listed twice, or the schema does not have it", op)
			}
			seen[op] = true
		}
	}
	for i, row := range opKinds {
		if int(row.Kind) != i {
			t.Errorf("the row of %s is out of order", row.Kind)
		}
	}
}

func TestKindOfOp(t *testing.T) {
	for _, c := range []struct {
		domain, op string
		want       theme.OpKind
	}{
		{"", "Conv", theme.OpCompute},
		{"ai.onnx", "MatMul", theme.OpCompute},
		{"com.microsoft", "FusedMatMul", theme.OpCompute},
		{"com.microsoft", "SkipLayerNormalization", theme.OpNormalize},
		{"", "Transpose", theme.OpMove},
		{"", "Reshape", theme.OpShape},
		{"", "If", theme.OpControl},
		{"", "Nonsense", theme.OpCustom},
		{"example.org", "Conv", theme.OpCustom},
	} {
		n := graphops.NewNode(graphops.NodeSpec{Op: c.op, Domain: c.domain, Outputs: []string{"y"}})
		if got := KindOfOp(n); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.domain, c.op, got, c.want)
		}
	}
}
