//go:build cgo

package layers_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/layers"
	"lathe/session/sessiontest"
)

const chain = `
input x f32[2,4]
init w f32[4,4] 0.5 -1 2 0.25 1 1.5 -0.5 3
init s f32[4] 0.1 0.2 0.3 0.4
mm: h = MatMul(x, w)
ad: g = Add(h, s)
re: r = Relu(g)
m2: k = MatMul(r, w)
sm: y = Softmax(k) axis=-1
output y f32[2,4]
`

func feeds() graphops.Feeds {
	return graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice([]float32{1, -2, 3, 0.5, -1, 0.25, 2, -0.75}, 2, 4))}
}

func compare(t *testing.T, a, b *graphops.Model, in graphops.Feeds, o layers.Options) *layers.Result {
	t.Helper()
	r, err := layers.Compare(t.Context(), layers.Side{Model: a, On: sessiontest.Workers(t)}, layers.Side{Model: b, On: sessiontest.Workers(t)}, in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFirstDivergence(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	a := graphtest.Model(t, chain)
	for name, c := range map[string]struct{ from, to, at string }{
		"none":               {"mm:", "mm:", ""},
		"a weight":           {"init s f32[4] 0.1", "init s f32[4] 0.11", "g"},
		"an attribute":       {"axis=-1", "axis=0", "y"},
		"an operator":        {"Relu(g)", "Elu(g)", "r"},
		"a cast to float16":  {"re: r = Relu(g)", "c = Cast(g) to=10\nd = Relu(c)\nr = Cast(d) to=1", "r"},
		"a NaN":              {"re: r = Relu(g)", "r = Log(g)", "r"},
		"a node too many":    {"re: r = Relu(g)", "q = Relu(g)\nr = Abs(q)", ""},
		"a value renamed":    {"h", "hh", ""},
		"a node that stops":  {"re: r = Relu(g)", "init e i64[1] 9\nr0 = Gather(g, e) axis=1\nr = Expand(r0, e)", "r"},
		"of another shape":   {"re: r = Relu(g)", "r0 = Relu(g)\nr = Concat(r0, r0) axis=0", "r"},
		"an error behind it": {"init s f32[4] 0.1", "init s f32[4] 0.1000001", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := graphtest.Model(t, strings.ReplaceAll(chain, c.from, c.to))
			r := compare(t, a, b, feeds(), layers.Options{})
			got := ""
			if r.First != nil && r.First.Local {
				got = r.Layers[r.First.Layer].A
			}
			if got != c.at {
				t.Errorf("first divergence at %q, want %q", got, c.at)
				for _, l := range r.Layers {
					t.Logf("%s -> %s by %s: %s %q %+v", l.A, l.B, l.Pair.How, l.Judgement, l.Reason, l.Local)
				}
			}
			if r.First == nil {
				return
			}
			failed := slices.DeleteFunc(slices.Clone(r.Layers), func(l layers.Layer) bool { return !l.Judgement.Failed() })
			if len(failed) > 1 {
				t.Errorf("%d layers fail by themselves, want one", len(failed))
			}
		})
	}
}

// TestForms compares models in which B computes values in another shape than A. That is no error,
// and other errors must be found where they are made.
func TestForms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const head = "input x f32[2,3,4]\ninit f i64[2] 6 4\ninit o i64[2] 4 6\ninit u i64[3] 2 3 4\ninit w f32[4,4] 0.5 -1 2 0.25 1 1.5 -0.5 3\noutput z f32[2,3,4]\n"
	const body = "r = Reshape(x, f)\nh = MatMul(r, w)\ng = Softmax(h) axis=-1\ny = Reshape(g, u)\nz = Neg(y)"
	a := graphtest.Model(t, head+body)
	x := make([]float32, 24)
	for i := range x {
		x[i] = float32(i%7) - 2.5
	}
	in := graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice(x, 2, 3, 4))}
	for name, c := range map[string]struct{ body, at string }{
		"without the reshapes":            {"h = MatMul(x, w)\ng = Softmax(h) axis=-1\nz = Neg(g)", ""},
		"and another operator":            {"h = MatMul(x, w)\ng = LogSoftmax(h) axis=-1\nz = Neg(g)", "g"},
		"and another axis":                {"h = MatMul(x, w)\ng = Softmax(h) axis=1\nz = Neg(g)", "g"},
		"and a weight":                    {strings.ReplaceAll("h = MatMul(x, v)\ng = Softmax(h) axis=-1\nz = Neg(g)", "v", "wrong"), "h"},
		"a reshape to what is wrong":      {"r = Reshape(x, o)\nq = Transpose(r)\nh = MatMul(q, w)\ng = Softmax(h) axis=-1\ny = Reshape(g, u)\nz = Neg(y)", "r"},
		"a reshape hides it":              {"init p i64[3] 6 4 1\nr = Reshape(x, p)\nd = Squeeze(r)\nh = MatMul(d, w)\ng = Softmax(h) axis=-1\ny = Reshape(g, u)\nz = Neg(y)", ""},
		"and it is in a as well":          {"init p i64[3] 6 1 4\nr = Reshape(x, f)\nh = MatMul(r, w)\ng0 = Softmax(h) axis=-1\ng = Reshape(g0, p)\ny = Reshape(g, u)\nz = Neg(y)", "g"},
		"an output of another shape":      {strings.Replace(body, "z = Neg(y)", "z = Neg(g)", 1), "z"},
		"an output, and all of it behind": {"h = MatMul(x, w)\ng = Softmax(h) axis=-1\ny = Reshape(g, f)\nz = Neg(y)", "h"},
	} {
		t.Run(name, func(t *testing.T) {
			lead := strings.Replace(head, "output", "init wrong f32[4,4] 0.5 -1 2 0.25 1 1.5 -0.5 4\noutput", 1)
			if strings.Contains(name, "output") {
				lead = strings.Replace(lead, "output z f32[2,3,4]", "output z f32[6,4]", 1)
			}
			r := compare(t, a, graphtest.Model(t, lead+c.body), in, layers.Options{})
			got := ""
			if r.First != nil {
				got = r.Layers[r.First.Layer].A
			}
			if got != c.at {
				t.Errorf("first divergence at %q, want %q", got, c.at)
				for _, l := range r.Layers {
					t.Logf("%s -> %s by %s: %s %q %+v", l.A, l.B, l.Pair.How, l.Judgement, l.Reason, l.Local)
				}
			}
		})
	}
}

