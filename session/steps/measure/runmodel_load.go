package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/reporting"
	"lathe/session/runtime"
	"lathe/session/text"
)

// loadedPart is a model in a worker, or the part of a model that computes requested values.
type loadedPart struct {
	runtime.Loaded
	feeds       graphops.Feeds // the inputs that it needs
	opt, optWhy string         // the optimization level, and why if it was not requested
	placement   *ort.Placement // nil on the CPU unless requested
	idle        []string       // notes about providers that run no node
}

// takes reports whether the loaded model has an input of this name.
func (l *loadedPart) takes(input string) bool {
	_, ok := l.feeds[input]
	return ok
}

// needed returns the inputs that a part of the model takes.
func needed(fed []inputs.Fed, takes func(input string) bool) []inputs.Fed {
	return reporting.OrEmpty(slices.DeleteFunc(slices.Clone(fed), func(f inputs.Fed) bool { return !takes(f.Name) }))
}

// whyUnoptimized says why a part that computes requested values is not optimized.
const whyUnoptimized = "fusions could remove or change the requested values; --opt sets another level"

// load loads the model, or the part of it that computes the requested values. Such a part is not
// optimized unless a level is given: an output between nodes that would be fused prevents the
// fusion, which changes other values.
func (s *RunModel) load(ctx context.Context, env session.Env, m *graphops.Model, feeds graphops.Feeds) (*loadedPart, error) {
	o, err := s.Value(env)
	if err != nil {
		return nil, err
	}
	o.Placement = s.Where
	l := &loadedPart{feeds: feeds}
	if len(s.Values) > 0 {
		if m, err = runtime.Expose(m, s.Values); err != nil {
			return nil, err
		}
		l.feeds = runtime.FeedsOf(m, feeds)
		if o.Opt == "" {
			o.Opt, l.optWhy = ort.OptimizeDisable.String(), whyUnoptimized
		}
	}
	l.opt = cmp.Or(o.Opt, ort.OptimizeAll.String())
	env.Progress(session.Progress{Phase: "loading"})
	w, err := flags.Load(ctx, env.Runtime, m, o)
	if err != nil {
		return nil, err
	}
	l.Loaded, l.placement, l.idle = w.Loaded, w.Placement, w.Notes
	return l, nil
}

// withFed adds to an error the file in which the inputs of the run are saved.
func (s *RunModel) withFed(err error) error {
	if s.SaveInputs == "" {
		return err
	}
	return fmt.Errorf("%w; its inputs are in %s", err, text.Clean(s.SaveInputs))
}
