//go:build cgo

package sensitivity

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// chain returns a model of products of 64×64 matrices with a Relu between them. In the layer with outliers,
// a weight of each block of 32 rows is 12 times as large as usual, and two weights 64 times, so that the
// others become few different integers.
func chain(t *testing.T, layers, outliers int, random *rand.Rand) *graphops.Model {
	t.Helper()
	const size, block = 64, 32
	var b strings.Builder
	fmt.Fprintf(&b, "input h0 f32[batch,%d]\noutput h%d f32[batch,%d]\n", size, layers, size)
	for l := range layers {
		w := make([]float64, size*size)
		for i := range w {
			w[i] = random.NormFloat64() / 8
		}
		if l == outliers {
			sign := func() float64 { return 2*float64(random.IntN(2)) - 1 }
			for column := range size {
				for row := random.IntN(block); row < size; row += block {
					w[row*size+column] = sign() * 12 / 8
				}
			}
			w[5], w[size*size/2] = sign()*64/8, sign()*64/8
		}
		fmt.Fprintf(&b, "init w%d f32[%d,%d]", l, size, size)
		for _, v := range w {
			fmt.Fprintf(&b, " %.5f", v)
		}
		fmt.Fprintf(&b, "\nfc%d: p%d = MatMul(h%d, w%d)\nr%d: h%d = Relu(p%d)\n", l, l, l, l, l, l+1, l)
	}
	return graphtest.Model(t, b.String())
}

// TestPlantedLayers plants a layer with outliers in models of random weights. It must come first, both by
// the estimate and by the measurement.
func TestPlantedLayers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	for seed := range uint64(10) {
		planted := int(seed) % 6
		m := chain(t, 6, planted, rand.New(rand.NewPCG(seed, 1)))
		for _, mode := range []string{"nbits", "dynamic"} {
			s := &Sensitivity{Mode: mode}
			s.Quant.Dim, s.Quant.ReduceRange = []string{"batch=16"}, mode == "dynamic"
			r, err := s.List(t.Context(), env, m)
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("fc%d", planted)
			if r.Layers[0].Node != want || r.Measured != 6 {
				t.Errorf("seed %d, %s: %q comes first, expected %q", seed, mode, r.Layers[0].Node, want)
			}
			if first := mostValuable(r.Layers)[0].Node; first != want {
				t.Errorf("seed %d, %s: %q is measured first, expected %q", seed, mode, first, want)
			}
			t.Logf("seed %d, %s: correlation %.2f", seed, mode, float64(r.Correlation))
		}
	}
}

