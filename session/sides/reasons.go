package sides

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/runtime"
	"lathe/session/text"
)

// saturationReport reports that the CPU causes an error: it adds products of uint8 and int8 in 16
// bits, where sums saturate.
type saturationReport struct {
	Side   string        `json:"side"` // the side whose model is wrong for that reason
	Output string        `json:"output"`
	Case   string        `json:"case"`
	SNR    tensor.Number `json:"snr_db"`
	// Exact is the ratio with the same weights as uint8, which the CPU adds without saturation.
	Exact tensor.Number `json:"exact_snr_db"`
	Nodes int           `json:"nodes"` // nodes that multiply int8 weights
}

// Thresholds: when to test for saturation, and when it is the reason.
const (
	soundSNR      = 40 // dB; a result with 8 bits cannot be expected to be better
	saturationSNR = 6  // dB by which the output must improve: half of the error
)

// explainSaturation finds out whether saturation on the CPU causes an error. It takes the model
// that multiplies int8 weights, and runs it with the same weights as uint8, which do not saturate.
// It uses only the case with the largest error. If the error then becomes much smaller, saturation
// is the reason.
func explainSaturation(ctx context.Context, p *Pairing, cases []inputs.Case, o compare.Options, r *Report) error {
	worst := LeastSignal(r.Report)
	at := -1
	if worst != nil {
		at = slices.IndexFunc(cases, func(c inputs.Case) bool { return c.Name == worst.Case })
	}
	if at < 0 || SignalOf(worst) > soundSNR {
		return nil
	}
	for i, x := range p.Models {
		if x.session == nil || x.Side.Provider != ep.CPU || x.how.On != "" {
			continue
		}
		shifted, nodes, err := quant.Shifted(x.Model)
		if err != nil || nodes == 0 {
			continue // unreadable weights show nothing
		}
		if saturates, err := saturates(ctx, x); err != nil || !saturates {
			return err
		}
		exact, err := p.withModel(ctx, i, shifted, cases[at], o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || exact == nil {
			continue
		}
		k := slices.IndexFunc(exact.Outputs, func(out compare.OutputResult) bool { return out.Name == worst.Name })
		if k < 0 || !(SignalOf(&exact.Outputs[k]) >= SignalOf(worst)+saturationSNR) {
			continue
		}
		side := "b"
		if i < len(p.Models)-1 {
			side = "a"
		}
		r.Saturation = &saturationReport{side, worst.Name, worst.Case, tensor.Number(SignalOf(worst)), tensor.Number(SignalOf(&exact.Outputs[k])), nodes}
		return nil
	}
	return nil
}

// withModel compares one case with another model on one side.
func (p *Pairing) withModel(ctx context.Context, side int, m *graphops.Model, one inputs.Case, o compare.Options) (*compare.Report, error) {
	return p.with(ctx, map[int]func(*Executor){side: func(x *Executor) { x.Model = m }}, []inputs.Case{one}, o)
}

// with compares cases after changes to some sides, which it loads again.
func (p *Pairing) with(ctx context.Context, changes map[int]func(*Executor), cases []inputs.Case, o compare.Options) (*compare.Report, error) {
	a, b := p.A, p.B
	for i, change := range changes {
		x := *p.Models[i]
		x.session = nil
		change(&x)
		defer x.Close()
		if err := x.Load(ctx); err != nil {
			return nil, err
		}
		if i < len(p.Models)-1 {
			a = &x
		} else {
			b = &x
		}
	}
	o.NotRun, o.Failed, o.Findings, o.Patience = nil, nil, nil, 0
	return compare.Compare(ctx, a, b, cases, o, nil)
}

// LeastSignal returns the output with the lowest signal-to-noise ratio, or nil if none has one.
func LeastSignal(r *compare.Report) *compare.OutputResult {
	var least *compare.OutputResult
	for i := range r.Outputs {
		if o := &r.Outputs[i]; o.SNR != nil && o.Verdict != compare.Undecided && (least == nil || SignalOf(o) < SignalOf(least)) {
			least = o
		}
	}
	return least
}

// SignalOf returns the signal-to-noise ratio of an output in dB, -Inf if it is unknown.
func SignalOf(o *compare.OutputResult) float64 {
	if o.SNR == nil || math.IsNaN(float64(*o.SNR)) {
		return math.Inf(-1)
	}
	return float64(*o.SNR)
}

// products is a model whose output is a sum of products of activations and int8 weights.
const products = `<ir_version: 8, opset_import: ["":17]>
g (%s[4,64] x, int8[64,16] w) => (int32[4,16] y) { y = MatMulInteger(x, w) }`

// saturates reports whether the CPU, with the options of a side, loses part of a sum of products of uint8
// and int8.
func saturates(ctx context.Context, x *Executor) (bool, error) {
	return SumsSaturate(ctx, x.env, x.how, tensor.U8)
}

// SumsSaturate reports whether a session with these options loses part of the sum of the largest products
// of activations, of uint8 or int8, with int8 weights.
func SumsSaturate(ctx context.Context, env session.Env, how runtime.Execution, activations tensor.DType) (bool, error) {
	name, x, largest := "uint8", tensor.FromSlice(slices.Repeat([]uint8{math.MaxUint8}, 4*64), 4, 64), math.MaxUint8
	if activations == tensor.I8 {
		name, x, largest = "int8", tensor.FromSlice(slices.Repeat([]int8{math.MaxInt8}, 4*64), 4, 64), math.MaxInt8
	}
	m, err := onnxtext.Parse(fmt.Sprintf(products, name))
	if err != nil {
		return false, err
	}
	l, err := env.Runtime.Load(ctx, m, how)
	if err != nil {
		return false, err
	}
	defer func() { _ = l.Close() }() // the result is complete
	w := tensor.FromSlice(slices.Repeat([]int8{math.MaxInt8}, 64*16), 64, 16)
	got, err := runtime.RunWhole(ctx, l, graphops.Feeds{"x": graphops.TensorValue(x), "w": graphops.TensorValue(w)})
	if err != nil || len(got) != 1 {
		return false, err
	}
	sums, err := got[0].Value.Tensor.Int64s()
	return slices.ContainsFunc(sums, func(sum int64) bool { return sum != int64(64*largest*math.MaxInt8) }), err
}

// String says the reason and how to fix it in a line, safe to print. It is "" for nil.
func (s *saturationReport) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("some int8 sums of model %s overflow on this CPU, which lacks VNNI instructions: output \"%s\" has %s in case \"%s\", and would have %s with exact sums; "+
		"lathe quantize --reduce-range leaves one bit of the weights unused, so that no sum overflows", s.Side, text.Clean(s.Output), compare.Decibels(float64(s.SNR)), text.Clean(s.Case), compare.Decibels(float64(s.Exact)))
}

