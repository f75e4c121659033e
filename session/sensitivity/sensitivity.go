package sensitivity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/quantization"
	"lathe/session/runtime"
)

// Sensitivity lists the nodes that a mode of quantization changes, with the error and the savings of
// each alone.
type Sensitivity struct {
	// Quant has the mode, its options, the data, and how models run.
	Quant    quantization.Quantization
	Mode     string
	Samples  int64
	Time     bool
	Estimate bool
	Timeout  time.Duration
	flags.Keeping
}

// defaultMode takes the most kinds of nodes of those that need no data.
const defaultMode = "dynamic"

func (s *Sensitivity) mode() string { return cmp.Or(s.Mode, defaultMode) }

// Name implements session.Command.
func (s *Sensitivity) Name() string { return "quantize sensitivity" }

// Options implements session.Command.
func (s *Sensitivity) Options() []session.Option {
	q := &s.Quant
	settings := session.Measuring(slices.Concat([]session.Option{
		session.Choice(&s.Mode, "mode", "quantize as the command lathe quantize `MODE` does", quantization.Modes()...).WithDefault(defaultMode).AsUsual(),
		session.Int(&s.Samples, "samples", "use only the first `N` rows or folders of --data", 1).WithDefault("all").AsUsual(),
	}, s.modeOptions())...)
	run := slices.DeleteFunc(q.How.Options(), func(o session.Option) bool {
		return !slices.Contains([]string{"ep", "ep-option", "threads", "custom-ops", "memory-limit"}, o.Name)
	})
	feeding := q.Feeding.Options()
	for _, list := range [][]session.Option{run, feeding} {
		for i, o := range list {
			if o.Name != "data" {
				list[i] = o.AsRare()
			}
		}
	}
	all := slices.Concat(settings, []session.Option{
		session.List(&q.OpTypes, "include-ops", "list only operator `OP`; repeat for several").WithDefault("those of --mode").Naming(session.NamesOp, "").AsRare(),
		session.List(&q.Include, "include", "list only node `NODE`; repeat for several").WithDefault("all").Naming(session.NamesNode, "").AsUsual(),
		session.List(&q.Exclude, "exclude", "do not list node `NODE`; repeat for several").Naming(session.NamesNode, "").AsUsual(),
		session.Switch(&s.Time, "time", fmt.Sprintf("also measure the latency with each node quantized, in turns with the original, up to %d s each", timeSeconds)).AsUsual(),
		session.Switch(&s.Estimate, "estimate", "only estimate the errors from the weights; run nothing").AsUsual(),
		session.Duration(&s.Timeout, "timeout", "stop measuring after this `TIME`, such as 5m, and report what was measured; the next run measures the rest").WithDefault("no limit").In(session.GroupRuntime).AsUsual(),
	}, feeding, run, s.Keeping.Options())
	return session.Foremost(all, "mode", "bits", "weight-type", "data", "samples", "include", "exclude", "include-ops", "time", "estimate", "timeout")
}

// Ahead implements session.Running.
func (s *Sensitivity) Ahead() (need runtime.Need, o runtime.Execution) {
	if !s.Estimate {
		need = runtime.NeedWorker
	}
	return need, runtime.Execution{MemoryLimit: s.Quant.How.MemoryLimit}
}

// List makes the list: it estimates, takes what is stored, and measures the rest. If the context ends, it
// returns both the report of what was measured and the error.
func (s *Sensitivity) List(ctx context.Context, env session.Env, m *graphops.Model) (*Report, error) {
	r, err := s.list(ctx, env, m)
	if err == nil || r != nil && ctx.Err() != nil {
		return r, err
	}
	return nil, session.InModel(m, err)
}

