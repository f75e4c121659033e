package quantization

import (
	"context"
	"errors"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/half"
	"lathe/graphops/quant"
	"lathe/graphops/quant/static"
	"lathe/graphops/simplify"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/calibrate"
)

// Draft reports what the step would do to a model. It reads no weights and runs nothing. It does
// not include what only a run shows, such as values that float16 cannot represent. A quick draft
// may leave out the slowest part.
func (s *Quantization) Draft(ctx context.Context, m *graphops.Model, quick bool) (*quant.Draft, error) {
	return s.precision().draft(s, ctx, m, quick)
}

// staticDraft simplifies the model without a runtime, as the step does before it calibrates. If no
// ranges are stored yet, it assumes some.
func (s *Quantization) staticDraft(ctx context.Context, original *graphops.Model, _ bool) (*quant.Draft, error) {
	o, err := s.staticOptions()
	if err != nil {
		return nil, err
	}
	how, err := s.calibrationOptions()
	if err != nil {
		return nil, err
	}
	m := original
	if !s.NoPreprocess {
		if m, _, err = simplify.Simplify(ctx, original, simplify.Options{MaxGrowth: simplify.DefaultMaxGrowth}); err != nil {
			return nil, err
		}
	}
	carried, values, err := static.Wanted(ctx, m, o)
	if err != nil {
		return nil, err
	}
	table, err := s.keptRanges(carried, values, how.Method)
	if err != nil {
		return nil, err
	}
	d, err := static.Draft(ctx, m, table, o)
	if err != nil || m == original {
		return d, err
	}
	d.Elsewhere = true // whatever the draft says of the simplified model
	d.Before, err = graphops.SavedSize(original, graphops.SaveOptions{})
	return d, err
}

func (s *Quantization) float16Draft(ctx context.Context, m *graphops.Model, _ bool) (*quant.Draft, error) {
	return s.halfDraft(ctx, m, tensor.F16)
}

func (s *Quantization) bfloat16Draft(ctx context.Context, m *graphops.Model, _ bool) (*quant.Draft, error) {
	return s.halfDraft(ctx, m, tensor.BF16)
}

func (s *Quantization) halfDraft(ctx context.Context, m *graphops.Model, to tensor.DType) (*quant.Draft, error) {
	o, err := s.halfOptions()
	if err != nil {
		return nil, err
	}
	return half.Draft(ctx, m, to, o)
}

// Spread returns the distribution of a value over the data, and the range that each calibration
// method would choose. Without data, it returns the stored range.
func (s *Quantization) Spread(ctx context.Context, env session.Env, m *graphops.Model, value string) (found *calibrate.Spread, err error) {
	chosen, err := s.calibrationOptions()
	if err != nil {
		return nil, err
	}
	if s.Data == "" {
		return s.keptSpread(m, value, chosen.Method)
	}
	data, load, err := s.sampling(env, m)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	return calibrate.SpreadOf(ctx, m, value, data, load, func(method calibration.Method) calibrate.Options {
		o := calibrate.Defaults(method)
		if method == chosen.Method {
			o = chosen
		}
		return heardBy(env, o, string(method))
	})
}

func (s *Quantization) keptSpread(m *graphops.Model, value string, method calibration.Method) (*calibrate.Spread, error) {
	table, err := s.keptRanges(m, []string{value}, method)
	if err != nil {
		return nil, err
	}
	if table == nil {
		return nil, session.UsageError("the values of an activation need samples: give --data FILE, or --ranges FILE for the range only")
	}
	out := &calibrate.Spread{Value: value, Ranges: map[calibration.Method]calibration.Range{}, Without: map[calibration.Method]string{}}
	if c, ok := table.Tensors[value]; ok {
		out.Ranges[method] = c.Range
	} else {
		out.Without[method] = table.LeftOut[value]
	}
	return out, nil
}