// TestEstimateCorrelates compares the order of estimates with that of measurements on real models.
func TestEstimateCorrelates(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	for _, c := range []struct {
		model, mode string
		least       float64
	}{
		{"text_classifier.onnx", "nbits", 0.3},
		{"lm_batch1.onnx", "nbits", 0.5},
		{"decoders/joined.onnx", "nbits", 0.6},
		{"text_classifier.onnx", "dynamic", 0.4},
		{"decoders/joined.onnx", "dynamic", 0.6},
	} {
		m, err := graphops.Open("../../testdata/"+c.model, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := &Sensitivity{Mode: c.mode}
		s.Quant.ReduceRange = c.mode == "dynamic"
		r, err := s.List(t.Context(), env, m)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %s: %d nodes, correlation %.2f", c.model, c.mode, len(r.Layers), float64(r.Correlation))
		if !(float64(r.Correlation) >= c.least) {
			t.Errorf("%s %s: correlation %v, expected at least %v", c.model, c.mode, r.Correlation, c.least)
		}
	}
}

// TestContinue interrupts a list after some measurements. The next run measures the rest, and the one after
// that nothing. Other options and other inputs start again.
func TestContinue(t *testing.T) {
	env := sessiontest.Env(t)
	env.Results = t.TempDir()
	m := chain(t, 4, 1, rand.New(rand.NewPCG(1, 1)))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := env
	first.Progress = func(p session.Progress) {
		if strings.HasPrefix(p.Phase, "measuring") && p.Done == 2 {
			cancel()
		}
	}
	r, err := (&Sensitivity{Mode: "nbits"}).List(ctx, first, m)
	if !errors.Is(err, context.Canceled) || r == nil {
		t.Fatalf("%v, %v, expected the report of an interrupted list", r, err)
	}
	if r.New != 2 || r.Measured != 2 || r.Stopped == "" || r.Stored == "" || !(r.Coverage > 0.5) {
		t.Errorf("interrupted: %+v", r)
	}
	for i, want := range []struct {
		step        Sensitivity
		reused, new int
	}{
		{Sensitivity{Mode: "nbits"}, 2, 2},
		{Sensitivity{Mode: "nbits"}, 4, 0},
		{Sensitivity{Mode: "dynamic"}, 0, 4},
		{Sensitivity{Mode: "nbits", Keeping: flags.Keeping{NoStore: true}}, 0, 4},
	} {
		r, err := want.step.List(t.Context(), env, m)
		if err != nil {
			t.Fatal(err)
		}
		if r.Reused != want.reused || r.New != want.new || r.Measured != 4 || r.Stopped != "" {
			t.Errorf("run %d: %d reused and %d new, expected %d and %d", i, r.Reused, r.New, want.reused, want.new)
		}
	}
	other := &Sensitivity{Mode: "nbits"}
	other.Quant.Seed = 7
	if r, err := other.List(t.Context(), env, m); err != nil || r.Reused != 0 {
		t.Errorf("%v, %v: another seed, nothing may be reused", r, err)
	}
}

// TestTimeout stops after a time, which is not an error.
func TestTimeout(t *testing.T) {
	env := sessiontest.Env(t)
	r, err := (&Sensitivity{Mode: "nbits", Timeout: 1}).List(t.Context(), env, chain(t, 3, 1, rand.New(rand.NewPCG(1, 1))))
	if err != nil || r.Measured != 0 || r.Stopped == "" {
		t.Fatalf("%v, %v, expected estimates only", r, err)
	}
}

// refusing is a runtime that does not load a model in which a node is quantized.
type refusing struct {
	runtime.Runtime
	node string
}

func (r refusing) Load(ctx context.Context, m *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	for n := range m.AllNodes() {
		if n.OpType() == "MatMulNBits" && strings.Contains(n.Name(), r.node) {
			return nil, fmt.Errorf("no kernel for %s", n.Name())
		}
	}
	return r.Runtime.Load(ctx, m, o)
}

// TestFailingNode has a node that the runtime refuses when it is quantized. The others are measured.
func TestFailingNode(t *testing.T) {
	env := sessiontest.Env(t)
	env.Runtime = refusing{env.Runtime, "fc1"}
	r, err := (&Sensitivity{Mode: "nbits"}).List(t.Context(), env, chain(t, 3, 1, rand.New(rand.NewPCG(1, 1))))
	if err != nil {
		t.Fatal(err)
	}
	last := r.Layers[2]
	if r.Measured != 2 || r.Failed != 1 || last.Node != "fc1" || !strings.Contains(last.Failed, "no kernel for") {
		t.Errorf("%d measured, %d failed, the last one is %+v", r.Measured, r.Failed, last)
	}
}

// TestUnnamedNodes has nodes without a name and nodes that share one. Each is measured.
func TestUnnamedNodes(t *testing.T) {
	env := sessiontest.Env(t)
	m := chain(t, 4, 2, rand.New(rand.NewPCG(1, 1)))
	e := graphops.Edit(m)
	for i, n := range e.Nodes {
		switch n.Name() {
		case "fc0", "fc1":
			e.Nodes[i] = n.WithName("")
		case "fc2":
			e.Nodes[i] = n.WithName("fc3")
		}
	}
	r, err := (&Sensitivity{Mode: "nbits"}).List(t.Context(), env, e.Model())
	if err != nil {
		t.Fatal(err)
	}
	if r.Measured != 4 || r.Layers[0].Node != "fc3" || r.Layers[0].Index != 4 {
		t.Errorf("%d measured, the first one is %+v, expected node 4", r.Measured, r.Layers[0])
	}
	for i, l := range r.Layers[1:] {
		if l.Cost.SNR == r.Layers[i].Cost.SNR {
			t.Errorf("nodes %d and %d have the same error", l.Index, r.Layers[i].Index)
		}
	}
}

// TestNoList has models and options for which there is no list.
func TestNoList(t *testing.T) {
	env := sessiontest.Env(t)
	small := graphtest.Model(t, "input x f32[n,4]\noutput y f32[n,4]\nr: y = Relu(x)")
	m := chain(t, 2, 0, rand.New(rand.NewPCG(1, 1)))
	if _, err := (&Sensitivity{}).List(t.Context(), env, small); !errors.Is(err, quant.ErrNothing) {
		t.Errorf("without nodes to quantize: %v", err)
	}
	unfit := &Sensitivity{}
	unfit.Quant.Data = "../../testdata/text_test.npz"
	if _, err := unfit.List(t.Context(), env, m); err == nil || !strings.Contains(err.Error(), `no array for input "h0"`) {
		t.Errorf("data that does not fit: %v", err)
	}
	for _, c := range []struct {
		change func(*Sensitivity)
		want   string
	}{
		{func(s *Sensitivity) { s.Quant.Bits = "8" }, "--bits: has no effect with --mode dynamic"},
		{func(s *Sensitivity) { s.Quant.WeightType = "int16" }, "expected one of int8, uint8 with --mode dynamic"},
		{func(s *Sensitivity) { s.Mode = "static" }, "needs samples"},
		{func(s *Sensitivity) { s.Samples = 3 }, "only with --data"},
		{func(s *Sensitivity) { s.Quant.Symmetric, s.Quant.Asymmetric, s.Mode = true, true, "nbits" }, "either --symmetric or --asymmetric"},
	} {
		s := &Sensitivity{}
		c.change(s)
		if _, err := s.List(t.Context(), env, m); !session.IsUsage(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, expected %q", err, c.want)
		}
	}
}

// TestTime measures the latency of one node that was measured before without.
func TestTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	env.Results = t.TempDir()
	m := chain(t, 2, 0, rand.New(rand.NewPCG(1, 1)))
	if _, err := (&Sensitivity{}).List(t.Context(), env, m); err != nil {
		t.Fatal(err)
	}
	s := &Sensitivity{Time: true}
	s.Quant.Include = []string{"fc1"}
	r, err := s.List(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	if l := r.Layers[0]; len(r.Layers) != 1 || r.Reused != 1 || r.New != 1 || l.Time == nil || !(l.Time.P50 > 0 && l.Time.Ratio > 0) {
		t.Errorf("%+v", r.Layers[0])
	}
}