// cuda is the execution provider that multiplies f32 in TF32 by default, and useTF32 is its option
// for that.
const (
	cuda    = "cuda"
	useTF32 = "use_tf32"
)

// explainTF32 finds out whether TF32 causes a difference. On GPUs since Ampere, CUDA rounds f32
// factors to 10 bits of mantissa. It compares the failing cases again in f32; if all of them pass,
// TF32 is the reason.
func explainTF32(ctx context.Context, p *Pairing, cases []inputs.Case, o compare.Options, r *Report) error {
	failing := slices.DeleteFunc(slices.Clone(cases), func(c inputs.Case) bool {
		return !slices.ContainsFunc(r.Cases, func(got compare.CaseResult) bool { return got.Name == c.Name && got.Verdict == compare.Fail })
	})
	changes := map[int]func(*Executor){}
	for i, x := range p.Models {
		if providers := withoutTF32(x.how.Providers); providers != nil && x.Side.Provider == cuda {
			changes[i] = func(x *Executor) { x.how.Providers = providers }
		}
	}
	if len(failing) == 0 || len(changes) == 0 {
		return nil
	}
	exact, err := p.with(ctx, changes, failing, o)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.TF32 = err == nil && exact.Verdict == compare.Pass
	return nil
}

// withoutTF32 returns a chain of providers in which CUDA computes in f32 instead of TF32. It is nil if
// the chain has no CUDA, or sets that option itself.
func withoutTF32(chain []ort.Provider) []ort.Provider {
	at := slices.IndexFunc(chain, func(p ort.Provider) bool { return p.Name == cuda })
	if at < 0 {
		return nil
	}
	if _, said := chain[at].Options[useTF32]; said {
		return nil
	}
	out := slices.Clone(chain)
	out[at].Options = map[string]string{useTF32: "0"}
	maps.Copy(out[at].Options, chain[at].Options)
	return out
}

// TF32Reason says what to do if outputs differ only because of TF32.
const TF32Reason = "cuda multiplies f32 in TF32, which has 10 bits of mantissa: with --ep-option cuda.use_tf32=0 every output is within its tolerance"
