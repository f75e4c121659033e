package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/text"
)

// loadedPart is a model in a worker, or the part of one that makes the values asked
// for.
type loadedPart struct {
	session.Loaded
	feeds       graphops.Feeds // what it has inputs for
	opt, optWhy string         // the level of optimization, and why where nobody asked for it
	placement   *ort.Placement // nil on the CPU, unless asked for
	idle        string         // what a provider that took nothing is told of, or ""
}

// takes reports whether an input is one of what was loaded.
func (l *loadedPart) takes(input string) bool {
	_, ok := l.feeds[input]
	return ok
}

// needed are the inputs that a part of the model takes.
func needed(fed []inputs.Fed, takes func(input string) bool) []inputs.Fed {
	return orEmpty(slices.DeleteFunc(slices.Clone(fed), func(f inputs.Fed) bool { return !takes(f.Name) }))
}

// whyUnoptimized is the reason of values that are looked at.
const whyUnoptimized = "values are asked for by name, which fusions would swallow or change; --opt sets another level"

// load loads the model, or the part of it that makes the values asked for. That is
// not optimized unless it is asked for: an output in the midst of what the runtime
// would fuse keeps it from fusing, and other values change with it.
func (s *RunModel) load(ctx context.Context, env session.Env, m *graphops.Model, feeds graphops.Feeds) (*loadedPart, error) {
	o, err := s.value(env)
	if err != nil {
		return nil, err
	}
	o.Placement = s.Where || beyondCPU(o.Providers)
	l := &loadedPart{feeds: feeds}
	if len(s.Values) > 0 {
		if m, err = session.Expose(m, s.Values); err != nil {
			return nil, err
		}
		l.feeds = session.FeedsOf(m, feeds)
		if o.Opt == "" {
			o.Opt, l.optWhy = ort.OptimizeDisable.String(), whyUnoptimized
		}
	}
	l.opt = cmp.Or(o.Opt, ort.OptimizeAll.String())
	env.Progress(session.Progress{Phase: "loading"})
	if l.Loaded, err = env.Runtime.Load(ctx, m, o); err != nil {
		return nil, err
	}
	if err := s.place(ctx, m, l, o.Providers); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// place asks where the nodes run, where that is wanted or may not be where it was to be.
func (s *RunModel) place(ctx context.Context, m *graphops.Model, l *loadedPart, chain []ort.Provider) error {
	attached := l.Facts().Provider
	if !s.Where && attached == cpu {
		return nil
	}
	placement, err := l.Placement(ctx)
	if err != nil {
		return err
	}
	l.placement = &placement
	l.idle, err = idle(m, attached, chain, placement)
	return err
}

// withFed adds to a failure of the model where what it was fed can be read.
func (s *RunModel) withFed(err error) error {
	if s.SaveInputs == "" {
		return err
	}
	return fmt.Errorf("%w; what it was fed is in %s", err, text.Clean(s.SaveInputs))
}
