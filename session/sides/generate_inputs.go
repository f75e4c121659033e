package sides

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/session/flags"
	"lathe/session/generating"
	"lathe/session/generation"
	"lathe/session/inputs"
	"lathe/session/text"
)

// values are what stages were fed and what they returned, for one prompt.
type values map[Source]graphops.Value

// runBefore runs the models before the decoder of both sides on the same inputs of the caller.
func (g *generated) runBefore(ctx context.Context, seed int) (made [2]values, err error) {
	made = [2]values{{}, {}}
	for _, a := range g.lines[0].before {
		b := g.lines[1].named(a.Name)
		fed, err := g.fed(ctx, a, made[0], uint64(seed))
		if err != nil {
			return made, err
		}
		if err := b.x.TakeInputsOf(a.x); err != nil {
			return made, err
		}
		other, err := b.x.feedsOf(fed)
		if err != nil {
			return made, err
		}
		other = maps.Clone(other)
		maps.Copy(other, made[1].wired(b))
		for side, run := range []struct {
			st  *stage
			fed graphops.Feeds
		}{{a, fed}, {b, other}} {
			got, err := run.st.run(ctx, run.fed)
			if err != nil {
				return made, err
			}
			for name, v := range run.fed {
				made[side][Source{a.Name, name}] = v
			}
			for _, o := range got {
				made[side][Source{a.Name, o.Name}] = o.Value
			}
		}
	}
	return made, nil
}

// wired returns the inputs of a stage that earlier stages made.
func (m values) wired(st *stage) graphops.Feeds {
	out := graphops.Feeds{}
	for name, from := range st.From {
		if v, ok := m[from]; ok {
			out[name] = v
		}
	}
	return out
}

// given returns the inputs of the decoder that do not come from its own runs.
func (l *line) given(m values) generating.Given {
	out := generating.Given{Decoder: m.wired(l.decoder)}
	if l.first != nil {
		out.First = m.wired(l.first)
	}
	return out
}

// fed returns inputs at which a stage runs: those that earlier stages made, and generated ones.
func (g *generated) fed(ctx context.Context, st *stage, made values, seed uint64) (graphops.Feeds, error) {
	feeds, _, err := g.fitted(ctx, st, made.wired(st), seed)
	return feeds, err
}

// fitted returns inputs at which a stage runs, and what its inputs are for.
func (g *generated) fitted(ctx context.Context, st *stage, wired graphops.Feeds, seed uint64) (graphops.Feeds, *roles.Roles, error) {
	feeding := g.step.Feeding
	feeding.Input = st.Input
	r, err := feeding.Request(st.x.Model, 1, 0)
	if err != nil {
		return nil, nil, err
	}
	r.Seed += seed
	r.Options.Given = wired
	r.Batch = 1
	var feeds graphops.Feeds
	var found *roles.Roles
	attempt := func() error {
		return feeding.Fitted(ctx, g.env, st.x.Model, st.x.types.inputs, r, g.step.Timeout, func(c inputs.Cases) error {
			feeds = c.Cases[0].Feeds
			if c.Fit != nil {
				found = c.Fit.Roles()
			}
			_, err := st.x.own(ctx, feeds)
			return err
		})
	}
	if err = attempt(); err != nil && feeds == nil {
		r.Batch = 0 // no input has a batch axis that can be 1
		err = attempt()
	}
	return feeds, found, err
}

// plan finds out how the decoders are fed.
func (g *generated) plan(ctx context.Context, made [2]values) error {
	for side, l := range g.lines {
		for _, st := range l.all()[len(l.before):] {
			if g.pair != nil && side > 0 {
				st.plan = g.lines[0].decoder.plan
				continue
			}
			feeds, found, err := g.fitted(ctx, st, made[side].wired(st), 0)
			if err != nil {
				return err
			}
			if found == nil {
				return errors.New("--generate: the roles of the inputs are not known")
			}
			if st.plan, err = generation.AtOnce(st.x.Model, found, feeds); err != nil {
				return fmt.Errorf("%s cannot generate: %w", text.Clean(st.Path), err)
			}
			g.noteHow(l, st)
		}
	}
	return nil
}

// noteHow notes what is special about how a model is fed.
func (g *generated) noteHow(l *line, st *stage) {
	if !st.plan.Cached() && st != l.first {
		g.notes = append(g.notes, text.Clean(st.Path)+" has no cache: each token is computed from all tokens before it")
	}
	if names := l.unmade(st); len(names) > 0 {
		g.notes = append(g.notes, fmt.Sprintf("%s: no model makes %s: generated, and the same in each run and on both sides", text.Clean(st.Path), graphops.QuoteNames(names)))
	}
	if n := st.plan.Batch; n > 1 {
		g.notes = append(g.notes, fmt.Sprintf("%s takes %d sequences: each gets the same tokens, and the first is compared", text.Clean(st.Path), n))
	}
}

// unmade are the inputs that stay as they are and that no model of the line makes and no option gives.
func (l *line) unmade(st *stage) (names []string) {
	for name := range st.plan.Fixed() {
		_, wired := st.From[name]
		_, carried := l.carry[name]
		given := slices.ContainsFunc(st.Input, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		if !wired && !given && (!carried || st != l.decoder) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// share gives side b the values of a for inputs that no run changes and no model makes.
func (g *generated) share(p *generating.Prompt) error {
	if g.pair != nil {
		return nil
	}
	a, b := g.lines[0].decoder, g.lines[1].decoder
	own := b.plan.Fixed()
	for name, v := range a.plan.Fixed() {
		t, same := own[name]
		_, wired := p.Given[1].Decoder[name]
		if _, carried := g.lines[1].carry[name]; !same || wired || carried || !v.IsTensor() || !t.IsTensor() {
			continue
		}
		if v.Tensor.DType != t.Tensor.DType {
			converted, err := inputs.Converted(v.Tensor, t.Tensor.DType)
			if err != nil {
				return flags.InputError(b.x.Model, fmt.Errorf("input %q: %w", name, err))
			}
			v = graphops.TensorValue(converted)
		}
		p.Given[1].Decoder[name] = v
	}
	return nil
}
