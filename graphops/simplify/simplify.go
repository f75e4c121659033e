package simplify

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

// DefaultMaxGrowth is by how many bytes all constants together may grow.
const DefaultMaxGrowth = 1 << 20

// Options say what is done.
type Options struct {
	// Without are passes that are left out, With are optional ones that run; both by
	// name.
	Without, With []string
	// Runner computes the constants that depend on its rounding; without one they are
	// not computed.
	Runner graphops.Runner
	// RunnerAhead is called once, early, where the Runner will most likely be needed,
	// so that it can start meanwhile; it may be nil.
	RunnerAhead func()
	// MaxGrowth is by how many bytes all constants together may grow.
	MaxGrowth int64
	// Heads and Hidden are the number of attention heads and the hidden size, 0 where
	// they are to be found from the graph.
	Heads, Hidden int64
	// Progress hears which pass runs, and how many nodes there are; it may be nil.
	Progress func(pass string, nodes int)

	verify func(pass string, m *rewrite.Model)
}

// maxRounds bounds how often the passes run. A model needs as many rounds as things
// follow from each other; two passes that undo each other would go on for ever.
const maxRounds = 1000

// Simplify makes a model simpler. The error is that of ctx, of the Runner, or that
// the model is one that no runtime takes.
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

// chosen are the passes that run.
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

// tellNeeds warns of passes that will find little, because what makes it does not run.
func (j *job) tellNeeds(chosen []*pass) {
	for _, p := range chosen {
		if p.needs != "" && j.passes[p.needs] == nil {
			j.warnOnce(fmt.Sprintf("pass %s looks for what %s makes, which does not run: it finds only what the model has already", p.name, p.needs))
		}
	}
}

// settle runs the passes until none finds anything: the optional ones, which look
// for whole patterns, whenever the others have.
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
	return fmt.Errorf("the passes do not settle in %d rounds; the last that changed something was %s", maxRounds, j.now.Name)
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

// measure notes how large the model is and was. One whose external data is not
// there has a size that is not known.
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
		op := n.OpType()
		if n.Domain() != graphops.DefaultDomain {
			op = n.Domain() + "::" + op
		}
		s.Ops[op]++
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
