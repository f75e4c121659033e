package steps

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
	"lathe/session/text"
)

// saturationReport tells that the CPU is the reason of an error: it adds products of uint8 and int8
// in 16 bits, where they saturate.
type saturationReport struct {
	Side   string        `json:"side"` // whose model is off for that reason
	Output string        `json:"output"`
	Case   string        `json:"case"`
	SNR    tensor.Number `json:"snr_db"`
	// Exact is the ratio if the same weights are uint8, which the CPU adds without saturating.
	Exact tensor.Number `json:"exact_snr_db"`
	Nodes int           `json:"nodes"` // that multiply int8 weights
}

// The figures that decide whether saturation is looked for, and whether it is the reason.
const (
	soundSNR      = 40 // dB; above it 8 bits leave as much as they can
	saturationSNR = 6  // dB that the output gains at least, half of the error
)

// explainSaturation finds out whether the CPU makes an error, on the case that is farthest off: the
// model that multiplies int8 weights is run with the same weights as uint8.
func explainSaturation(ctx context.Context, p *pairing, cases []inputs.Case, o compare.Options, r *ValidateReport) error {
	worst := leastSignal(r.Report)
	at := -1
	if worst != nil {
		at = slices.IndexFunc(cases, func(c inputs.Case) bool { return c.Name == worst.Case })
	}
	if at < 0 || signalOf(worst) > soundSNR {
		return nil
	}
	for i, x := range p.models {
		if x.session == nil || x.side.Provider != cpu || x.how.On != "" {
			continue
		}
		shifted, nodes, err := quant.Shifted(x.model)
		if err != nil || nodes == 0 {
			continue // weights that cannot be read show nothing
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
		if k < 0 || !(signalOf(&exact.Outputs[k]) >= signalOf(worst)+saturationSNR) {
			continue
		}
		side := "b"
		if i < len(p.models)-1 {
			side = "a"
		}
		r.Saturation = &saturationReport{side, worst.Name, worst.Case, tensor.Number(signalOf(worst)), tensor.Number(signalOf(&exact.Outputs[k])), nodes}
		return nil
	}
	return nil
}

// withModel compares one case with another model in the place of one side's.
func (p *pairing) withModel(ctx context.Context, side int, m *graphops.Model, one inputs.Case, o compare.Options) (*compare.Report, error) {
	return p.with(ctx, map[int]func(*executor){side: func(x *executor) { x.model = m }}, []inputs.Case{one}, o)
}

// with compares cases after changes to some of the sides, which are loaded anew.
func (p *pairing) with(ctx context.Context, changes map[int]func(*executor), cases []inputs.Case, o compare.Options) (*compare.Report, error) {
	a, b := p.a, p.b
	for i, change := range changes {
		x := *p.models[i]
		x.session = nil
		change(&x)
		defer x.close()
		if err := x.load(ctx); err != nil {
			return nil, err
		}
		if i < len(p.models)-1 {
			a = &x
		} else {
			b = &x
		}
	}
	o.NotRun, o.Failed, o.Findings, o.Patience = nil, nil, nil, 0
	return compare.Compare(ctx, a, b, cases, o, nil)
}

// leastSignal is the output with the least signal above its error, nil if none has a ratio.
func leastSignal(r *compare.Report) *compare.OutputResult {
	var least *compare.OutputResult
	for i := range r.Outputs {
		if o := &r.Outputs[i]; o.SNR != nil && o.Verdict != compare.Undecided && (least == nil || signalOf(o) < signalOf(least)) {
			least = o
		}
	}
	return least
}

func signalOf(o *compare.OutputResult) float64 {
	if o.SNR == nil || math.IsNaN(float64(*o.SNR)) {
		return math.Inf(-1)
	}
	return float64(*o.SNR)
}

// products is a sum of the largest products that there are of uint8 and int8: 64 × 255 × 127.
const (
	products = `<ir_version: 8, opset_import: ["":17]>
g (uint8[4,64] x, int8[64,16] w) => (int32[4,16] y) { y = MatMulInteger(x, w) }`
	sumOfProducts = 64 * 255 * 127
)

// saturates reports whether the CPU, as a side uses it, loses part of a sum of products.
func saturates(ctx context.Context, x *executor) (bool, error) {
	m, err := onnxtext.Parse(products)
	if err != nil {
		return false, err
	}
	l, err := x.env.Runtime.Load(ctx, m, x.how)
	if err != nil {
		return false, err
	}
	defer func() { _ = l.Close() }() // its answer is in hand
	a, b := make([]uint8, 4*64), make([]int8, 64*16)
	for i := range a {
		a[i] = math.MaxUint8
	}
	for i := range b {
		b[i] = math.MaxInt8
	}
	got, err := session.RunWhole(ctx, l, graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice(a, 4, 64)), "w": graphops.TensorValue(tensor.FromSlice(b, 64, 16))})
	if err != nil || len(got) != 1 {
		return false, err
	}
	sums, err := got[0].Value.Tensor.Int64s()
	return slices.ContainsFunc(sums, func(sum int64) bool { return sum != sumOfProducts }), err
}

// String tells the reason and the remedy in a line, safe to print; "" of none.
func (s *saturationReport) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("this CPU adds products of uint8 and int8 in 16 bits, where they saturate, as it has no VNNI: output \"%s\" has %s in case \"%s\", and %s with the int8 weights of %s as uint8; "+
		"lathe quantize --reduce-range leaves a bit of the weights unused and keeps sums within 16 bits", text.Clean(s.Output), compare.Decibels(float64(s.SNR)), text.Clean(s.Case), compare.Decibels(float64(s.Exact)), s.Side)
}

// cuda is the provider that multiplies f32 in TF32 by default, and useTF32 its option for that.
const (
	cuda    = "cuda"
	useTF32 = "use_tf32"
)

// explainTF32 finds out whether TF32 is why outputs differ. CUDA rounds f32 factors to 10 bits after
// the point on GPUs that have TF32, which are those since Ampere. The cases that fail are compared once
// more in f32; if they all pass, TF32 is the reason.
func explainTF32(ctx context.Context, p *pairing, cases []inputs.Case, o compare.Options, r *ValidateReport) error {
	failing := slices.DeleteFunc(slices.Clone(cases), func(c inputs.Case) bool {
		return !slices.ContainsFunc(r.Cases, func(got compare.CaseResult) bool { return got.Name == c.Name && got.Verdict == compare.Fail })
	})
	changes := map[int]func(*executor){}
	for i, x := range p.models {
		if providers := withoutTF32(x.how.Providers); providers != nil && x.side.Provider == cuda {
			changes[i] = func(x *executor) { x.how.Providers = providers }
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

// tf32Reason says what to do about outputs that differ by TF32 alone.
const tf32Reason = "cuda multiplies f32 in TF32, which has 10 bits after the point: with --ep-option cuda.use_tf32=0 every output is within its tolerance"
