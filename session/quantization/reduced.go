package quantization

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/sides"
	"lathe/session/text"
)

// reducedRange is the result of a quantization that leaves one bit of the weights unused.
type reducedRange struct {
	compare.Judged
	Headline string        `json:"headline"`
	SNR      tensor.Number `json:"snr_db"` // the smallest of all outputs
}

// tryReduced quantizes again with --reduce-range and compares the result, if the trial shows that
// integer sums on the CPU saturate. The result that is written stays as requested.
func (s *Quantization) tryReduced(ctx context.Context, env session.Env, m *graphops.Model, r *Report) error {
	t := r.Trial
	if t == nil || t.Validation == nil || t.Validation.Saturation == nil || t.Validation.Saturation.Side != "b" || s.ReduceRange {
		return nil
	}
	env.Progress(session.Progress{Phase: "trying --reduce-range"})
	again := *s
	again.ReduceRange = true
	other := &trialReport{OnData: t.OnData}
	result, _, err := again.Quantize(ctx, env, m)
	if err == nil {
		_, _, err = again.judge(ctx, env, m, result, other)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.Warnings = append(r.Warnings, "--reduce-range was tried, because some int8 sums overflow on this CPU: "+err.Error())
		return nil
	}
	if v := other.Validation; v != nil {
		t.Reduced = &reducedRange{Judged: v.Judged, Headline: v.Headline}
		if least := sides.LeastSignal(v.Report); least != nil {
			t.Reduced.SNR = tensor.Number(sides.SignalOf(least))
		}
	}
	return nil
}

// saturates is the line about sums that saturate, or "" if they do not.
func (t *trialReport) saturates() string {
	if t.Validation == nil || t.Validation.Saturation == nil || t.Reduced == nil {
		return ""
	}
	found := t.Validation.Saturation
	return fmt.Sprintf("some int8 sums overflow on this CPU, which lacks VNNI instructions: output %q has %s; with --reduce-range %s", text.Clean(found.Output), compare.Decibels(float64(found.SNR)), compare.Decibels(float64(t.Reduced.SNR)))
}
