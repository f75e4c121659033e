package quantization

import (
	"context"
	"fmt"
	"math"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/calibrate"
	"lathe/session/inputs"
	"lathe/session/runtime"
)

// apart is how far the seeds of inputs for calibration are from those of the inputs that results are
// compared on. Ranges that were found on the same inputs would make a result look better than it is.
const apart = 1000

// generatedSamples adapts generated inputs to the samples that package calibrate reads.
type generatedSamples []inputs.Case

// Len implements calibrate.Samples.
func (s generatedSamples) Len() int { return len(s) }

// Sample implements calibrate.Samples.
func (s generatedSamples) Sample(i int) (string, graphops.Feeds, error) {
	return s[i].Name, s[i].Feeds, nil
}

// calibrateGenerated finds ranges on generated inputs.
func (s *Quantization) calibrateGenerated(ctx context.Context, env session.Env, m *graphops.Model, values []string, o calibrate.Options) (found *calibrate.Result, cases int, err error) {
	how, err := s.How.Value(env)
	if err != nil {
		return nil, 0, err
	}
	if s.Seed > math.MaxInt64-apart {
		return nil, 0, session.UsageError(fmt.Sprintf("--seed %d: expected at most %d", s.Seed, int64(math.MaxInt64-apart)))
	}
	of := s.Feeding
	of.Seed += apart
	request, err := of.Request(m, s.Generated, 0)
	if err != nil {
		return nil, 0, err
	}
	load := func(ctx context.Context, values []string) (calibrate.Session, error) {
		return runtime.LoadPart(ctx, env.Runtime, m, values, how)
	}
	err = of.Fitted(ctx, env, m, graphops.NamedTypes(m.Graph().FeedInputs()), request, s.How.Timeout, func(made inputs.Cases) (err error) {
		cases = len(made.Cases)
		found, err = calibrate.Ranges(ctx, m, values, generatedSamples(made.Cases), load, heardBy(env, o, "calibrating on generated inputs"))
		return err
	})
	return found, cases, err
}
