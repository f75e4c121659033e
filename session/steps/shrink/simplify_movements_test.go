//go:build cgo

package shrink

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/simplify"
	"lathe/session/sessiontest"
	"lathe/session/trial"
)

// chain writes a model as a chain of nodes that move elements around. It also computes the shape of
// each value if the symbol batch is 3.
type chain struct {
	rng   *rand.Rand
	lines []string
	dims  []int64
	at    string
	count int
}

// batch is a size that no other axis of a chain has at the beginning.
const batch = 3

func newChain(seed uint64) *chain {
	c := &chain{rng: rand.New(rand.NewPCG(seed, 1)), dims: []int64{batch, 4, 2, 1}, at: "x"}
	c.lines = []string{"input x f32[batch,4,2,1]"}
	for range 3 + c.rng.IntN(6) {
		c.step()
		if c.rng.IntN(8) == 0 {
			c.lines = append(c.lines, fmt.Sprintf("output %s f32", c.at))
		}
	}
	if out := fmt.Sprintf("output %s f32", c.at); !slices.Contains(c.lines, out) && c.at != "x" {
		c.lines = append(c.lines, out)
	} else if c.at == "x" {
		c.lines = append(c.lines, "y = Relu(x)", "output y f32")
	}
	return c
}

func (c *chain) node(op, more string, dims ...int64) {
	c.count++
	next := fmt.Sprintf("v%d", c.count)
	c.lines = append(c.lines, fmt.Sprintf("%s = %s(%s%s", next, op, c.at, more))
	c.at, c.dims = next, dims
}

// ints adds a constant and returns its name.
func (c *chain) ints(list ...int64) string {
	c.count++
	name := fmt.Sprintf("c%d", c.count)
	c.lines = append(c.lines, fmt.Sprintf("init %s i64[%d] %s", name, len(list), strings.Trim(fmt.Sprint(list), "[]")))
	return name
}

func (c *chain) step() {
	steps := []func(){c.reshape, c.transpose, c.transpose, c.squeeze, c.unsqueeze, c.unsqueeze, c.slice, c.slice, c.same, c.same, c.cast, c.reduce, c.concat, c.computed}
	steps[c.rng.IntN(len(steps))]()
}

func (c *chain) reshape() {
	total := int64(1)
	for _, d := range c.dims {
		total *= d
	}
	if total == 0 || len(c.dims) == 0 {
		return
	}
	i := c.rng.IntN(len(c.dims))
	switch c.rng.IntN(3) {
	case 0: // two axes joined
		if i+1 < len(c.dims) && len(c.dims) > 2 {
			dims := slices.Concat(c.dims[:i], []int64{c.dims[i] * c.dims[i+1]}, c.dims[i+2:])
			shape := slices.Clone(dims)
			shape[i] = -1
			for k := range i {
				shape[k] = 0
			}
			c.node("Reshape", ", "+c.ints(shape...)+")", dims...)
		}
	case 1: // one axis split
		if c.dims[i]%2 == 0 {
			dims := slices.Concat(c.dims[:i], []int64{2, c.dims[i] / 2}, c.dims[i+1:])
			shape := slices.Clone(dims)
			shape[i+1] = -1
			for k := range i {
				shape[k] = 0
			}
			c.node("Reshape", ", "+c.ints(shape...)+")", dims...)
		}
	default:
		axis := int64(c.rng.IntN(len(c.dims) + 1))
		a, b := int64(1), int64(1)
		for k, d := range c.dims {
			if int64(k) < axis {
				a *= d
			} else {
				b *= d
			}
		}
		c.node("Flatten", fmt.Sprintf(") axis=%d", axis), a, b)
	}
}

func (c *chain) transpose() {
	perm := c.rng.Perm(len(c.dims))
	dims := make([]int64, len(perm))
	for i, p := range perm {
		dims[i] = c.dims[p]
	}
	if len(perm) > 0 {
		c.node("Transpose", fmt.Sprintf(") perm=%s", strings.ReplaceAll(fmt.Sprint(perm), " ", ",")), dims...)
	}
}

func (c *chain) squeeze() {
	if i := slices.Index(c.dims, 1); i >= 0 {
		c.node("Squeeze", ", "+c.ints(int64(i))+")", slices.Delete(slices.Clone(c.dims), i, i+1)...)
	}
}

func (c *chain) unsqueeze() {
	if len(c.dims) > 6 {
		return
	}
	i := c.rng.IntN(len(c.dims) + 1)
	c.node("Unsqueeze", ", "+c.ints(int64(i))+")", slices.Insert(slices.Clone(c.dims), i, 1)...)
}

