package steps

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/layers"
)

// layering compares the values inside of two models, if it is asked for.
type layering struct {
	Layers        bool
	CompareMemory *int64
}

func (s *layering) options() []session.Option {
	return []session.Option{
		session.Switch(&s.Layers, "layers", "compare every value that the models share, and find the node that makes the error, on the case that is farthest off"),
		session.SizeFromZero(&s.CompareMemory, "compare-memory", "with --layers: how much memory values may take (`BYTES`, as 256M); a quarter of what is free without it"),
	}
}

// compare adds to a report what the layers of two models show.
func (s *layering) compare(ctx context.Context, env session.Env, how session.Execution, a, b *graphops.Model, cases []inputs.Case, r *ValidateReport, o layers.Options) error {
	on, closed, err := s.runner(env, how)
	if err != nil {
		return err
	}
	defer closed()
	worst := slices.IndexFunc(cases, func(c inputs.Case) bool { return c.Name == worstCase(r.Report) })
	if worst < 0 {
		return nil // no case ran: there is nothing to compare
	}
	o.Memory = s.memory()
	o.Progress = func(done, total int) {
		env.Progress(session.Progress{Phase: "comparing layers", Done: int64(done), Total: int64(total), Unit: "values"})
	}
	found, err := layers.Compare(ctx, on, a, b, cases[worst].Feeds, o)
	if err != nil {
		return fmt.Errorf("layers: %w", err)
	}
	r.layersReport = found.Report(cases[worst].Name)
	r.FirstDivergence = r.layersReport.First
	return nil
}

// runner runs models unoptimized, unless a level is asked for, and with little memory
// beside the values: what the runtime keeps for a next run is of no use here.
func (s *layering) runner(env session.Env, how session.Execution) (graphops.Runner, func(), error) {
	if how.Opt == "" {
		how.Opt = "disable"
	}
	how.NoArena, how.NoMemoryPattern = true, true
	config := map[string]string{"session.disable_prepacking": "1"}
	for k, v := range how.Config {
		config[k] = v
	}
	how.Config = config
	if w, ok := env.Runtime.(*session.Workers); ok {
		var env []string
		if s.memory() < frugalBelow {
			env = session.Frugal
		}
		on, err := w.Stay(how, env...)
		if err != nil {
			return nil, nil, err
		}
		return on, func() { _ = on.Close() }, nil // its answers are in hand
	}
	return env.Runtime, func() {}, nil
}

// frugalBelow is the memory below which time is spent to keep to it.
const frugalBelow = layers.DefaultMemory

// worstCase is the case of the output that is farthest off, else the first that ran.
func worstCase(r *compare.Report) string {
	for _, o := range r.Outputs {
		if !o.Pass {
			return o.Case
		}
	}
	for _, c := range r.Cases {
		if len(c.Outputs) > 0 {
			return c.Name
		}
	}
	if len(r.Cases) > 0 {
		return r.Cases[0].Name
	}
	return ""
}

// memory is what was asked for, else a quarter of what is free; 0 where nobody knows.
func (s *layering) memory() int64 {
	if s.CompareMemory != nil {
		return max(*s.CompareMemory, 1)
	}
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10 / 4
		}
	}
	return 0
}
