package quantization

import (
	"context"
	"errors"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/nbits"
	"lathe/session"
	"lathe/session/calibrate"
)

// onData is the part of a report that says what a method of mode nbits learned from data.
type onData struct {
	Cases int   `json:"cases"`
	Runs  int64 `json:"runs"`
}

// activations returns a function that runs a model on the data for a method that needs it, or nil. It
// counts the runs in the second result.
func (s *Quantization) activations(env session.Env, o nbits.Options) (nbits.Activations, *onData, error) {
	switch {
	case o.Method != nbits.GPTQ:
		return nil, nil, nil
	case s.previewing && s.DataCommand != "":
		return nil, nil, errNotPreviewed
	case s.Data == "":
		return nil, nil, session.UsageError(fmt.Sprintf("--method %s: needs samples on which the model is run: --data FILE; the other methods need none", o.Method))
	}
	used := &onData{}
	return func(ctx context.Context, m *graphops.Model, values []string, yield func(string, int64, []float64) error) (err error) {
		data, load, err := s.sampling(env, m)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, data.Close()) }()
		used.Cases = data.Len()
		runs, err := calibrate.Elements(ctx, m, values, data, load, heardBy(env, calibrate.Options{}, "running the model on the data"), func(value string, v graphops.Value) error {
			last, rows, err := rowsOf(value, v)
			if err != nil {
				return err
			}
			return yield(value, last, rows)
		})
		used.Runs += runs
		return err
	}, used, nil
}

// rowsOf returns the numbers of a value and the length of its last axis.
func rowsOf(name string, v graphops.Value) (last int64, rows []float64, err error) {
	if !v.IsTensor() || !calibration.Takes(v.Tensor.DType) || len(v.Tensor.Shape) == 0 {
		return 0, nil, fmt.Errorf("value %q is %s, expected a tensor of float32 or float16 with an axis", name, v.Type)
	}
	rows, err = v.Tensor.Float64s()
	return v.Tensor.Shape[len(v.Tensor.Shape)-1], rows, err
}
