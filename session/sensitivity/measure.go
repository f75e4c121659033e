package sensitivity

import (
	"context"
	"errors"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/quantization"
	"lathe/session/runtime"
	"lathe/session/trial"
)

// meter measures nodes one by one against the outputs of the original.
type meter struct {
	env   session.Env // its progress is that of the list
	mode  quantization.Quantization
	how   runtime.Execution
	model *graphops.Model
	on    *Reference
	time  bool
	of    flags.Feeding // the inputs for measuring the time
}

// layer measures a node. What fails is noted in the layer; the error is that of the context.
func (m *meter) layer(ctx context.Context, l *Layer) error {
	err := m.tried(ctx, l)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		l.Failed = Reason(err)
	}
	return nil
}

// Reason returns why a result could not be measured, without the name of the model, which is the same in
// all rows.
func Reason(err error) string {
	var failed *runtime.Failure
	if errors.As(err, &failed) {
		return failed.Reason()
	}
	return err.Error()
}

// errAlone is why a node cannot be measured whose neighbours would have to be quantized too, or that the
// ranges of its values exclude.
var errAlone = errors.New("there is nothing to quantize if only this node may change")

func (m *meter) tried(ctx context.Context, l *Layer) error {
	step := m.mode
	step.Include, step.Exclude = []string{l.name}, nil
	quiet := m.env
	quiet.Progress = func(session.Progress) {} // the node alone is the progress of the list
	result, _, err := step.Quantize(ctx, quiet, m.model)
	if errors.Is(err, quant.ErrNothing) {
		return errAlone
	}
	if err != nil {
		return err
	}
	files := &trial.Files{Of: m.model}
	defer files.Remove()
	if result, err = files.Runnable(ctx, quiet, result, l.bytes); err != nil {
		return err
	}
	if l.Cost == nil {
		if l.Cost, err = m.cost(ctx, result); err != nil {
			return err
		}
	}
	if m.time && l.Time == nil {
		l.Time, err = m.latency(ctx, quiet, result)
	}
	return err
}

// cost runs the result on all cases and compares its outputs.
func (m *meter) cost(ctx context.Context, result *graphops.Model) (*Cost, error) {
	var d Damage
	if err := m.on.Compare(ctx, m.env, result, m.how, m.mode.ResultConfig(), d.Add); err != nil {
		return nil, err
	}
	return d.Worst(), nil
}

// timeSeconds is how long the original and the result are measured for each node.
const timeSeconds = 1

func (m *meter) latency(ctx context.Context, env session.Env, result *graphops.Model) (*Time, error) {
	report, err := m.mode.Latency(ctx, env, m.of, quantization.Named{Model: m.model, Name: "original"}, quantization.Named{Model: result, Name: "quantized"}, timeSeconds)
	if err != nil {
		return nil, err
	}
	if len(report.Runs) != 2 || len(report.Comparisons) != 1 {
		return nil, errors.New("the time was not measured")
	}
	c := report.Comparisons[0]
	t := &Time{Original: tensor.Number(float64(report.Runs[0].P50)), P50: tensor.Number(float64(report.Runs[1].P50)), Ratio: tensor.Number(c.Centre()), Significant: c.Significant}
	if c.CI95 != nil {
		t.CI95 = &[2]tensor.Number{tensor.Number(float64(c.CI95[0])), tensor.Number(float64(c.CI95[1]))}
	}
	return t, nil
}
