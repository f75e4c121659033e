package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/runtime"
	"lathe/session/text"
)

// timed is a session that times nodes.
type timed struct {
	runtime.Loaded
	// optimized is the graph that the runtime made of the model; nil if it is not known.
	optimized *graphops.Model
	// waits is the graph that runs, if it is the optimized one with waits for the device.
	waits *profile.Waits
	clock profile.Clock // what the times include; "" if the nodes show it
}

// runs returns the graph that the session runs, as far as it is known. m is the model.
func (t timed) runs(m *graphops.Model) *graphops.Model {
	switch {
	case t.waits != nil:
		return t.waits.Model
	case t.optimized != nil:
		return t.optimized
	}
	return m
}

// timed loads the model with profiling. On a provider that only starts work on its device, the
// runtime also waits for the device after each node: by a setting of the provider if it has one,
// and otherwise by nodes that Lathe adds to the optimized graph.
func (s *Profile) timed(ctx context.Context, env session.Env, m *graphops.Model, o runtime.Execution, feeds graphops.Feeds, r *profileReport) (timed, error) {
	t, err := s.dumped(ctx, env, m, o, r)
	if err != nil || !ep.IsAsynchronous(r.Provider) {
		return t, err
	}
	if p, _ := ep.Find(r.Provider); len(p.Blocking) > 0 {
		t.clock = profile.ClockWaits
		return t, nil
	}
	if t.optimized == nil {
		return t, nil // a note says why
	}
	waiting, err := s.waiting(ctx, env, o, feeds, t)
	if err = errors.Join(err, t.Close()); ctx.Err() != nil {
		return t, err
	}
	if err == nil && waiting.Loaded != nil {
		return waiting, nil
	}
	if err != nil {
		r.Notes = append(r.Notes, "the graph with waits for the device cannot be run: "+err.Error())
	}
	return s.dumped(ctx, env, m, o, r) // a session cannot time nodes again after its profile was read
}

// dumped loads the model with profiling, together with the graph that runs. Providers that compile
// parts of the graph cannot return it.
func (s *Profile) dumped(ctx context.Context, env session.Env, m *graphops.Model, o runtime.Execution, r *profileReport) (timed, error) {
	env.Progress(session.Progress{Phase: "loading with a profile"})
	o.Profile, o.Dump, o.Wait = true, true, true
	l, err := env.Runtime.Load(ctx, m, o)
	if err == nil {
		optimized, err := l.Optimized(ctx)
		if err == nil {
			return timed{Loaded: l, optimized: optimized}, nil
		}
		r.Notes = append(r.Notes, "nodes are matched by name only: "+err.Error())
		return timed{Loaded: l}, ctx.Err()
	}
	if ctx.Err() != nil {
		return timed{}, err
	}
	r.Notes = append(r.Notes, "nodes are matched by name only, because the runtime does not report the graph that it runs: "+err.Error())
	o.Dump = false
	l, err = env.Runtime.Load(ctx, m, o)
	return timed{Loaded: l}, err
}

// waiting loads the optimized graph with waits for the device. Which nodes need them is read from a
// run of t. The result has no session if none does.
func (s *Profile) waiting(ctx context.Context, env session.Env, o runtime.Execution, feeds graphops.Feeds, t timed) (timed, error) {
	env.Progress(session.Progress{Phase: "finding the nodes on the device"})
	if err := t.Bind(ctx, feeds, binding); err != nil {
		return timed{}, err
	}
	if _, err := t.Block(ctx, 1, time.Hour); err != nil {
		return timed{}, err
	}
	trace, err := readTrace(ctx, t, io.Discard, func(r io.Reader) (*profile.Trace, error) { return profile.Read(r, 0) })
	if err != nil {
		return timed{}, err
	}
	w := profile.WithWaits(t.optimized, trace, feeds)
	if w == nil {
		return timed{}, nil
	}
	env.Progress(session.Progress{Phase: "loading with waits for the device"})
	o.Profile, o.Opt, o.Parallel, o.InterThreads = true, "disable", false, 0
	l, err := env.Runtime.Load(ctx, w.Model, o)
	if err != nil {
		return timed{}, err
	}
	if f := l.Facts(); f.Provider != t.Facts().Provider {
		return timed{}, errors.Join(fmt.Errorf("%s runs it", f.Provider), refusal(f.Refused), l.Close())
	}
	return timed{Loaded: l, optimized: t.optimized, waits: w}, nil
}

// refusal returns why providers of a chain were not used.
func refusal(list []ort.Refusal) error {
	var all error
	for _, r := range list {
		all = errors.Join(all, fmt.Errorf("%s: %s", r.Provider, r.Reason))
	}
	return all
}

// read reads the trace, and writes it to the file of --save-trace if there is one.
func (s *Profile) read(ctx context.Context, t timed, skip int) (*profile.Trace, error) {
	parse := func(r io.Reader) (*profile.Trace, error) {
		if t.waits != nil {
			return profile.ReadWaits(r, skip, t.waits)
		}
		trace, err := profile.Read(r, skip)
		if trace != nil {
			trace.Clock = t.clock
		}
		return trace, err
	}
	if s.Trace == "" {
		return readTrace(ctx, t, io.Discard, parse)
	}
	var trace *profile.Trace
	err := graphops.WriteFile(ctx, s.Trace, graphops.WriteOptions{Overwrite: s.Force}, func(w io.Writer) (err error) {
		trace, err = readTrace(ctx, t, w, parse)
		return err
	})
	return trace, err
}

// moved says how many nodes run on another provider because of the waits, or returns "".
func (t timed) moved(trace *profile.Trace) string {
	if t.waits == nil {
		return ""
	}
	moved := t.waits.Moved(trace)
	if moved == 0 {
		return ""
	}
	return fmt.Sprintf("on another provider than in a run without waits for the device: %s", text.Plural(moved, "node"))
}

// readTrace ends the profile of a session, parses it and copies it to keep.
func readTrace(ctx context.Context, l runtime.Loaded, keep io.Writer, parse func(io.Reader) (*profile.Trace, error)) (*profile.Trace, error) {
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := l.EndProfile(ctx, io.MultiWriter(keep, out))
		_ = out.CloseWithError(err) // never fails
		done <- err
	}()
	t, err := parse(in)
	_ = in.CloseWithError(errors.Join(err, io.ErrClosedPipe)) // stops the writer if reading failed
	if sent := <-done; err == nil {
		err = sent
	}
	return t, err
}
