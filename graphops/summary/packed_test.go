package summary_test

import (
	"fmt"
	"testing"

	"lathe/graphops/cost"
	"lathe/graphops/graphtest"
	"lathe/graphops/scope"
)

// TestParametersAgree counts weights that are packed into bytes in the same way for a model, for a
// node and for a module.
func TestParametersAgree(t *testing.T) {
	for _, c := range []struct {
		bits, want int
		weight     string
	}{
		{4, 132, "u8[4,1,16]"},
		{2, 260, "u8[4,1,16]"},
		{8, 132, "u8[4,1,32]"},
	} {
		m := graphtest.Model(t, fmt.Sprintf(`
opset com.microsoft 1
input x f32[2,32]
init b %s 1
init s f32[4] 1
/fc/MatMul: y = com.microsoft::MatMulNBits(x, b, s) K=32 N=4 bits=%d block_size=32
output y f32[2,4]`, c.weight, c.bits))
		p := m.Places()[0]
		of, node, module := of(t, m).Parameters, cost.Parameters(p, p.Graph.Nodes()[0]), scope.BuildPlace(p).Scopes[0].Parameters
		if want := int64(c.want); of != want || node != want || module != want {
			t.Errorf("%d bits: the model has %d parameters, the node %d, the module %d, want %d", c.bits, of, node, module, want)
		}
	}
}
