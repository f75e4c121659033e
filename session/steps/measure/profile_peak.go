package measure

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/bench"
	"lathe/bench/profile"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/runtime"
)

// probeTime is how long a probe runs, though at least fewestRuns times.
const probeTime = 400 * time.Millisecond

// peaks finds out what limits each node, by comparing it with the peak performance of the machine.
// The peaks come from the cache, or are measured now.
func (s *Profile) peaks(ctx context.Context, env session.Env, o runtime.Execution, r *profileReport, trace *profile.Trace, subject profile.Subject) error {
	key, err := s.peakKey(ctx, env, o, r)
	if err != nil {
		return err
	}
	folder := ""
	if env.Cache != "" {
		folder = filepath.Join(env.Cache, "peaks")
	}
	p := profile.LoadPeak(folder, key)
	p.Threads = o.Threads
	doubtful := p.Busy || !p.Cached
	lacks := p.Lacks(r.Types())
	if s.Peaks == peaksAgain || p.Busy && !s.busy {
		lacks = (&profile.Peak{}).Lacks(r.Types())
	}
	explain := func(measured []string) error {
		if err := s.raise(ctx, env, o, r, p, measured); err != nil {
			return err
		}
		if len(measured) > 0 { // a slow value of a busy machine is replaced as soon as it is idle
			p.Busy = s.busy && doubtful
		}
		if len(measured) > 0 && folder != "" {
			if err := profile.StorePeak(ctx, folder, key, p); err != nil {
				r.Notes = append(r.Notes, "the peak performance of this machine is measured again next time: "+err.Error())
			}
		}
		subject.Peak = p
		r.Result = profile.Explain(trace, subject)
		return nil
	}
	if err := explain(lacks); err != nil {
		return err
	}
	if p.RaiseBy(r.Result) {
		if err := explain(nil); err != nil {
			return err
		}
	}
	beaten := r.Beaten()
	if len(beaten) == 0 {
		return nil
	}
	// If a node is faster than the measured peak, the machine was probably busy during that
	// measurement, so it is repeated. The speed of copying, whose name is "", is measured again
	// too.
	if err := explain(append(beaten, "")); err != nil {
		return err
	}
	if beaten = r.Beaten(); len(beaten) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("a node is faster than the measured peak of %s: it uses another algorithm than the one counted, or the machine was busy when the peak was measured", strings.Join(beaten, ", ")))
	}
	return nil
}

// raise measures the peak performance of the machine for each element type and raises the stored
// values. The name "" means copying. If a measurement fails, it adds a note to the report.
func (s *Profile) raise(ctx context.Context, env session.Env, o runtime.Execution, r *profileReport, p *profile.Peak, elems []string) error {
	for _, elem := range elems {
		env.Progress(session.Progress{Phase: "measuring this machine: " + cmp.Or(elem, "copy")})
		probes, err := profile.Probes(elem, r.Provider != ep.CPU)
		if err != nil {
			return err
		}
		for _, probe := range probes {
			us, err := s.probe(ctx, env, o, r.Provider, probe)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				r.Notes = append(r.Notes, "the peak performance of this machine is not known for "+cmp.Or(elem, "a copy")+": "+err.Error())
				break
			}
			p.Cached = false
			p.Raise(probe, us)
			if r.Provider != ep.CPU && us > profile.EnoughUS {
				break
			}
		}
	}
	return nil
}

// probe loads a small model that measures the machine, runs it repeatedly, and returns the shortest
// time of a run in microseconds.
func (s *Profile) probe(ctx context.Context, env session.Env, o runtime.Execution, provider string, probe *profile.Probe) (us float64, err error) {
	// The probe is one node, so options for the model's run, such as parallel execution, do not
	// apply.
	o.Opt, o.CustomOps, o.Parallel, o.InterThreads = "", nil, false, 0
	o.Send = o.On != ""
	for _, p := range o.Providers { // only the provider that ran the model
		if p.Name == provider {
			o.Providers = o.Providers[:0:0]
			o.Providers = append(o.Providers, p)
			break
		}
	}
	l, err := env.Runtime.Load(ctx, probe.Model, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := l.Bind(ctx, probe.Feeds, ort.Binding{OutputsOnDevice: true}); err != nil {
		return 0, err
	}
	times, err := l.Block(ctx, fewestRuns, time.Hour)
	if err != nil {
		return 0, err
	}
	more, err := l.Block(ctx, ort.MaxBlockRuns, probeTime)
	if err != nil {
		return 0, err
	}
	return float64(slices.Min(append(times, more...)).Nanoseconds()) / 1e3, nil
}

// peakKey returns the key under which a peak is stored. It has everything that the peak depends on.
func (s *Profile) peakKey(ctx context.Context, env session.Env, o runtime.Execution, r *profileReport) (profile.PeakKey, error) {
	e, err := flags.EnvironmentOf(ctx, env, o)
	if err != nil {
		return profile.PeakKey{}, err
	}
	key := profile.PeakKey{Machine: machineWords(e), Runtime: r.Version, Provider: r.Provider, Threads: o.Threads}
	for _, p := range o.Providers {
		if p.Name == r.Provider && len(p.Options) > 0 {
			said, err := json.Marshal(p.Options) // sorted by key
			if err != nil {
				return key, err
			}
			key.Options = string(said)
		}
	}
	return key, nil
}

// machineWords identifies a machine by properties that do not change from minute to minute.
func machineWords(e bench.Environment) string {
	words := e.OS + "/" + e.Arch
	if e.CPU != nil {
		words += " " + *e.CPU
	}
	if e.Cores != nil {
		words += fmt.Sprintf(" %d", *e.Cores)
	}
	if e.CPULimit != nil {
		words += fmt.Sprintf(", limited to %.2f", float64(*e.CPULimit))
	}
	return words
}
