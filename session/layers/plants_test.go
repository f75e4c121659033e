//go:build cgo

package layers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/quant"
	"lathe/graphops/simplify"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session"
	"lathe/session/layers"
	"lathe/session/proof"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
	"lathe/session/steps/shrink"
)

// bed is a model into which faults are put, with its inputs and the runtime that runs it.
type bed struct {
	on *runtime.Staying
	w  *runtime.Workers
	m  *graphops.Model
	in graphops.Feeds
}

func newBed(t *testing.T, path string) *bed {
	t.Helper()
	w := sessiontest.Workers(t)
	on, err := w.Stay(runtime.Execution{Opt: "disable"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = on.Close() })
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Skip(err)
	}
	e := graphops.Edit(m)
	for i, n := range e.Nodes {
		if n.Name() == "" { // what is left out of a quantization is named
			e.Nodes[i] = n.WithName(fmt.Sprint("node ", i))
		}
	}
	m = e.Model()
	p := proof.Prover{Runner: w}
	sizes, err := p.Settle(t.Context(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.Feeds(m, sizes, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &bed{on, w, m, in}
}

// nodes returns the positions of the nodes in the main graph that can have a fault, in random
// order.
func (b *bed) nodes(rng *rand.Rand) []int {
	var out []int
	for i, n := range b.m.Graph().Nodes() {
		if n.OpType() != "Constant" && n.Name() != "" && len(n.Outputs()) > 0 && n.Outputs()[0] != "" && len(n.Graphs()) == 0 {
			out = append(out, i)
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// value computes a value of a model.
func (b *bed) value(ctx context.Context, m *graphops.Model, name string) (graphops.Value, error) {
	part, err := runtime.Expose(m, []string{name})
	if err != nil {
		return graphops.Value{}, err
	}
	var out graphops.Value
	err = b.on.Run(ctx, part, runtime.FeedsOf(part, b.in), execution.Whole(name), func(g execution.Got) error {
		out = g.Value
		return nil
	})
	return out, err
}

// shows reports whether a fault changes a value. Everything before the fault is the same in both
// models. runs is false if the changed model does not run. It is not used for values that are not
// tensors of float32.
func (b *bed) shows(t *testing.T, changed *graphops.Model, name string) (shows, runs bool) {
	t.Helper()
	was, err := b.value(t.Context(), b.m, name)
	if err != nil || !was.IsTensor() || was.Tensor.DType != tensor.F32 {
		return false, false
	}
	is, err := b.value(t.Context(), changed, name)
	if err != nil {
		return true, false
	}
	m, err := tensor.Compare(was.Tensor, is.Tensor, tensor.Tolerance{RTol: 1e-5, ATol: 1e-5 * proof.Scale(was.Tensor)})
	return err != nil || m.Mismatched > 0, true
}

// made are ways to change a model so that it still computes the same. The node keep is left as it
// is.
var made = []struct {
	name string
	by   func(t *testing.T, b *bed, m *graphops.Model, keep string) *graphops.Model
}{
	{"as it is", func(_ *testing.T, _ *bed, m *graphops.Model, _ string) *graphops.Model { return m }},
	{"simplified", func(t *testing.T, b *bed, m *graphops.Model, _ string) *graphops.Model {
		out, _, err := simplify.Simplify(t.Context(), m, simplify.Options{Runner: b.w, MaxGrowth: simplify.DefaultMaxGrowth, With: []string{}})
		if err != nil {
			t.Log(err)
			return nil
		}
		return out
	}},
	{"fused", func(t *testing.T, b *bed, m *graphops.Model, _ string) *graphops.Model {
		var all []string
		for _, p := range simplify.Passes() {
			if p.Optional {
				all = append(all, p.Name)
			}
		}
		out, _, err := simplify.Simplify(t.Context(), m, simplify.Options{Runner: b.w, MaxGrowth: simplify.DefaultMaxGrowth, With: all})
		if err != nil {
			t.Log(err)
			return nil
		}
		return out
	}},
	{"optimized", func(t *testing.T, b *bed, m *graphops.Model, _ string) *graphops.Model {
		s := shrink.Optimize{Level: "extended"}
		s.Out = filepath.Join(t.TempDir(), "out.onnx")
		if _, err := s.Run(t.Context(), session.Env{Runtime: b.w, Progress: func(session.Progress) {}}, m); err != nil {
			t.Log(err)
			return nil
		}
		out, err := graphops.Open(s.Out, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}},
	{"quantized", func(t *testing.T, b *bed, m *graphops.Model, keep string) *graphops.Model {
		o := quant.DefaultDynamicOptions()
		o.Exclude = []string{keep}
		o.PerChannel = true
		out, _, err := quant.Dynamic(t.Context(), m, o, func(int64, int64) {})
		if err != nil {
			t.Log(err)
			return nil
		}
		return out
	}},
	{"qdq", qdq},
}

// qdq quantizes all nodes except one with the reference. It uses the Python that `make parity` sets
// up.
func qdq(t *testing.T, b *bed, m *graphops.Model, keep string) *graphops.Model {
	python := os.Getenv("LATHE_PARITY_PYTHON")
	if python == "" {
		t.Log("LATHE_PARITY_PYTHON names no Python with the references; run `make parity`")
		return nil
	}
	dir := t.TempDir()
	from, to, inputs := filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.onnx"), filepath.Join(dir, "in.npz")
	if _, err := graphops.Save(t.Context(), m, from, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	var entries []npz.Entry
	for name, v := range b.in {
		entries = append(entries, npz.Entry{Name: name, Tensor: v.Tensor})
	}
	f, err := os.Create(inputs)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(npz.Write(f, entries), f.Close()); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "qdq.py"), from, to, keep, inputs).CombinedOutput(); err != nil {
		t.Logf("%v: %s", err, said[max(0, len(said)-300):])
		return nil
	}
	out, err := graphops.Open(to, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sound checks that nothing is reported about a model without a fault. It returns false if the
// model cannot be changed in this way.
func (b *bed) sound(t *testing.T, how int) bool {
	t.Helper()
	m := made[how].by(t, b, b.m, b.m.Graph().Nodes()[b.nodes(rand.New(rand.NewPCG(1, 1)))[0]].Name())
	if m == nil {
		return false
	}
	r, err := layers.Compare(t.Context(), layers.Side{Model: b.m, On: b.on}, layers.Side{Model: m, On: b.on}, b.in, layers.Options{})
	if err != nil {
		t.Error(err)
		return false
	}
	if r.First != nil && r.First.Local {
		t.Errorf("%s: no fault, but %s", made[how].name, told(r))
	}
	t.Logf("%s: %d layers, %d and %d without", made[how].name, len(r.Layers), len(r.OnlyA), len(r.OnlyB))
	return true
}

// planted puts a fault into a node and checks that it is found. It returns false if the fault has
// no effect.
func (b *bed) planted(t *testing.T, node int, p plant, how int, rng *rand.Rand) bool {
	t.Helper()
	changed := faultyModel(b.m, node, p, rng)
	if changed == nil {
		return false
	}
	n := b.m.Graph().Nodes()[node]
	shows, _ := b.shows(t, changed, n.Outputs()[0])
	if !shows {
		return false
	}
	changed = made[how].by(t, b, changed, n.Name())
	if changed == nil {
		return false
	}
	r, err := layers.Compare(t.Context(), layers.Side{Model: b.m, On: b.on}, layers.Side{Model: changed, On: b.on}, b.in, layers.Options{})
	what := fmt.Sprintf("%s in node %d %q (%s), %s", p.name, node, n.Name(), n.OpType(), made[how].name)
	switch {
	case err != nil:
		t.Errorf("%s: %v", what, err)
	case r.First == nil && slices.Contains(r.OnlyA, n.Outputs()[0]) && !slices.ContainsFunc(r.Layers, func(l layers.Layer) bool { return slices.Contains(l.RegionA, node) && off(l) }):
		return false // the node's output is inside of another's, and does not show in that
	case r.First == nil || !r.First.Local:
		t.Errorf("%s: not found, %d layers, %d and %d without", what, len(r.Layers), len(r.OnlyA), len(r.OnlyB))
		for _, l := range r.Layers {
			if off(l) {
				t.Logf("off: %q (b %q, by %s), %s %s", l.A, l.B, l.Pair.How, l.Judgement, l.Reason)
				break
			}
		}
	case !slices.Contains(r.Layers[r.First.Layer].RegionA, node):
		t.Errorf("%s (makes %q): found %s", what, n.Outputs()[0], told(r))
	}
	return true
}

// off reports whether a layer that is judged has another value in B than in A.
func off(l layers.Layer) bool {
	return l.Judgement != layers.Unjudged && (l.Accumulated == nil || l.Accumulated.Mismatched > 0)
}

func told(r *layers.Result) string {
	l := r.Layers[r.First.Layer]
	s := fmt.Sprintf("layer %d of %d: %q (b %q, by %s), %s %q", r.First.Layer, len(r.Layers), l.A, l.B, l.Pair.How, l.Judgement, l.Reason)
	for _, i := range l.RegionA {
		s += " a:" + r.A.Graph().Nodes()[i].OpType()
	}
	for _, i := range l.RegionB {
		s += " b:" + r.B.Graph().Nodes()[i].OpType()
	}
	if l.Local != nil {
		s += fmt.Sprintf(" max %.3g of rms %.3g, snr %.1f, used %.3g", l.Local.MaxAbs, l.Local.RMSA, l.Local.SNR, l.Local.Used)
	}
	return s
}