// TestOtherInputs compares models whose input has another name and type in B. B gets the inputs of
// its side.
func TestOtherInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	half := strings.NewReplacer("input x f32", "input x f16", "f32[4", "f16[4", "output y f32", "output y f16", "(x,", "(z,", "input x", "input z")
	in := feeds()
	x, err := in["x"].Tensor.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	z, err := tensor.FromFloat64s(tensor.F16, x, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	for text, at := range map[string]string{chain: "", strings.Replace(chain, "Relu", "Elu", 1): "r"} {
		b := graphtest.Model(t, strings.Replace(half.Replace(text), "input x f16", "input z f16", 1))
		on := sessiontest.Workers(t)
		r, err := layers.Compare(t.Context(), layers.Side{Model: graphtest.Model(t, chain), On: on}, layers.Side{Model: b, On: on, In: graphops.Feeds{"z": graphops.TensorValue(z)}}, in, layers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r.First != nil {
			got = r.Layers[r.First.Layer].A
		}
		if got != at {
			t.Errorf("first divergence at %q, want %q", got, at)
		}
		for i := range r.Layers {
			if _, _, err := r.Values(t.Context(), on, on, i, true); err != nil {
				t.Errorf("%s: %v", r.Layers[i].A, err)
			}
		}
	}
}

// TestMovedNames compares a model with one in which a normalization is folded into a convolution,
// so that a name means another value. The right pair is found from the elements.
func TestMovedNames(t *testing.T) {
	const head = "input x f32[1,2,4,4]\ninit s f32[2] 2 2\ninit o f32[2] 0 0\ninit p f32[2] 0.99999 0.99999\noutput y f32[1,2,4,4]\n"
	apart := graphtest.Model(t, head+"init w f32[2,2,1,1] 1 2 3 4\nc = Conv(x, w)\nn = BatchNormalization(c, s, o, o, p)\nr = Relu(n)\ny = Neg(r)")
	fused := graphtest.Model(t, head+"init w f32[2,2,1,1] 2 4 6 8\nc = Conv(x, w)\nr = Relu(c)\ny = Neg(r)")
	wrong := graphtest.Model(t, head+"init w f32[2,2,1,1] 2 4 6 9\nc = Conv(x, w)\nr = Relu(c)\ny = Neg(r)")
	x := make([]float32, 32)
	for i := range x {
		x[i] = float32(i%7) - 2.5
	}
	in := graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice(x, 1, 2, 4, 4))}
	for name, c := range map[string]struct {
		a, b *graphops.Model
		at   string
	}{
		"fused in b": {apart, fused, ""}, "fused in a": {fused, apart, ""}, "fused and wrong": {apart, wrong, "c"},
	} {
		t.Run(name, func(t *testing.T) {
			r := compare(t, c.a, c.b, in, layers.Options{})
			got := ""
			if r.First != nil {
				got = r.Layers[r.First.Layer].A
			}
			if got != c.at {
				t.Errorf("first divergence at %q, want %q", got, c.at)
				for _, l := range r.Layers {
					t.Logf("%s -> %s by %s: %s %q %+v", l.A, l.B, l.Pair.How, l.Judgement, l.Reason, l.Local)
				}
			}
		})
	}
}

