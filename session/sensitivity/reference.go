package sensitivity

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"maps"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/quantization"
	"lathe/session/runtime"
)

// Reference is an original that was run: its inputs and its outputs, with which results are compared.
type Reference struct {
	Cases inputs.Cases
	// All is not set if only the part of the data that fits in memory is used.
	All   bool
	Facts runtime.Facts
	want  [][]graphops.Got // for each case
}

// generatedCases is how many inputs are generated if there is no data.
const generatedCases = 3

// RunOriginal runs a model on the inputs of a quantization, or on the first samples rows of its data. If
// samples is 0, it uses all rows that fit in memory.
func RunOriginal(ctx context.Context, env session.Env, q *quantization.Quantization, samples int64, m *graphops.Model, how runtime.Execution) (*Reference, error) {
	env.Progress(session.Progress{Phase: "running the original"})
	of := q.Feeding
	all, err := of.WithinMemory(m)
	if err != nil {
		return nil, err
	}
	request, err := of.Request(m, generatedCases, 0)
	if err != nil {
		return nil, err
	}
	if samples > 0 && (request.Files.Samples == 0 || samples < request.Files.Samples) {
		request.Files.Samples, all = samples, true
	}
	out := &Reference{All: all}
	types := graphops.NamedTypes(m.Graph().FeedInputs())
	err = of.Fitted(ctx, env, m, types, request, 0, func(cases inputs.Cases) error {
		if len(cases.Cases) == 0 {
			return errors.New("there are no inputs to run the model on")
		}
		out.Cases = cases
		return out.run(ctx, env, m, how)
	})
	return out, err
}

// run runs the original on the cases.
func (r *Reference) run(ctx context.Context, env session.Env, m *graphops.Model, how runtime.Execution) error {
	r.want = nil
	loaded, err := env.Runtime.Load(ctx, m, how)
	if err != nil {
		return err
	}
	defer loaded.Close()
	r.Facts = loaded.Facts()
	for _, c := range r.Cases.Cases {
		got, err := runtime.RunWhole(ctx, loaded, c.Feeds)
		if err != nil {
			return err
		}
		r.want = append(r.want, got)
	}
	return nil
}

// Compare runs a result on the same inputs. It calls add with the outputs of the original and of the
// result for each case. config are entries of the session config that the result needs.
func (r *Reference) Compare(ctx context.Context, env session.Env, result *graphops.Model, how runtime.Execution, config []string, add func(want, got []graphops.Got) error) error {
	how.Config = maps.Clone(how.Config)
	for _, entry := range config {
		if how.Config == nil {
			how.Config = map[string]string{}
		}
		key, value, _ := strings.Cut(entry, "=")
		how.Config[key] = value
	}
	loaded, err := env.Runtime.Load(ctx, result, how)
	if err != nil {
		return err
	}
	defer loaded.Close()
	for i, c := range r.Cases.Cases {
		got, err := runtime.RunWhole(ctx, loaded, c.Feeds)
		if err != nil {
			return err
		}
		if err := add(r.want[i], got); err != nil {
			return err
		}
	}
	return nil
}

// Outputs returns what the original returned for each case.
func (r *Reference) Outputs() [][]graphops.Got { return r.want }

// Inputs says what the model was run on.
func (r *Reference) Inputs(q *quantization.Quantization) string {
	switch {
	case !r.All:
		return "the first part of the data, because all of it does not fit in memory"
	case q.Data != "":
		return "the data"
	}
	return fmt.Sprintf("generated inputs, seed %d", q.Seed)
}

// AddTo adds the inputs to a checksum, and the data of a quantization that they are only a part of,
// because methods that run on data then also use the rest.
func (r *Reference) AddTo(sum hash.Hash, q *quantization.Quantization) error {
	if err := hashCases(sum, r.Cases.Cases); err != nil {
		return err
	}
	if err := hashFile(sum, q.Ranges); err != nil || r.All {
		return err
	}
	return hashFile(sum, q.Data)
}
