//go:build cgo

package mixed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// auto returns a step on generated inputs.
func auto(targets ...string) *Auto {
	s := &Auto{Targets: targets}
	s.Quant.Dim, s.Quant.ReduceRange = []string{"batch=16"}, true
	return s
}

// kept returns an environment in which journals are kept.
func kept(t *testing.T) session.Env {
	env := sessiontest.Env(t)
	env.Results = filepath.Join(t.TempDir(), "results")
	return env
}

// TestFragileLayer plants a layer whose numbers lie far apart. It stays float32, and others do not.
func TestFragileLayer(t *testing.T) {
	env := sessiontest.Env(t)
	for seed := range uint64(3) {
		planted := int(seed)
		m := layered(t, plain, 4, planted, rand.New(rand.NewPCG(seed, 5)))
		s := auto("snr>=13dB")
		s.Types = []string{"nbits-4"}
		r := s.searched(t, env, m)
		fragile := fmt.Sprintf("fc%d=nbits-4", planted)
		if r.Best == 0 || slices.Contains(r.Front[r.Best-1].Choose, fragile) {
			t.Errorf("seed %d: best is %d with %v, expected a point without %s", seed, r.Best, r.Front[max(r.Best, 1)-1].Choose, fragile)
		}
	}
}

// TestWritten writes the best point. The file has the size and the error that the report states, and
// --choose makes the same file.
func TestWritten(t *testing.T) {
	env := kept(t)
	m := layered(t, wide, 5, -1, rand.New(rand.NewPCG(2, 5)))
	s := auto("snr>=25dB")
	s.Out = filepath.Join(t.TempDir(), "a.onnx")
	r := s.searched(t, env, m)
	best := r.Front[r.Best-1]
	info, err := os.Stat(s.Out)
	if err != nil || info.Size() != best.Bytes {
		t.Fatalf("%v, %v: expected a file of %d bytes", info, err, best.Bytes)
	}
	again := auto()
	again.Choose, again.Out = best.Choose, filepath.Join(t.TempDir(), "b.onnx")
	other := again.searched(t, env, m)
	if x := other.Front[0]; x.Bytes != best.Bytes || x.SNR != best.SNR {
		t.Errorf("--choose makes %d bytes with %v dB, expected %d with %v", x.Bytes, x.SNR, best.Bytes, best.SNR)
	}
	a, err := os.ReadFile(s.Out)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(again.Out)
	if err != nil || string(a) != string(b) {
		t.Errorf("%v: --choose writes another file", err)
	}
	if r.Journal == "" || other.Journal == "" {
		t.Error("expected journals")
	}
	s.Point, s.Force = int64(len(r.Front))+1, true
	if _, err := s.Run(t.Context(), env, m); err == nil || !strings.Contains(err.Error(), "the front has") {
		t.Errorf("%v, expected an error about a point that does not exist", err)
	}
}

// TestStopAndContinue interrupts a search after some trials. The report has what was found, and the next run
// ends with the front of a search that was not interrupted.
func TestStopAndContinue(t *testing.T) {
	m := layered(t, residual, 4, -1, rand.New(rand.NewPCG(3, 5)))
	s := auto("snr>=25dB")
	s.Types = []string{"nbits-4", "dynamic"}
	whole := s.searched(t, sessiontest.Env(t), m)
	for stop := int64(2); stop < int64(whole.Trials); stop += 5 {
		env := kept(t)
		ctx, cancel := context.WithCancel(t.Context())
		first := env
		first.Progress = func(p session.Progress) {
			if p.Unit == "trials" && p.Done == stop {
				cancel()
			}
		}
		need, how := s.Ahead()
		end := env.Ready(t.Context(), need, how)
		out, err := s.Run(ctx, first, m)
		end()
		cancel()
		r, _ := out.Report.(*Report)
		if !errors.Is(err, context.Canceled) || r == nil || r.Stopped == "" || r.Trials != int(stop) {
			t.Fatalf("stopped after %d: %+v, %v", stop, r, err)
		}
		r = s.searched(t, env, m)
		if r.Reused != int(stop) || r.Reused+r.New != whole.New || !reflect.DeepEqual(r.Front, whole.Front) {
			t.Errorf("stopped after %d: %d trials reused and %d new of %d, or another front", stop, r.Reused, r.New, whole.New)
		}
	}
}

