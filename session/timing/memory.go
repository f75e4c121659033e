package timing

import (
	"context"
	"time"

	"lathe/bench"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/runtime"
)

// The memory of a worker is read several times, at most memoryLooks times. Between two readings the
// model runs for memoryBlock or memoryRuns times, whichever ends first. The memory is steady if it
// did not grow from one reading to the next.
const (
	memoryBlock = 30 * time.Millisecond
	memoryRuns  = 100
	memoryLooks = 3 * bench.GrowthLooks
)

// memory loads a target in a new worker, which does nothing else, and measures its memory.
func (t *Subject) memory(ctx context.Context, env session.Env) (*bench.Memory, error) {
	how := t.how
	how.Placement = false
	l, err := env.Runtime.Load(ctx, t.Model, how)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }() // the readings are complete, or there is another error
	m := &bench.Memory{}
	if m.Load, err = memoryOf(ctx, l); err != nil {
		return nil, err
	}
	if err := l.Bind(ctx, t.feeds, t.unqueued()); err != nil {
		return nil, err
	}
	if _, err := l.Block(ctx, 1, time.Nanosecond); err != nil {
		return nil, err
	}
	if m.FirstRun, err = memoryOf(ctx, l); err != nil {
		return nil, err
	}
	if name := l.Facts().Provider; ep.IsAsynchronous(name) && m.FirstRun.Device == nil && m.FirstRun.Driver == nil {
		m.Silent = name
	}
	return m, untilSteady(ctx, l, m, func(runs int) (int, error) {
		times, err := l.Block(ctx, runs, memoryBlock)
		return len(times), err
	})
}

// untilSteady calls run, which makes up to a number of runs and returns how many it made, until the memory of the process does not grow from one reading to the
// next. If that does not happen within memoryLooks readings, it notes how fast the memory grows.
func untilSteady(ctx context.Context, l runtime.Loaded, m *bench.Memory, run func(runs int) (int, error)) error {
	looks := []bench.MemoryUse{m.FirstRun}
	runs := memoryRuns
	for range memoryLooks {
		made, err := run(runs)
		if err != nil {
			return err
		}
		m.Runs += made
		runs = max(made, 1) // the same number in every block
		use, err := memoryOf(ctx, l)
		if err != nil {
			return err
		}
		before := looks[len(looks)-1]
		looks = append(looks, use)
		m.Steady = use
		if use.Resident == nil || before.Resident == nil || *use.Resident <= *before.Resident && len(looks) > 2 {
			return nil
		}
	}
	m.Growth = bench.Grows(looks, runs)
	return nil
}

// memoryOf returns how much memory the process of a worker uses now.
func memoryOf(ctx context.Context, l runtime.Loaded) (bench.MemoryUse, error) {
	use, err := l.Memory(ctx)
	out := bench.MemoryUse{Resident: use.Resident, Peak: use.Peak}
	if err != nil {
		return out, err
	}
	for _, a := range use.Allocators {
		taken, ok := a.Statistics["TotalAllocated"]
		switch {
		case !ok:
		case a.Memory == "Cpu":
			out.Arena = &taken
		default:
			out.Device = &taken
			if peak, ok := a.Statistics["MaxInUse"]; ok {
				out.DevicePeak = &peak
			}
		}
	}
	if l.Facts().Provider == ep.CPU {
		return out, nil
	}
	state, err := l.Machine(ctx)
	for _, g := range state.Counters.GPUs {
		if g.Own != nil && (out.Driver == nil || *g.Own > *out.Driver) {
			out.Driver = g.Own
		}
	}
	return out, err
}

// bindingOf returns where the inputs and outputs of timed runs are kept, and how runs are started.
// If several models take turns, Settle is set: a run then ends only when all threads of the model
// are idle. Otherwise work after a run would count as time of the next model.
func (s *Benchmark) bindingOf() ort.Binding {
	return ort.Binding{
		OutputsOnDevice: !s.WithCopies, CopyInputs: s.WithCopies, Lanes: int(s.Concurrency),
		Settle: s.several() || len(s.Models) > 1, Rate: s.Rate, Seed: s.Seed,
	}
}
