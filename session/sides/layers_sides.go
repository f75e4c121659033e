package sides

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	"lathe/graphops"
	"lathe/graphops/adopt"
	"lathe/graphops/execution"
	"lathe/session"
	"lathe/session/layers"
	"lathe/session/runtime"
)

// layered is a side of a comparison by layers. Its inner values are computed and compared.
type layered struct {
	layers.Side
	name  string // "a" or "b"
	level string // optimization level of its graph, or ""
	ended func()
}

func (l *layered) close() {
	if l != nil && l.ended != nil {
		l.ended()
	}
}

// unoptimized is the level at which every value of the model still exists.
const unoptimized = "disable"

// sidesOf returns the sides of a pair. If both run in the same way, they share a worker.
func (s *layering) sidesOf(ctx context.Context, env session.Env, p *Pairing) (a, b *layered, err error) {
	last := p.Models[len(p.Models)-1]
	if b, err = s.side(ctx, "b", last); err != nil {
		return nil, b, err
	}
	first := p.Models[0]
	switch {
	case first == last:
		a, err = referenceSide(env, last)
	case first.env.Runtime == last.env.Runtime && reflect.DeepEqual(plainly(first.how), plainly(last.how)):
		var m *graphops.Model
		if m, err = graphOf(ctx, "a", first); err == nil {
			a = &layered{Side: layers.Side{Model: m, On: b.On}, name: "a", level: levelOf(first.how)}
		}
	default:
		a, err = s.side(ctx, "a", first)
	}
	return a, b, err
}

// Side returns a side that runs the graph of an executor without further optimization.
func (s *layering) side(ctx context.Context, name string, x *Executor) (*layered, error) {
	m, err := graphOf(ctx, name, x)
	if err != nil {
		return nil, err
	}
	on, ended, err := s.runner(x)
	return &layered{Side: layers.Side{Model: m, On: on}, name: name, level: levelOf(x.how), ended: ended}, err
}

// levelOf returns the requested optimization level, or "" for none.
func levelOf(how runtime.Execution) string {
	if how.Opt == unoptimized {
		return ""
	}
	return how.Opt
}

// graphOf returns the graph that a side runs. If an optimization level is requested, that is the
// optimized graph. Optimizing parts of the model would give other results, because a value that
// becomes an output prevents fusions.
func graphOf(ctx context.Context, name string, x *Executor) (*graphops.Model, error) {
	level := levelOf(x.how)
	optimizer, can := x.env.Runtime.(runtime.Optimizer)
	switch {
	case level == "":
		return x.Model, nil
	case !can:
		return nil, fmt.Errorf("side %s: opt=%s: the optimized graph is not available here", name, level)
	}
	made, err := optimizer.Optimize(ctx, x.Model, x.how)
	if err != nil {
		return nil, fmt.Errorf("side %s: the graph optimized at level %s: %w", name, level, err)
	}
	m, _, err := adopt.Model(ctx, x.Model, made.Model)
	if err != nil {
		return nil, fmt.Errorf("side %s: the values of the graph optimized at level %s cannot be read: %w", name, level, err)
	}
	return m, nil
}

// plainly returns options for running graphs without optimization and with little memory apart from
// the values. Memory that the runtime keeps for later runs is of no use here.
func plainly(how runtime.Execution) runtime.Execution {
	how.Opt, how.Placement, how.Progress = unoptimized, false, nil
	how.NoArena, how.NoMemoryPattern = true, true
	config := map[string]string{"session.disable_prepacking": "1"}
	maps.Copy(config, how.Config)
	how.Config = config
	return how
}

// runner returns a runner that runs graphs with the options of a side. It keeps one worker for all
// of them.
func (s *layering) runner(x *Executor) (execution.Runner, func(), error) {
	w, ok := x.env.Runtime.(*runtime.Workers)
	if !ok {
		return x.env.Runtime, nil, nil
	}
	on, err := w.Stay(plainly(x.how), runtime.Frugal(s.memory())...)
	if err != nil {
		return nil, nil, err
	}
	return on, func() { _ = on.Close() }, nil // its results are complete
}

// layeredNotes say to which graph the values belong, unless it is the graph of the file.
func layeredNotes(a, b *layered, unexplained bool) []string {
	var out []string
	for _, l := range []*layered{a, b} {
		if l.level != "" {
			out = append(out, fmt.Sprintf("the values of %s are those of its graph after the runtime's optimizations at level %s, each node run by itself; lathe optimize --opt %s writes that graph", l.name, l.level, l.level))
		}
	}
	if unexplained && a.level == "" && b.level == "" {
		out = append(out, "no value diverges without the runtime's optimizations, but an output does with them: --b opt=extended compares the optimized graph")
	}
	return out
}

// referenceSide returns the side of a comparison that computes in the reference evaluator of the onnx
// package, with the model of another side.
func referenceSide(env session.Env, of *Executor) (*layered, error) {
	on, err := newReferenceParts(env, of)
	if err != nil {
		return nil, err
	}
	return &layered{Side: layers.Side{Model: of.Model, On: on}, name: "a", ended: on.close}, nil
}