// TestOtherTarget searches with another target: what is known is not tried again. Another option starts
// again.
func TestOtherTarget(t *testing.T) {
	env := kept(t)
	m := layered(t, plain, 3, -1, rand.New(rand.NewPCG(4, 5)))
	first := auto("snr>=25dB").searched(t, env, m)
	second := auto("snr>=20dB", "kl<=0.1").searched(t, env, m)
	if first.Reused != 0 || second.Reused == 0 {
		t.Errorf("%d and %d trials reused", first.Reused, second.Reused)
	}
	other := auto("snr>=25dB")
	other.Quant.Seed = 9
	if r := other.searched(t, env, m); r.Reused != 0 {
		t.Errorf("%d trials reused with another seed", r.Reused)
	}
	none := auto("snr>=25dB")
	none.NoStore = true
	if r := none.searched(t, env, m); r.Reused != 0 || r.Journal != "" {
		t.Errorf("%d trials reused with --no-store", r.Reused)
	}
}

// TestImpossible has targets that nothing meets: the answer is no, with the nearest point.
func TestImpossible(t *testing.T) {
	env := sessiontest.Env(t)
	m := layered(t, plain, 3, -1, rand.New(rand.NewPCG(5, 5)))
	for _, targets := range [][]string{{"snr>=200dB"}, {"snr>=20dB", "size<=1%"}, {"kl<=1e-30"}} {
		s := auto(targets...)
		s.Out = filepath.Join(t.TempDir(), "out.onnx")
		need, how := s.Ahead()
		end := env.Ready(t.Context(), need, how)
		out, err := s.Run(t.Context(), env, m)
		end()
		if err != nil {
			t.Fatal(err)
		}
		r := out.Report.(*Report)
		if !out.No || r.Best != 0 || r.Nearest == 0 || len(r.Front[r.Nearest-1].Choose) == 0 {
			t.Errorf("%v: best %d, nearest %d, expected no best point, and a nearest one that differs from the original", targets, r.Best, r.Nearest)
		}
		var b strings.Builder
		if err := r.WriteText(&b); err != nil || !strings.Contains(b.String(), "nothing smaller than the original meets "+strings.Join(targets, " and ")+"; the nearest is point") {
			t.Errorf("%v: %v\n%s", targets, err, b.String())
		}
		if _, err := os.Stat(s.Out); err == nil {
			t.Errorf("%v: a file was written", targets)
		}
	}
}

// refusing is a runtime that has no kernel for an operator.
type refusing struct {
	runtime.Runtime
	op string
}

func (r refusing) Load(ctx context.Context, m *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	for n := range m.AllNodes() {
		if n.OpType() == r.op {
			return nil, fmt.Errorf("no kernel for %s", n.OpType())
		}
	}
	return r.Runtime.Load(ctx, m, o)
}

// TestNoKernel has a provider without a kernel for one type. Others are chosen, and the report says why.
func TestNoKernel(t *testing.T) {
	env := sessiontest.Env(t)
	env.Runtime = refusing{env.Runtime, "MatMulNBits"}
	r := auto("snr>=25dB").searched(t, env, layered(t, plain, 3, -1, rand.New(rand.NewPCG(6, 5))))
	if r.Best == 0 || len(r.NoType) != 2 || r.NoType[0].Type != "nbits-4" || !strings.Contains(r.NoType[0].Reason, "no kernel for MatMulNBits") {
		t.Errorf("best %d, unused %+v", r.Best, r.NoType)
	}
	for _, p := range r.Front {
		if p.Counts["nbits-4"]+p.Counts["nbits-8"] > 0 {
			t.Errorf("point %+v uses a type without a kernel", p)
		}
	}
}