func (s *Sensitivity) list(ctx context.Context, env session.Env, m *graphops.Model) (*Report, error) {
	q, err := s.prepared()
	if err != nil {
		return nil, err
	}
	selectable, err := q.Selectable(ctx, env, m, !s.Estimate)
	if err != nil {
		return nil, err
	}
	c, err := estimated(ctx, env, q, selectable)
	if err != nil {
		return nil, err
	}
	r := newReport(s.mode(), c)
	if s.Estimate {
		return r.settle(), nil
	}
	limited, cancel := ctx, func() {}
	if s.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, s.Timeout)
	}
	defer cancel()
	err = s.measure(limited, env, q, m, c, r)
	switch {
	case ctx.Err() != nil:
		r.Stopped, err = "it was interrupted", ctx.Err()
	case err != nil && limited.Err() != nil:
		r.Stopped, err = fmt.Sprintf("--timeout %s has passed", s.Timeout), nil
	}
	return r.settle(), err
}

// prepared returns the quantization of one node, without the node.
func (s *Sensitivity) prepared() (*quantization.Quantization, error) {
	if err := s.checkOptions(); err != nil {
		return nil, err
	}
	q := s.Quant
	q.Mode, q.NoTrial, q.NoScan, q.KeepIO = s.mode(), false, true, true
	if s.Samples > 0 && s.Quant.Data == "" {
		return nil, session.UsageError("--samples: has an effect only with --data")
	}
	if q.Mode == "static" || q.Method == "gptq" {
		q.Samples = s.Samples
	}
	if q.Mode == "static" && q.Data == "" && q.Ranges == "" && !s.Estimate {
		return nil, session.UsageError("--mode static: needs samples to find the ranges of activations: --data FILE, or --ranges FILE that has them")
	}
	return &q, nil
}

// estimated returns the candidates with their estimates.
func estimated(ctx context.Context, env session.Env, q *quantization.Quantization, m *graphops.Model) (*candidates, error) {
	d, err := q.Draft(ctx, m, true)
	if err != nil {
		return nil, err
	}
	c := candidatesOf(m, d)
	if err := c.dropFollowers(ctx, q); err != nil {
		return nil, err
	}
	if len(c.layers) == 0 {
		return nil, nothing(d, c)
	}
	return c, c.estimate(ctx, roundingOf(q), func(done, total int64) {
		env.Progress(session.Progress{Phase: "estimating from the weights", Done: done, Total: total, Unit: "B"})
	})
}

// nothing is the error for a model without a node for the list.
func nothing(d *quant.Draft, c *candidates) error {
	if d.Nothing != "" {
		return fmt.Errorf("%w: %s", quant.ErrNothing, strings.TrimPrefix(d.Nothing, quant.ErrNothing.Error()+": "))
	}
	if len(c.leftOut) > 0 {
		x := c.leftOut[0]
		return fmt.Errorf("%w: node %q %s", quant.ErrNothing, x.Node, x.Reason)
	}
	return fmt.Errorf("%w: no node has an operator that the mode takes", quant.ErrNothing)
}

// measure measures what is not stored, and stores the list.
func (s *Sensitivity) measure(ctx context.Context, env session.Env, q *quantization.Quantization, opened *graphops.Model, c *candidates, r *Report) error {
	how, err := q.How.Value(env)
	if err != nil {
		return err
	}
	how.Reuse = true
	meter := &meter{env: env, mode: *q, how: how, model: c.model, time: s.Time, of: q.Feeding}
	if meter.on, err = RunOriginal(ctx, env, q, s.Samples, c.model, how); err != nil {
		return err
	}
	r.fed(s, meter.on)
	shelf, err := s.shelf(ctx, env, opened, meter)
	if err != nil {
		return err
	}
	r.Reused = shelf.take(ctx, c.layers)
	missing := slices.DeleteFunc(mostValuable(c.layers), func(l *Layer) bool { return !l.lacks(s.Time) })
	if len(missing) == 0 {
		return nil
	}
	undo, err := meter.keepRanges(env)
	if err != nil {
		return err
	}
	defer undo()
	for i, l := range missing {
		env.Progress(session.Progress{Phase: "measuring " + l.Node, Done: int64(i), Total: int64(len(missing)), Unit: "nodes"})
		if err = meter.layer(ctx, l); err != nil {
			break
		}
		r.New++
	}
	if r.New > 0 {
		r.Kept = shelf.keep(ctx, r)
	}
	return err
}