// TestSegments checks that the result does not depend on the memory, and that every node runs as
// often as the package promises.
func TestSegments(t *testing.T) {
	a := graphtest.Model(t, chain)
	b := graphtest.Model(t, strings.ReplaceAll(chain, "init s f32[4] 0.1", "init s f32[4] 0.11"))
	on := &counting{Runner: sessiontest.Workers(t), ran: map[string]float64{}}
	want, err := layers.Compare(t.Context(), layers.Side{Model: a, On: on}, layers.Side{Model: b, On: on}, feeds(), layers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	on.ran = map[string]float64{}
	got, err := layers.Compare(t.Context(), layers.Side{Model: a, On: on}, layers.Side{Model: b, On: on}, feeds(), layers.Options{Memory: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want.Segments != 1 || got.Segments < 5 {
		t.Errorf("%d and %d segments", want.Segments, got.Segments)
	}
	if len(got.Notes) == 0 {
		t.Error("nobody tells that memory was short")
	}
	for i, l := range want.Layers {
		m := got.Layers[i]
		if l.A != m.A || l.Judgement != m.Judgement || l.Local.MaxAbs != m.Local.MaxAbs || l.Accumulated.MaxAbs != m.Accumulated.MaxAbs || l.Bytes != m.Bytes {
			t.Errorf("layer %q is %s %v %v, in segments %s %v %v", l.A, l.Judgement, l.Local.MaxAbs, l.Accumulated.MaxAbs, m.Judgement, m.Local.MaxAbs, m.Accumulated.MaxAbs)
		}
	}
	for _, n := range a.Graph().Nodes() {
		if on.ran[n.Name()] > 3 {
			t.Errorf("node %s ran %v times, of both models", n.Name(), on.ran[n.Name()])
		}
	}
}

// counting is a runner that counts how often nodes run.
type counting struct {
	execution.Runner
	ran map[string]float64
}

func (c *counting) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error {
	share := 1.0
	for _, v := range in {
		if v.Tensor.Shape[0] == 1 { // of two rows
			share = 0.5
		}
	}
	for _, n := range m.Graph().Nodes() {
		c.ran[n.Name()] += share
	}
	return c.Runner.Run(ctx, m, in, want, yield)
}

func TestRegion(t *testing.T) {
	a := graphtest.Model(t, chain)
	b := graphtest.Model(t, strings.ReplaceAll(chain, "Relu(g)", "Elu(g)"))
	r := compare(t, a, b, feeds(), layers.Options{})
	if r.First == nil {
		t.Fatal("nothing diverges")
	}
	m, err := r.Region(r.First.Layer)
	if err != nil {
		t.Fatal(err)
	}
	if got := graphtest.Nodes(m.Graph()); len(got) != 1 || !strings.Contains(got[0], "Elu") {
		t.Errorf("the region is %q", got)
	}
}

// TestScaled compares models in which a factor was moved into weights. The scaled values in between
// are no fault. A factor that vanishes in a normalization is one.
func TestScaled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const head = "input x f32[2,4]\noutput y f32[2,4]\ninit k f32[] 0.5\ninit w f32[4,4] 0.5 -1 2 0.25 1 1.5 -0.5 3\ninit o f32[4] 0.1 0.2 0.3 0.4\ninit g f32[4] 1\n"
	const apart = "q = MatMul(x, w)\na = Add(q, o)\nt = Transpose(a)\ns = Mul(t, k)\nu = Transpose(s)\ny = Exp(u)"
	const folded = "q = MatMul(x, w)\na = Add(q, o)\nt = Transpose(a)\nu = Transpose(t)\ny = Exp(u)"
	half := strings.NewReplacer("0.5 -1 2 0.25 1 1.5 -0.5 3", "0.25 -0.5 1 0.125 0.5 0.75 -0.25 1.5", "0.1 0.2 0.3 0.4", "0.05 0.1 0.15 0.2")
	const gated = "init c f32[4] 0.5 -2 0 3\nq = MatMul(x, w)\na = Add(q, o)\ns = Mul(a, c)\ny = Exp(s)"
	const channels = "q = MatMul(x, w)\na = Add(q, o)\ny = Exp(a)"
	gate := strings.NewReplacer("0.5 -1 2 0.25 1 1.5 -0.5 3", "0.25 2 0 0.75 0.5 -3 0 9", "0.1 0.2 0.3 0.4", "0.05 -0.4 0 1.2")
	before := func(head, f string) string { return head + "init f f32[4] " + f + "\nm = Mul(x, f)\np = Relu(m)\n" }
	behind := func(nodes string) string { return strings.Replace(nodes, "(x,", "(p,", 1) }
	const normed = "q = MatMul(x, w)\nn = LpNormalization(q)\ny = Exp(n)"
	for name, c := range map[string]struct{ a, b, at string }{
		"folded":           {head + apart, half.Replace(head) + folded, ""},
		"wrong in between": {head + apart, half.Replace(head) + strings.ReplaceAll(folded, "Transpose(a)", "Transpose(a)\nt0 = Relu(t)"), ""},
		"wrong before":     {head + apart, half.Replace(head) + strings.NewReplacer("t = Tr", "t0 = Tr", "u = ", "t = Relu(t0)\nu = ").Replace(folded), "t"},
		"folded and wrong": {head + apart, half.Replace(head) + strings.ReplaceAll(folded, "Exp(u)", "Softplus(u)"), "y"},
		"not undone":       {head + apart, half.Replace(head) + apart, "q"},
		"by channel":       {head + gated, gate.Replace(head) + channels, ""},
		"a channel wrong":  {head + gated, strings.Replace(gate.Replace(head), "9", "8", 1) + channels, "q"},
		"and behind":       {head + gated, gate.Replace(head) + strings.ReplaceAll(channels, "Exp", "Softplus"), "y"},
		"before it":        {strings.Replace(head, "output", "m = Neg(x)\noutput", 1) + strings.ReplaceAll(gated, "(x,", "(m,"), strings.Replace(gate.Replace(head), "output", "m = Relu(x)\noutput", 1) + strings.ReplaceAll(channels, "(x,", "(m,"), "m"},
		"a factor before":  {before(head, "1 2 3 4") + behind(apart), before(half.Replace(head), "1 2 3 5") + behind(folded), "m"},
		"behind a factor":  {before(head, "1 2 3 4") + behind(apart), before(half.Replace(head), "1 2 3 4") + behind(strings.ReplaceAll(folded, "Exp(u)", "Softplus(u)")), "y"},
		"a factor wrong":   {head + gated, head + strings.Replace(gated, "-2 0 3", "-2 0 4", 1), "s"},
		"a bias wrong":     {head + gated, strings.Replace(gate.Replace(head), "0.05", "0.06", 1) + channels, "s"},
		"it vanishes":      {head + normed, half.Replace(head) + normed, "q"},
	} {
		r := compare(t, graphtest.Model(t, c.a), graphtest.Model(t, c.b), feeds(), layers.Options{})
		at := ""
		if r.First != nil {
			at = r.Layers[r.First.Layer].A
		}
		if at != c.at {
			t.Errorf("%s: first divergence at %q, want %q", name, at, c.at)
			for _, l := range r.Layers {
				t.Logf("%s -> %s by %s: %s %q %+v", l.A, l.B, l.Pair.How, l.Judgement, l.Reason, l.Accumulated)
			}
		}
	}
}

// TestComputedSizes compares models in which a region reads sizes that another region computes.
func TestComputedSizes(t *testing.T) {
	const text = "input x f32[1,1,2,2]\noutput y f32[?,?,?,?]\ninit k f32[] 2\ninit two i64[2] 4 4\ninit from i64[1] 0\ninit to i64[1] 2\n" +
		"m = Mul(x, k)\ns = Shape(m)\nc = Slice(s, from, to)\nz = Concat(c, two) axis=0\ny = Resize(m, , , z) mode='nearest'"
	x := graphops.TensorValue(tensor.FromSlice([]float32{1, -2, 3, 4}, 1, 1, 2, 2))
	r := compare(t, graphtest.Model(t, text), graphtest.Model(t, strings.ReplaceAll(text, "k f32[] 2", "k f32[] 3")), graphops.Feeds{"x": x}, layers.Options{})
	for _, l := range r.Layers {
		if l.Judgement.Failed() != (l.A == "m") {
			t.Errorf("%s: %s %s", l.A, l.Judgement, l.Reason)
		}
	}
}

// TestFunctions checks that values inside of functions are compared, and that notes list what is
// not.
func TestFunctions(t *testing.T) {
	const text = "input x f32[4]\noutput y f32[4]\nfunction local F(a) -> (b)\nop: t = Relu(a)\nb = Exp(t)\nend\n" +
		"graph body\nv = Neg(z)\noutput v f32[4]\nend\ninit c bool[] 1\none: k = local::F(x)\ntwo: z = local::F(k)\ny = If(c) then_branch=@body else_branch=@body"
	a := graphtest.Model(t, text)
	b := graphtest.Model(t, strings.ReplaceAll(text, "Relu(a)", "Elu(a)"))
	in := graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice([]float32{1, -2, 3, -0.5}, 4))}
	r := compare(t, a, b, in, layers.Options{})
	if r.First == nil || layers.Label(r.A, r.Layers[r.First.Layer].NodeA) != "one/op" {
		t.Errorf("first divergence: %+v", r.First)
	}
	said := strings.Join(r.Notes, "\n")
	if !strings.Contains(said, "2 calls of a are replaced by") || !strings.Contains(said, "1 node of b hold") {
		t.Errorf("it says %q", said)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := graphtest.Model(t, chain)
	_, err := layers.Compare(ctx, layers.Side{Model: a, On: sessiontest.Workers(t)}, layers.Side{Model: a, On: sessiontest.Workers(t)}, feeds(), layers.Options{Memory: 1, Progress: func(done, _ int) {
		if done > 1 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestPlantedFaults(t *testing.T) {
	b := newBed(t, filepath.Join("..", "..", "testdata", "vit_batch1.onnx"))
	for how := range made[:2] {
		if !b.sound(t, how) {
			t.Errorf("%s: not made", made[how].name)
		}
		for k, p := range plants {
			rng := rand.New(rand.NewPCG(7, uint64(10*how+k)))
			for _, node := range b.nodes(rng) {
				if b.planted(t, node, p, how, rng) {
					break
				}
			}
		}
	}
}