// TestSharedWeight has two nodes that read one weight, and nodes without a name.
func TestSharedWeight(t *testing.T) {
	env := sessiontest.Env(t)
	b := strings.Builder{}
	b.WriteString("input x f32[batch,32]\noutput y f32[batch,32]\n")
	random := rand.New(rand.NewPCG(7, 5))
	for _, name := range []string{"a", "b", "c"} {
		fmt.Fprintf(&b, "init %s f32[32,32]", name)
		for range 32 * 32 {
			fmt.Fprintf(&b, " %.4f", random.NormFloat64()/6)
		}
		b.WriteString("\n")
	}
	b.WriteString("one: p = MatMul(x, a)\ntwo: q = MatMul(p, a)\nr = MatMul(q, b)\ny = MatMul(r, c)\n")
	s := auto("snr>=15dB")
	s.Types = []string{"nbits-8"}
	r := s.searched(t, env, graphtest.Model(t, b.String()))
	if r.Units != 3 || len(r.Nodes) != 4 || r.Best == 0 || len(r.Front[r.Best-1].Choose) != 4 {
		t.Fatalf("%d units, nodes %q, best %d: %+v", r.Units, r.Nodes, r.Best, r.Front)
	}
	again := auto()
	again.Types, again.Choose = s.Types, r.Front[r.Best-1].Choose
	if x := again.searched(t, env, graphtest.Model(t, b.String())); x.Front[0].Bytes != r.Front[r.Best-1].Bytes {
		t.Errorf("--choose makes %d bytes, expected %d", x.Front[0].Bytes, r.Front[r.Best-1].Bytes)
	}
	if slices.Contains(r.Nodes, "") {
		t.Errorf("a node without a name in %q", r.Nodes)
	}
}

// TestErrors has options and models with which nothing can be searched.
func TestErrors(t *testing.T) {
	env := sessiontest.Env(t)
	m := layered(t, plain, 2, -1, rand.New(rand.NewPCG(8, 5)))
	nothing := graphtest.Model(t, "input x f32[4]\noutput y f32[4]\nact: y = Relu(x)\n")
	done := graphtest.Model(t, "input x f32[2]\noutput y f32[2]\ninit w i8[2] 1 2\ninit s f32[] 0.5\nv = DequantizeLinear(w, s)\ny = Add(x, v)\n")
	for _, c := range []struct {
		name  string
		model *graphops.Model
		set   func(*Auto)
		err   string
		usage bool
	}{
		{"no target", m, func(s *Auto) { s.Targets = nil }, "--target: is required", true},
		{"no error", m, func(s *Auto) { s.Targets = []string{"size<=30%"} }, "no target limits the error", true},
		{"an output that does not exist", m, func(s *Auto) { s.Targets = []string{"snr:z>=3dB"} }, `no output is named "z"`, false},
		{"static without data", m, func(s *Auto) { s.Types = []string{"static"} }, "needs samples", true},
		{"gptq without data", m, func(s *Auto) { s.Quant.Method = "gptq" }, "needs samples", true},
		{"point without a file", m, func(s *Auto) { s.Point = 1 }, "--point: has an effect only", true},
		{"standard output", m, func(s *Auto) { s.Out = "-" }, "name a file", true},
		{"an unknown node", m, func(s *Auto) { s.Quant.Exclude = []string{"fc7"} }, `"fc7"`, false},
		{"an unknown choice", m, func(s *Auto) { s.Choose = []string{"fc7=dynamic"} }, `"fc7"`, false},
		{"a choice without weights", m, func(s *Auto) { s.Choose = []string{"r0=dynamic"} }, "cannot be quantized", false},
		{"two choices", m, func(s *Auto) { s.Choose = []string{"fc0=dynamic", "fc0=float16"} }, "is dynamic", false},
		{"only a Relu", m, func(s *Auto) { s.Quant.OpTypes = []string{"Relu"} }, "leave", false},
		{"no weights", nothing, func(*Auto) {}, quant.ErrNothing.Error(), false},
		{"quantized already", done, func(*Auto) {}, quant.ErrNothing.Error(), false},
		{"no data", m, func(s *Auto) { s.Quant.Data = "nothing.npz" }, "nothing.npz", false},
		{"a time that is too short", m, func(s *Auto) { s.Timeout = 1 }, "--timeout 1ns has passed before", false},
	} {
		s := auto("snr>=25dB")
		c.set(s)
		out, err := s.Run(t.Context(), env, c.model)
		var usage session.UsageError
		if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") || errors.As(err, &usage) != c.usage {
			t.Errorf("%s: %v, %v, expected an error with %q", c.name, out.Report, err, c.err)
		}
	}
}

// TestPlanned lists what can be chosen and runs nothing.
func TestPlanned(t *testing.T) {
	r, err := auto("snr>=25dB").Planned(t.Context(), session.Env{Progress: func(session.Progress) {}}, layered(t, plain, 3, -1, rand.New(rand.NewPCG(9, 5))))
	if err != nil || len(r.Nodes) != 3 || r.Trials != 0 || r.Original == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil || !strings.Contains(b.String(), "nothing was tried yet") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
