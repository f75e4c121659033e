package sensitivity

import (
	"context"
	"errors"
	"maps"
	"strings"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/inputs"
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
	cases []inputs.Case
	want  [][]graphops.Got // the outputs of the original, for each case
	facts runtime.Facts
	time  bool
	of    flags.Feeding // the inputs for measuring the time
}

// original runs the model on the cases.
func (m *meter) original(ctx context.Context, cases inputs.Cases) error {
	m.cases, m.want = cases.Cases, nil
	loaded, err := m.env.Runtime.Load(ctx, m.model, m.how)
	if err != nil {
		return err
	}
	defer loaded.Close()
	m.facts = loaded.Facts()
	for _, c := range m.cases {
		got, err := runtime.RunWhole(ctx, loaded, c.Feeds)
		if err != nil {
			return err
		}
		m.want = append(m.want, got)
	}
	return nil
}

// layer measures a node. What fails is noted in the layer; the error is that of the context.
func (m *meter) layer(ctx context.Context, l *Layer) error {
	err := m.tried(ctx, l)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		l.Failed = reason(err)
	}
	return nil
}

// reason returns why a node could not be measured, without the name of the model, which is the same in
// all rows.
func reason(err error) string {
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
	how := m.how
	how.Config = maps.Clone(how.Config)
	for _, entry := range m.mode.ResultConfig() {
		if how.Config == nil {
			how.Config = map[string]string{}
		}
		key, value, _ := strings.Cut(entry, "=")
		how.Config[key] = value
	}
	loaded, err := m.env.Runtime.Load(ctx, result, how)
	if err != nil {
		return nil, err
	}
	defer loaded.Close()
	var d damage
	for i, c := range m.cases {
		got, err := runtime.RunWhole(ctx, loaded, c.Feeds)
		if err != nil {
			return nil, err
		}
		if err := d.add(m.want[i], got); err != nil {
			return nil, err
		}
	}
	return d.worst(), nil
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
