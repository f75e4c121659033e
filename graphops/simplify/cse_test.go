package simplify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

func TestCommonSubexpressions(t *testing.T) {
	after{
		"a chain": {`
			input x f32[2]
			a = Relu(x)
			b = Relu(x)
			c = Neg(a)
			d = Neg(b)
			y = Add(c, d)
			output y f32[2]`, []string{"a = Relu(x)", "c = Neg(a)", "y = Add(c, c)"}},
		"a default that is stated": {`
			input x f32[2,2]
			a = Softmax(x) axis=-1
			b = Softmax(x)
			c = Softmax(x) axis=0
			y = Sum(a, b, c)
			output y f32[2,2]`, []string{"a = Softmax(x) axis=-1", "c = Softmax(x) axis=0", "y = Sum(a, a, c)"}},
		"the same attributes in another order": {`
			input x f32[1,1,8,8]
			a = MaxPool(x) kernel_shape=[2,2] strides=[2,2]
			b = MaxPool(x) strides=[2,2] kernel_shape=[2,2]
			c = MaxPool(x) kernel_shape=[2,2]
			y = Add(a, b)
			output y f32
			output c f32`, []string{"a = MaxPool(x) kernel_shape=[2,2] strides=[2,2]", "c = MaxPool(x) kernel_shape=[2,2]", "y = Add(a, a)"}},
		"drawn at random": {`
			a = RandomNormal() shape=[2]
			b = RandomNormal() shape=[2]
			y = Add(a, b)
			output y f32[2]`, []string{"a = RandomNormal() shape=[2]", "b = RandomNormal() shape=[2]", "y = Add(a, b)"}},
		"the later one is an output": {`
			input x f32[2]
			a = Relu(x)
			y = Relu(x)
			z = Neg(a)
			output y f32[2]
			output z f32[2]`, []string{"y = Relu(x)", "z = Neg(y)"}},
		"both are outputs": {`
			input x f32[2]
			y = Relu(x)
			z = Relu(x)
			output y f32[2]
			output z f32[2]`, []string{"y = Relu(x)", "z = Relu(x)"}},
		"operands in another order": {`
			input x f32[2]
			input z f32[2]
			a = Sub(x, z)
			b = Sub(z, x)
			y = Add(a, b)
			output y f32[2]`, []string{"a = Sub(x, z)", "b = Sub(z, x)", "y = Add(a, b)"}},
		"an output that the first does not make": {`
			input x f32[4]
			init k i64[1] 2
			a, _ = TopK(x, k)
			b, c = TopK(x, k)
			output a f32
			output b f32
			output c i64`, []string{"a, _ = TopK(x, k)", "b, c = TopK(x, k)"}},
		"as many parts as outputs": {`
			input x f32[6]
			a, b = Split(x)
			c, d, e = Split(x)
			y = Add(a, b)
			z = Sum(c, d, e)
			output y f32
			output z f32`, []string{"a, b = Split(x)", "c, d, e = Split(x)", "y = Add(a, b)", "z = Sum(c, d, e)"}},
		"an operator that nobody knows": {`
			opset local 1
			input x f32[2]
			a = local::Noise(x)
			b = local::Noise(x)
			y = Add(a, b)
			output y f32[2]`, []string{"a = local::Noise(x)", "b = local::Noise(x)", "y = Add(a, b)"}},
	}.run(t, commonSubexpressions)
}

// A body takes the value of the graph around it, and never that of the body beside
// it.
func TestCommonSubexpressionsOfBodies(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[2]
		input c bool[]
		a = Relu(x)
		graph then
		p = Relu(x)
		q = Abs(x)
		t = Add(p, q)
		output t f32[2]
		end
		graph else
		r = Relu(x)
		s = Abs(x)
		e = Sub(r, s)
		output e f32[2]
		end
		y = If(c) then_branch=@then else_branch=@else
		z = Add(y, a)
		output z f32[2]`)
	out, _ := simplified(t, m, Options{})
	got := graphtest.Nodes(out.Graph())
	text := strings.Join(got, "; ")
	if strings.Count(text, "Relu") != 1 || strings.Count(text, "Abs") != 2 {
		t.Errorf("got %q", got)
	}
}

// Sizes that are the same for all symbols are computed once, from the first of the
// values that have them.
func TestEqualSizes(t *testing.T) {
	after{
		"from two values": {`
			input x f32[n,4]
			input z f32[n,7]
			init i i64[1] 0
			a = Shape(x)
			b = Gather(a, i)
			c = Shape(z)
			d = Gather(c, i)
			init v f32[] 1
			p = Expand(v, b)
			q = Expand(v, d)
			y = Add(p, q)
			output y f32[n]`, []string{"a = Shape(x)", "b = Gather(a, i)", "p = Expand(v, b)", "q = Expand(v, b)", "y = Add(p, q)"}},
		"of other symbols": {`
			input x f32[n]
			input z f32[m]
			a = Shape(x)
			b = Shape(z)
			c = Concat(a, b) axis=0
			output c i64[2]`, []string{"a = Shape(x)", "b = Shape(z)", "c = Concat(a, b) axis=0"}},
		"of no symbols": {`
			input x f32[?]
			input z f32[?]
			a = Shape(x)
			b = Shape(z)
			c = Concat(a, b) axis=0
			output c i64[2]`, []string{"a = Shape(x)", "b = Shape(z)", "c = Concat(a, b) axis=0"}},
		"of another rank or type": {`
			input x f32[n]
			init i i64[] 0
			a = Shape(x)
			b = Gather(a, i)
			c = Cast(a) to=6
			output a i64[1]
			output b i64[]
			output c i32[1]`, []string{"a = Shape(x)", "b = Gather(a, i)", "c = Cast(a) to=6"}},
	}.run(t, equalSizes)
}

// Very many nodes that differ in an attribute alone do not take the square of their
// number.
func TestCommonSubexpressionsOfMany(t *testing.T) {
	var text strings.Builder
	text.WriteString("input x f32[1,1]\n")
	var names []string
	for i := range 20000 {
		fmt.Fprintf(&text, "v%d = LeakyRelu(x) alpha=%d.5\n", i, i)
		names = append(names, fmt.Sprint("v", i))
	}
	fmt.Fprintf(&text, "y = Sum(%s)\noutput y f32[1,1]\n", strings.Join(names, ", "))
	out, _, err := Simplify(t.Context(), graphtest.Model(t, text.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(out.Graph().Nodes()); got != 20001 {
		t.Errorf("%d nodes are left", got)
	}
	if !slices.Contains(graphtest.Nodes(out.Graph()), "v7 = LeakyRelu(x) alpha=7.5") {
		t.Error("the names changed")
	}
}
