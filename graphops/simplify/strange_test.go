package simplify

import (
	"testing"

	"lathe/graphops/graphtest"
)

// TestBodiesOfOtherOperators simplifies nodes that have a body, although their operator has none. A
// pass that turns such a node into another one drops the body.
func TestBodiesOfOtherOperators(t *testing.T) {
	simplified(t, graphtest.Model(t, `opset 13
		input x f32[]
		graph b
		init c f32 1
		d = Identity(c)
		output d f32
		end
		s = Shape(x)
		p = ReduceProd(s)
		y = Reshape(x, p) odd=@b
		output y f32[1]`), Options{})
}
