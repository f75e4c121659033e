//go:build cgo

package sides

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/orttest"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

const integers = `
opset ai.onnx 17
input x f32[n,8]
init s f32[] 0.004
init z u8[] 0
init t f32[] 0.01
init o i8[] 0
init w i8[8,2] 127 127 127 127 127 127 127 127 127 127 127 127 127 127 127 127
output y f32[n,2]
q = QuantizeLinear(x, s, z)
a = DequantizeLinear(q, s, z)
b = DequantizeLinear(w, t, o)
y = MatMul(a, b)`

// TestSaturation checks that saturating sums are named as the reason of an error if they are, and
// otherwise not.
func TestSaturation(t *testing.T) {
	exact := sessiontest.Env(t)
	saturating := exact
	saturating.Runtime = sessiontest.Saturating(exact.Runtime)
	path := savedModel(t, t.TempDir(), "integers.onnx", integers)
	for name, c := range map[string]struct {
		env  session.Env
		side string
	}{"saturating": {saturating, "a"}, "exact": {exact, ""}} {
		t.Run(name, func(t *testing.T) {
			if name == "exact" && !sessiontest.HasExactSums() {
				t.Skip("the sums of this processor saturate")
			}
			v := &Comparison{A: path, sides: sideOptions{B: []string{"opt=disable"}}}
			v.NoStore = true
			r, err := v.Run(t.Context(), c.env)
			if err != nil {
				t.Fatal(err)
			}
			report := r.Report.(*Report)
			switch s := report.Saturation; {
			case c.side == "" && s != nil:
				t.Errorf("an exact CPU is blamed: %s", s)
			case c.side == "":
			case s == nil || s.Side != c.side || s.Nodes != 1 || !(s.Exact > s.SNR+saturationSNR):
				t.Errorf("%+v, %s", s, report.Headline)
			case !strings.Contains(s.String(), "this CPU") || !strings.Contains(s.String(), "--reduce-range"):
				t.Error(s.String())
			}
		})
	}
}

// TestSaturationEmulated uses an emulator of a CPU with AVX2 and without VNNI.
func TestSaturationEmulated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	emulator, err := exec.LookPath("qemu-x86_64")
	if err != nil {
		t.Skip("there is no emulator of other CPUs")
	}
	env := sessiontest.Env(t)
	workers := env.Runtime.(*runtime.Workers)
	workers.Command = append([]string{emulator, "-cpu", "Haswell"}, workers.Command...)
	workers.Env = append(workers.Env, orttest.PlainProgram+"=") // another program would not be emulated
	v := &Comparison{A: savedModel(t, t.TempDir(), "integers.onnx", integers), sides: sideOptions{B: []string{"opt=disable"}}, caseOptions: caseOptions{Cases: []string{"seeds"}}}
	v.NoStore, v.Fill = true, "ones"
	r, err := v.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	if report := r.Report.(*Report); report.Saturation == nil || report.Pass {
		t.Errorf("%s; %+v", report.Headline, report.Saturation)
	}
}

// onGPU simulates a runtime with a GPU: outputs of the CPU with the relative error of TF32. If it
// is broken, the error is there without TF32 too.
type onGPU struct {
	runtime.Runtime
	broken bool
}

func (r onGPU) Load(ctx context.Context, m *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	chain := o.Providers
	o.Providers, o.Placement = nil, true
	l, err := r.Runtime.Load(ctx, m, o)
	if err != nil || len(chain) == 0 || chain[0].Name != cuda {
		return l, err
	}
	if chain[0].Options[useTF32] != "0" || r.broken {
		l = sessiontest.OtherNumbers{Loaded: l, Change: func(v float64) float64 { return v * (1 + 1.0/(1<<11)) }}
	}
	return cudaFacts{l}, nil
}

type cudaFacts struct{ runtime.Loaded }

func (l cudaFacts) Placement(ctx context.Context) (ort.Placement, error) {
	p, err := l.Loaded.Placement(ctx)
	for i := range p.Shares {
		p.Shares[i].Provider = cuda
	}
	for i := range p.Nodes {
		p.Nodes[i].Provider = cuda
	}
	return p, err
}

func (l cudaFacts) Facts() runtime.Facts {
	f := l.Loaded.Facts()
	f.Provider = cuda
	return f
}

// TestTF32 checks that TF32 is reported as the reason of a difference if the outputs are within
// tolerance in f32.
func TestTF32(t *testing.T) {
	path := savedModel(t, t.TempDir(), "gemm.onnx", "opset ai.onnx 17\ninput x f32[n,4]\ninit w f32[4,2] 1 -2 3 -4 5 -6 7 -8\noutput y f32[n,2]\ny = MatMul(x, w)")
	for name, c := range map[string]struct {
		broken     bool
		b          string
		pass, tf32 bool
	}{
		"TF32":             {false, "ep=cuda", false, true},
		"something else":   {true, "ep=cuda", false, false},
		"TF32 was allowed": {false, "ep-option=cuda.use_tf32=1", false, false},
		"f32 alone":        {false, "ep-option=cuda.use_tf32=0", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			env := sessiontest.Env(t)
			env.Runtime = onGPU{env.Runtime, c.broken}
			b := []string{c.b}
			if !strings.HasPrefix(c.b, "ep=") {
				b = append(b, "ep=cuda")
			}
			v := &Comparison{A: path, sides: sideOptions{B: b}}
			v.NoStore = true
			r, err := v.Run(t.Context(), env)
			if err != nil {
				t.Fatal(err)
			}
			report := r.Report.(*Report)
			if report.Pass != c.pass || report.TF32 != c.tf32 {
				t.Errorf("pass %v, because of TF32 %v: %s", report.Pass, report.TF32, report.Headline)
			}
			var out strings.Builder
			if err := report.WriteText(&out); err != nil || strings.Contains(out.String(), "--ep-option cuda.use_tf32=0") != c.tf32 {
				t.Errorf("%v: %s", err, out.String())
			}
		})
	}
}
