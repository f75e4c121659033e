package simplify

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

// DefaultMaxGrowth is the default for the growth of all constants together in bytes.
const DefaultMaxGrowth = 1 << 20

// Options are the options of Simplify.
type Options struct {
	// Without are passes to leave out, and With are optional passes to run, by name.
	Without, With []string
	// Runner computes the constants that depend on its rounding. Without one they are not
	// computed.
	Runner graphops.Runner
	// RunnerAhead, if set, is called once, early, if the Runner will most likely be needed, so
	// that it can start in the meantime.
	RunnerAhead func()
	// MaxGrowth is the maximum growth of all constants together in bytes.
	MaxGrowth int64
	// Heads and Hidden are the number of attention heads and the hidden size; 0 means to
	// determine them from the graph.
	Heads, Hidden int64
	// Progress, if set, is called with the current pass and the number of nodes.
	Progress func(pass string, nodes int)

	verify func(pass string, m *rewrite.Model)
}

// maxRounds limits how often the passes run. A model needs as many rounds as the longest chain
// of simplifications that depend on each other. Two passes that undo each other would never end.
const maxRounds = 1000

// Simplify simplifies a model. The error is that of ctx or of the Runner, or says that no
// runtime accepts the model.
func Simplify(ctx context.Context, m *graphops.Model, o Options) (*graphops.Model, *Report, error) {
	chosen, err := o.chosen()
	if err != nil {
		return nil, nil, err
	}
	graph, err := rewrite.Load(m)
	if err != nil {
		return nil, nil, err
	}
	j := &job{ctx: ctx, o: o, m: graph, passes: map[string]*PassReport{}, refused: map[refusal]bool{}, inexact: map[*rewrite.Node]error{}, verify: o.verify}
	r := &Report{}
	for _, p := range chosen {
		j.passes[p.name] = &PassReport{Pass: p.public()}
		r.Passes = append(r.Passes, j.passes[p.name])
	}
	j.tellNeeds(chosen)
	j.runnerAhead()
	defer j.measureAhead()()
	if err := j.settle(chosen); err != nil {
		return nil, nil, err
	}
	out := j.m.Store()
	if !r.Changed() {
		out = m
	}
	r.measure(m, out)
	r.Warnings = append(r.Warnings, j.warnings...)
	return out, r, nil
}

// chosen returns the passes to run.
func (o Options) chosen() ([]*pass, error) {
	for _, name := range slices.Concat(o.Without, o.With) {
		if find(name) == nil {
			return nil, fmt.Errorf("pass %q: there is no such pass", name)
		}
	}
	var out []*pass
	for _, p := range passes {
		if !slices.Contains(o.Without, p.name) && (!p.optional || slices.Contains(o.With, p.name)) {
			out = append(out, p)
		}
	}
	return out, nil
}

// tellNeeds warns about passes that will find little because the pass that they need does not
// run.
func (j *job) tellNeeds(chosen []*pass) {
	for _, p := range chosen {
		if p.needs != "" && j.passes[p.needs] == nil {
			j.warnOnce(fmt.Sprintf("pass %s looks for operators that pass %s creates, which does not run: it finds only those that the model already has", p.name, p.needs))
		}
	}
}

// settle runs the passes repeatedly until none finds anything. The optional passes, which look for
// large patterns, run when the others find nothing.
func (j *job) settle(chosen []*pass) error {
	var plain, optional []*pass
	for _, p := range chosen {
		if p.optional {
			optional = append(optional, p)
		} else {
			plain = append(plain, p)
		}
	}
	list := plain
	for range maxRounds {
		if err := j.round(list); err != nil {
			return err
		}
		switch {
		case j.changed:
			list = plain
		case len(list) > 0 && len(optional) > 0 && !list[0].optional:
			list = optional
		default:
			return nil
		}
	}
	return fmt.Errorf("the passes still change the model after %d rounds; the last one to change it was %s", maxRounds, j.now.Name)
}

func (j *job) round(list []*pass) error {
	j.changed = false
	if err := j.m.Infer(j.ctx); err != nil {
		return err
	}
	for _, p := range list {
		if j.o.Progress != nil {
			j.o.Progress(p.name, j.m.Count())
		}
		if err := j.run(p); err != nil {
			return fmt.Errorf("pass %s: %w", p.name, err)
		}
	}
	return nil
}

// measure records the size of the model before and after. The size is unknown if external data
// is missing.
func (r *Report) measure(before, after *graphops.Model) {
	var err error
	if r.Before, err = sizeOf(before); err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("its size is not known: %v", err))
	}
	r.After, _ = sizeOf(after)
}

func sizeOf(m *graphops.Model) (Size, error) {
	s := Size{Ops: map[string]int{}}
	for n := range m.AllNodes() {
		s.Nodes++
		s.Ops[n.Op().String()]++
	}
	for g := range m.Graphs() {
		s.Initializers += len(g.Initializers()) + len(g.SparseInitializers())
	}
	bytes, err := graphops.SavedSize(m, graphops.SaveOptions{})
	if err != nil {
		return s, err
	}
	s.Bytes = bytes
	return s, nil
}
