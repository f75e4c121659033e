//go:build cgo

package mixed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// form is how the layers of a made model are connected.
type form int

const (
	plain    form = iota // a product and a Relu
	residual             // a product, a Relu, and the sum with the input
	gated                // a product of a layer and a Sigmoid of another one
	wide                 // layers of different widths
)

var formNames = []string{"plain", "residual", "gated", "wide"}

// layered returns a model of products with matrices. Layers differ in size and in how far their numbers lie
// apart, so that they cost and save different amounts.
func layered(t testing.TB, of form, layers, fragile int, random *rand.Rand) *graphops.Model {
	t.Helper()
	const size = 32
	var b strings.Builder
	fmt.Fprintf(&b, "input h0 f32[batch,%d]\noutput y f32[batch,%d]\n", size, size)
	from, in := "h0", size
	for l := range layers {
		out := size
		if of == wide && l+1 < layers {
			out = []int{32, 96, 64, 160}[random.IntN(4)]
		}
		fmt.Fprintf(&b, "init w%d f32[%d,%d]", l, in, out)
		tail := random.Float64()
		for i := range in * out {
			v := random.NormFloat64() / 6
			if random.IntN(40) == 0 {
				v *= 1 + 12*tail
			}
			if l == fragile && i/out == i%out*7%in { // one in each column, so that the others become few integers
				v = math.Copysign(3, v)
			}
			fmt.Fprintf(&b, " %.5f", v)
		}
		fmt.Fprintf(&b, "\nfc%d: p%d = MatMul(%s, w%d)\n", l, l, from, l)
		to := fmt.Sprintf("h%d", l+1)
		switch {
		case of == residual:
			fmt.Fprintf(&b, "r%d: a%d = Relu(p%d)\ns%d: %s = Add(a%d, %s)\n", l, l, l, l, to, l, from)
		case of == gated && l%3 == 2:
			fmt.Fprintf(&b, "g%d: a%d = Sigmoid(p%d)\nm%d: %s = Mul(a%d, %s)\n", l, l, l, l, to, l, from)
		default:
			fmt.Fprintf(&b, "r%d: %s = Relu(p%d)\n", l, to, l)
		}
		from, in = to, out
	}
	fmt.Fprintf(&b, "last: y = Identity(%s)\n", from)
	return graphtest.Model(t, b.String())
}