func (c *chain) slice() {
	if len(c.dims) == 0 {
		return
	}
	i := c.rng.IntN(len(c.dims))
	size := c.dims[i]
	start, end, stride := c.rng.Int64N(size+1), size+c.rng.Int64N(3), int64(1)
	if c.rng.IntN(3) == 0 {
		start -= size + 1
	}
	if c.rng.IntN(4) == 0 {
		stride = 2
	}
	from := start
	if from < 0 {
		from = max(from+size, 0)
	}
	left := max(0, (min(end, size)-from+stride-1)/stride)
	if left == 0 {
		return
	}
	dims := slices.Clone(c.dims)
	dims[i] = left
	c.node("Slice", fmt.Sprintf(", %s, %s, %s, %s)", c.ints(start), c.ints(end), c.ints(int64(i)), c.ints(stride)), dims...)
}

// same adds a node that keeps the shape and, in most cases, the numbers.
func (c *chain) same() {
	zeros, ones := make([]int64, 2*len(c.dims)), slices.Repeat([]int64{1}, len(c.dims))
	c.lines = append(c.lines, fmt.Sprintf("init zero%d f32[] 0", c.count), fmt.Sprintf("init six%d f32[] 1.5", c.count))
	zero, six := fmt.Sprintf("zero%d)", c.count), fmt.Sprintf("six%d)", c.count)
	all := []func(){
		func() { c.node("Relu", ")", c.dims...) }, func() { c.node("Neg", ")", c.dims...) }, func() { c.node("Identity", ")", c.dims...) },
		func() { c.node("Abs", ")", c.dims...) }, func() { c.node("Ceil", ")", c.dims...) }, func() { c.node("Floor", ")", c.dims...) },
		func() { c.node("Pad", ", "+c.ints(zeros...)+")", c.dims...) }, func() { c.node("Expand", ", "+c.ints(ones...)+")", c.dims...) },
		func() { c.node("Tile", ", "+c.ints(ones...)+")", c.dims...) }, func() { c.node("Add", ", "+zero, c.dims...) },
		func() { c.node("Sub", ", "+zero, c.dims...) }, func() { c.node("Mul", ", "+six, c.dims...) },
		func() { c.node("Clip", ", "+zero, c.dims...) }, func() { c.node("Clip", ", , "+six, c.dims...) },
	}
	all[c.rng.IntN(len(all))]()
}

func (c *chain) cast() {
	c.node("Cast", fmt.Sprintf(") to=%d", []int{1, 10, 11}[c.rng.IntN(3)]), c.dims...)
	if c.rng.IntN(2) == 0 {
		c.node("Cast", ") to=11", c.dims...)
	}
	c.node("Cast", ") to=1", c.dims...)
}

func (c *chain) reduce() {
	if len(c.dims) < 2 {
		return
	}
	i, keep := c.rng.IntN(len(c.dims)), c.rng.IntN(2)
	dims := slices.Clone(c.dims)
	if dims[i] = 1; keep == 0 {
		dims = slices.Delete(dims, i, i+1)
	}
	op := []string{"ReduceMax", "ReduceMean", "ReduceMin"}[c.rng.IntN(3)]
	c.node(op, fmt.Sprintf(") axes=[%d] keepdims=%d", i, keep), dims...)
}

func (c *chain) concat() {
	if len(c.dims) == 0 {
		return
	}
	i := c.rng.IntN(len(c.dims))
	dims := slices.Clone(c.dims)
	if dims[i] *= 2; slices.Max(dims) < 30 {
		c.node("Concat", fmt.Sprintf(", %s) axis=%d", c.at, i), dims...)
	}
}

// computed adds a reshape to a shape that is computed from the shape of the value itself, with two
// axes exchanged or joined.
func (c *chain) computed() {
	if len(c.dims) < 2 {
		return
	}
	from, n := c.at, c.count
	order := c.rng.Perm(len(c.dims))
	list := make([]int64, len(order))
	dims := make([]int64, len(order))
	for i, p := range order {
		list[i], dims[i] = int64(p), c.dims[p]
	}
	name := c.ints(list...)
	c.lines = append(c.lines, fmt.Sprintf("s%d = Shape(%s)", n, from), fmt.Sprintf("g%d = Gather(s%d, %s)", n, n, name))
	c.node("Reshape", fmt.Sprintf(", g%d)", n), dims...)
}

// roundingPasses are the passes whose results may round differently, and optional ones.
func roundingPasses() []string {
	var out []string
	for _, pass := range simplify.Passes() {
		if pass.Optional || strings.Contains(pass.Reason, "rounding") {
			out = append(out, pass.Name)
		}
	}
	return out
}

// TestMovementsKeepNumbers simplifies random chains of nodes that move elements, and checks that
// the numbers stay the same. In the model the batch is a symbol; the chains run with a size for it.
func TestMovementsKeepNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	p := trial.NewProver(env, trial.Inputs{})
	defer p.Close()
	rounding := roundingPasses()
	fewer := 0
	for seed := range uint64(chains) {
		c := newChain(seed)
		text := strings.Join(c.lines, "\n")
		m := graphtest.Model(t, text)
		simpler, r, err := simplify.Simplify(t.Context(), m, simplify.Options{Without: rounding, MaxGrowth: simplify.DefaultMaxGrowth})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if r.After.Nodes > r.Before.Nodes {
			t.Errorf("seed %d: %d nodes became %d\n%s", seed, r.Before.Nodes, r.After.Nodes, text)
		}
		if !r.Changed() {
			continue
		}
		fewer++
		same(t, p, seed, text, m, simpler)
	}
	t.Logf("%d of %d chains were simplified", fewer, chains)
}

