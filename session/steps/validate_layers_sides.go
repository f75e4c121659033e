package steps

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	"lathe/graphops"
	"lathe/graphops/adopt"
	"lathe/session"
	"lathe/session/layers"
)

// layered is a side whose values are compared.
type layered struct {
	layers.Side
	name  string // a or b
	level string // of the optimizations that made its graph, "" for none
	ended func()
}

func (l *layered) close() {
	if l != nil && l.ended != nil {
		l.ended()
	}
}

// unoptimized is the level that leaves every value where it can be seen.
const unoptimized = "disable"

// sidesOf are the sides of a pair. Where both run in the same way, they do in one worker.
func (s *layering) sidesOf(ctx context.Context, env session.Env, p *pairing) (a, b *layered, err error) {
	last := p.models[len(p.models)-1]
	if b, err = s.side(ctx, "b", last); err != nil {
		return nil, b, err
	}
	first := p.models[0]
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

// side runs the graph of an executor as it stands.
func (s *layering) side(ctx context.Context, name string, x *executor) (*layered, error) {
	m, err := graphOf(ctx, name, x)
	if err != nil {
		return nil, err
	}
	on, ended, err := s.runner(x)
	return &layered{Side: layers.Side{Model: m, On: on}, name: name, level: levelOf(x.how), ended: ended}, err
}

// levelOf is how far optimizations are asked for, "" for not at all.
func levelOf(how session.Execution) string {
	if how.Opt == unoptimized {
		return ""
	}
	return how.Opt
}

// graphOf is the graph that a side runs: of a level of optimizations, what they make of
// the model. Optimizing parts of it instead would not do: a value that is looked at is one
// that nothing is fused across.
func graphOf(ctx context.Context, name string, x *executor) (*graphops.Model, error) {
	level := levelOf(x.how)
	optimizer, can := x.env.Runtime.(session.Optimizer)
	switch {
	case level == "":
		return x.model, nil
	case !can:
		return nil, fmt.Errorf("side %s: opt=%s: the optimized graph is not available here", name, level)
	}
	made, err := optimizer.Optimize(ctx, x.model, x.how)
	if err != nil {
		return nil, fmt.Errorf("side %s: the graph optimized at level %s: %w", name, level, err)
	}
	m, _, err := adopt.Model(ctx, x.model, made.Model)
	if err != nil {
		return nil, fmt.Errorf("side %s: the values of the graph optimized at level %s cannot be read: %w", name, level, err)
	}
	return m, nil
}

// plainly runs graphs as they stand, with little memory beside the values: what the
// runtime keeps for a next run is of no use here.
func plainly(how session.Execution) session.Execution {
	how.Opt, how.Placement, how.Progress = unoptimized, false, nil
	how.NoArena, how.NoMemoryPattern = true, true
	config := map[string]string{"session.disable_prepacking": "1"}
	maps.Copy(config, how.Config)
	how.Config = config
	return how
}

// runner runs graphs as a side does, in a worker that stays.
func (s *layering) runner(x *executor) (graphops.Runner, func(), error) {
	w, ok := x.env.Runtime.(*session.Workers)
	if !ok {
		return x.env.Runtime, nil, nil
	}
	on, err := w.Stay(plainly(x.how), session.Frugal(s.memory())...)
	if err != nil {
		return nil, nil, err
	}
	return on, func() { _ = on.Close() }, nil // its answers are in hand
}

// layeredNotes tell what the values are of, where it is not the graphs of the files.
func layeredNotes(a, b *layered, unexplained bool) []string {
	var out []string
	for _, l := range []*layered{a, b} {
		if l.level != "" {
			out = append(out, fmt.Sprintf("the values of %s are those of the graph that the runtime's optimizations make of it at level %s, each node run as it stands; lathe optimize --opt %s writes that graph", l.name, l.level, l.level))
		}
	}
	if unexplained && a.level == "" && b.level == "" {
		out = append(out, "without the runtime's optimizations no value diverges, with them an output does: --b opt=extended compares the graph that they make")
	}
	return out
}

// referenceSide has the reference evaluator run a model, part by part.
func referenceSide(env session.Env, of *executor) (*layered, error) {
	on, err := newReferenceParts(env, of)
	if err != nil {
		return nil, err
	}
	return &layered{Side: layers.Side{Model: of.model, On: on}, name: "a", ended: on.close}, nil
}
