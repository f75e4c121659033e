//go:build cgo

package simplify_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/simplify"
	"lathe/graphops/tensor"
	"lathe/session/sessiontest"
)

// TestProductsAtRandom simplifies random chains of layers and of arithmetic with constants, many side by
// side in one model. It runs both models without the runtime's own optimizations.
func TestProductsAtRandom(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { chainsOf(t, seed) })
	}
}

func chainsOf(t *testing.T, seed uint64) {
	t.Helper()
	m := graphtest.Model(t, randomChains(seed, 120))
	o := simplify.Options{MaxGrowth: simplify.DefaultMaxGrowth}
	out, r, err := simplify.Simplify(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d nodes became %d", r.Before.Nodes, r.After.Nodes)
	for _, p := range r.Passes {
		if len(p.Changes) > 0 {
			t.Logf("%s: %d changes, %d refused", p.Name, len(p.Changes), len(p.Refused))
		}
	}
	if r.After.Nodes > r.Before.Nodes*2/3 {
		t.Errorf("of %d nodes %d are left", r.Before.Nodes, r.After.Nodes)
	}
	runtime := sessiontest.Workers(t)
	want, got := sessiontest.Unoptimized(t, runtime, m, nil), sessiontest.Unoptimized(t, runtime, out, nil)
	for i, w := range want {
		c, err := tensor.Compare(w.Value.Tensor, got[i].Value.Tensor, tensor.Tolerance{})
		exact := w.Value.Tensor.DType == tensor.I32 // integers wrap around
		if err != nil || c.Finite == 0 || c.Finite != c.Total || exact && c.Mismatched > 0 || c.RMS > 1e-5*c.RMSA {
			t.Errorf("%s: %v, %+v", w.Name, err, c)
		}
	}
}

// chains writes a model line by line.
type chains struct {
	r     *rand.Rand
	lines []string
	count int
}

func randomChains(seed uint64, n int) string {
	c := &chains{r: rand.New(rand.NewPCG(seed, 1))}
	c.add("input image f32[2,4,9,9]")
	c.add("input rows f32[3,4]")
	c.add("input batch f32[2,3,4]")
	c.add("input ints i32[2,3,4]")
	for range n {
		switch c.r.IntN(5) {
		case 0, 1:
			c.output(c.images("image", 4), "f32")
		case 2:
			c.output(c.matrices("rows", 2), "f32")
		case 3:
			c.output(c.matrices("batch", 3), "f32")
		case 4:
			c.output(c.integers("ints"), "i32")
		}
	}
	return strings.Join(c.lines, "\n")
}

func (c *chains) add(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

func (c *chains) output(v, elem string) { c.add("output %s %s", v, elem) }

func (c *chains) name(stem string) string {
	c.count++
	return fmt.Sprintf("%s%d", stem, c.count)
}

// constant writes a constant of floats around 1 or -1.
func (c *chains) constant(dims ...int) string {
	return c.positive(func(x float64) float64 { return x * float64(1-2*c.r.IntN(2)) }, dims...)
}

func (c *chains) positive(f func(float64) float64, dims ...int) string {
	name, n := c.name("c"), 1
	for _, d := range dims {
		n *= d
	}
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, " %g", f(0.5+c.r.Float64()))
	}
	c.add("init %s f32[%s]%s", name, strings.Trim(strings.ReplaceAll(fmt.Sprint(dims), " ", ","), "[]"), b.String())
	return name
}

// node writes a node with one output.
func (c *chains) node(op, attributes string, inputs ...string) string {
	out := c.name("v")
	c.add("%s = %s(%s) %s", out, op, strings.Join(inputs, ", "), attributes)
	return out
}

// arithmetic writes a node that computes with a constant of one of the shapes.
func (c *chains) arithmetic(v string, shapes ...[]int) string {
	k := c.constant(shapes[c.r.IntN(len(shapes))]...)
	op := []string{"Add", "Sub", "Mul", "Div"}[c.r.IntN(4)]
	if c.r.IntN(3) == 0 && op != "Div" {
		return c.node(op, "", k, v)
	}
	return c.node(op, "", v, k)
}

func (c *chains) batchNorm(v string, channels int) string {
	same := func(x float64) float64 { return x }
	return c.node("BatchNormalization", fmt.Sprintf("epsilon=%g", 0.001+c.r.Float64()), v,
		c.constant(channels), c.constant(channels), c.constant(channels), c.positive(same, channels))
}

// images is a chain of convolutions, each with arithmetic before and after it.
func (c *chains) images(v string, channels int) string {
	for range 1 + c.r.IntN(2) {
		for range c.r.IntN(3) {
			v = c.arithmetic(v, []int{channels, 1, 1}, []int{1, channels, 1, 1}, nil, []int{1}, []int{1, 1, 9})
		}
		group := []int{1, 2, channels}[c.r.IntN(3)]
		to := group * (1 + c.r.IntN(2))
		weights := []int{to, channels / group, 3, 3}
		op, attributes := "Conv", fmt.Sprintf("group=%d", group)
		switch c.r.IntN(3) {
		case 0:
			op, weights = "ConvTranspose", []int{channels, to / group, 3, 3}
			attributes += " pads=[1,1,1,1]"
		case 1:
			attributes += " pads=[1,1,1,1]"
		default:
			pads := c.name("p")
			c.add("init %s i64[8] 0 0 1 1 0 0 1 1", pads)
			v = c.node("Pad", "", v, pads)
		}
		in := []string{v, c.constant(weights...)}
		if c.r.IntN(2) == 0 {
			in = append(in, c.constant(to))
		}
		v, channels = c.node(op, attributes, in...), to
		for range c.r.IntN(3) {
			if c.r.IntN(2) == 0 {
				v = c.batchNorm(v, channels)
			} else {
				v = c.arithmetic(v, []int{channels, 1, 1}, []int{1, channels, 1, 1}, nil, []int{1}, []int{9, 1})
			}
		}
		if channels%2 != 0 {
			break
		}
	}
	return v
}

// matrices is a chain of products, each with arithmetic after it.
func (c *chains) matrices(v string, rank int) string {
	for range 1 + c.r.IntN(2) {
		switch {
		case rank == 2 && c.r.IntN(2) == 0:
			transposed := c.r.IntN(2)
			v = c.node("Gemm", fmt.Sprintf("transB=%d beta=%g alpha=%g", transposed, c.r.Float64(), 0.5+c.r.Float64()), v, c.constant(4, 4), c.constant([][]int{{4}, {1, 4}, {3, 1}, {3, 4}, {1}}[c.r.IntN(5)]...))
		default:
			v = c.node("MatMul", "", v, c.constant(4, 4))
		}
		for range c.r.IntN(4) {
			if rank == 2 && c.r.IntN(3) == 0 {
				v = c.batchNorm(v, 4)
			} else {
				v = c.arithmetic(v, []int{4}, []int{1, 4}, nil, []int{1}, []int{3, 1}, []int{3, 4})
			}
		}
	}
	return v
}

// integers is a chain of sums and products that wrap around.
func (c *chains) integers(v string) string {
	for range 1 + c.r.IntN(4) {
		k := c.name("c")
		c.add("init %s i32[4] %d %d %d %d", k, int32(c.r.Uint32()), int32(c.r.Uint32()), int32(c.r.Uint32()), int32(c.r.Uint32()))
		in := []string{v, k}
		if c.r.IntN(2) == 0 {
			in[0], in[1] = in[1], in[0]
		}
		v = c.node([]string{"Add", "Sub", "Mul"}[c.r.IntN(3)], "", in...)
	}
	return v
}
