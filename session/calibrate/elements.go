package calibrate

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
)

// Elements runs the model on the samples and yields values of the main graph, which may be inputs, with
// their elements. It yields each value once for each sample, and holds those of one sample. Of the
// options, only TooMuch and Progress have an effect. It returns the number of runs.
func Elements(ctx context.Context, m *graphops.Model, values []string, samples Samples, load Loader, o Options, yield func(value string, v graphops.Value) error) (int64, error) {
	if samples.Len() == 0 {
		return 0, errNoSamples
	}
	e := &elements{ctx: ctx, samples: samples, load: load, o: o, inputs: map[string]bool{}, yield: yield, total: int64(samples.Len() * len(values))}
	for _, in := range m.Graph().FeedInputs() {
		e.inputs[in.Name()] = true
	}
	err := e.find(values, 0)
	return e.runs, err
}

// elements is one call of Elements.
type elements struct {
	ctx     context.Context
	samples Samples
	load    Loader
	o       Options
	inputs  map[string]bool
	yield   func(string, graphops.Value) error
	runs    int64
	// done counts the values that were yielded, of total.
	done, total int64
}

// find yields values of a sample and those after it. If they are too many for the memory, it yields one half
// after the other.
func (e *elements) find(values []string, from int) error {
	at, err := e.together(values, from)
	if err == nil || len(values) < 2 || e.ctx.Err() != nil || e.o.TooMuch == nil || !e.o.TooMuch(err) {
		return err
	}
	half := len(values) / 2
	if err := e.find(values[:half], at); err != nil {
		return err
	}
	return e.find(values[half:], at)
}

// together yields values of a sample and those after it. It returns the first sample that it did not finish.
func (e *elements) together(values []string, from int) (at int, err error) {
	made := slices.DeleteFunc(slices.Clone(values), func(name string) bool { return e.inputs[name] })
	var s Session
	if len(made) > 0 {
		if s, err = e.load(e.ctx, made); err != nil {
			return from, err
		}
		defer func() {
			if closing := s.Close(); err == nil {
				err = closing
			}
		}()
	}
	for at = from; at < e.samples.Len(); at++ {
		if err := e.ctx.Err(); err != nil {
			return at, err
		}
		sample, in, err := e.samples.Sample(at)
		if err != nil {
			return at, err
		}
		got, err := e.run(s, in, made)
		if err != nil {
			return at, fmt.Errorf("sample %s: %w", sample, err)
		}
		if err := e.pass(values, in, got); err != nil {
			return at + 1, fmt.Errorf("sample %s: %w", sample, err)
		}
	}
	return at, nil
}

// run returns what the model computes for a sample.
func (e *elements) run(s Session, in graphops.Feeds, made []string) (map[string]graphops.Value, error) {
	got := map[string]graphops.Value{}
	if len(made) == 0 {
		return got, nil
	}
	e.runs++
	return got, s.Run(e.ctx, in, graphops.Whole(made...), func(g graphops.Got) error {
		got[g.Name] = g.Value
		return nil
	})
}

// pass yields the values of a sample.
func (e *elements) pass(values []string, in graphops.Feeds, got map[string]graphops.Value) error {
	for _, name := range values {
		v, ok := got[name]
		if e.inputs[name] {
			v, ok = in[name]
		}
		if !ok {
			return fmt.Errorf("there is no value %q", name)
		}
		v, err := v.InMemory()
		if err != nil {
			return fmt.Errorf("value %q: %w", name, err)
		}
		if err := e.yield(name, v); err != nil {
			return err
		}
		e.done++
	}
	if e.o.Progress != nil {
		e.o.Progress(e.done*int64(e.samples.Len())/max(e.total, 1), int64(e.samples.Len()))
	}
	return nil
}