func same(t *testing.T, p *trial.Prover, seed uint64, text string, m, simpler *graphops.Model) {
	t.Helper()
	n, err := p.NearAt(t.Context(), m, simpler, map[string]int64{"batch": batch})
	switch {
	case err != nil:
		t.Errorf("seed %d: %v\n%s", seed, err, text)
	case n.Difference != nil:
		t.Errorf("seed %d: %s\n%s\nbecame\n%s", seed, n.Difference, text, strings.Join(graphtest.Nodes(simpler.Graph()), "\n"))
	}
	for _, o := range n.Outputs {
		if o.MaxAbs != 0 { // the bits of 0 and -0 differ
			t.Errorf("seed %d: %s is %g away\n%s\nbecame\n%s", seed, o.Output, o.MaxAbs, text, strings.Join(graphtest.Nodes(simpler.Graph()), "\n"))
		}
	}
}

// TestMovementsRun has models in which nodes are removed or changed by passes that random chains do
// not reach.
func TestMovementsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	p := trial.NewProver(env, trial.Inputs{})
	defer p.Close()
	const own = "init z i64[1] 0\ninit o i64[1] 1\ninit far i64[1] 9223372036854775807\ninput x f32[batch,seq,6]\ns = Shape(x)\ne = Gather(s, o)\nb = Sub(e, o)\n"
	const heads = "init z i64[] 0\ninit o i64[] 1\ninit first i64[1] 0\ninit tail i64[2] 3 2\ninput x f32[batch,seq,6]\ns = Shape(x)\nb0 = Gather(s, z)\nn0 = Gather(s, o)\nb = Unsqueeze(b0, first)\nn = Unsqueeze(n0, first)\n"
	for i, text := range []string{
		own + "a = Slice(x, o, e, o)\ny = Relu(a)\noutput y f32",
		own + "a = Slice(x, b, far, o)\ny = Relu(a)\noutput y f32",
		own + "a = Slice(x, z, b, o)\ny = Relu(a)\noutput y f32",
		heads + "r = Concat(b, n, tail) axis=0\nh = Reshape(x, r)\ny = Transpose(h) perm=[0,2,1,3]\noutput y f32",
		heads + "m = Mul(b, n)\nr = Concat(m, tail) axis=0\nh = Reshape(x, r)\ny = Relu(h)\noutput y f32",
		"input x f32[batch,4]\ninput w f32[5,4]\nv = Transpose(w)\ny = Gemm(x, v)\noutput y f32",
		"input x f32[batch,1,4,4]\ninit s f32[4] 1\na = Resize(x, , s) mode='cubic'\ny = Relu(a)\noutput y f32",
		"input x f32[batch,4]\ninit lo f32[] -0.5\ninit hi f32[] 0.5\na = Clip(x, lo, hi)\ny = Relu(a)\noutput y f32",
		"input x f32[2,batch,4]\ninit w f32[1,32,4] 0.1 0.2\ninit r f32[1,32,8] 0.1 -0.1\ninit i i64[1] 1\ninit o i64[1] 1\ninit e i64[1] 8\ns = Shape(x)\nb = Gather(s, i)\nd = Concat(o, b, e) axis=0\nh = ConstantOfShape(d)\ny, _ = LSTM(x, w, r, , , h, h) hidden_size=8\noutput y f32",
		"input x f32[batch,3,1,2]\ninit o i64[1] 1\nt = Transpose(x) perm=[2,1,0,3]\nu = Unsqueeze(t, o)\nr = Sigmoid(u)\ny = Transpose(r) perm=[3,0,1,4,2]\noutput y f32",
		"input x f32[batch,3,1,2]\ninit o i64[1] 0\nt = Transpose(x) perm=[2,1,0,3]\nu = Squeeze(t, o)\nr = Exp(u)\ny = Transpose(r) perm=[2,0,1]\noutput y f32",
		"input x f32[batch,4]\ninput z f32[batch,4]\na, b = Split(x) axis=1\nc = Concat(a, b) axis=1\nd = Concat(c, z) axis=0\ny = Concat(d, z) axis=0\noutput y f32",
	} {
		m := graphtest.Model(t, text)
		simpler, r, err := simplify.Simplify(t.Context(), m, simplify.Options{MaxGrowth: simplify.DefaultMaxGrowth})
		if err != nil || !r.Changed() {
			t.Fatalf("%d: nothing changed, error %v\n%s", i, err, text)
		}
		for _, sizes := range []map[string]int64{{"batch": 3, "seq": 5}, {"batch": 1, "seq": 1}} {
			if n, err := p.NearAt(t.Context(), m, simpler, sizes); err != nil || n.Difference != nil {
				t.Errorf("%d: %v, %v\n%s", i, err, n, text)
			}
		}
	}
}
