package sides

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/generating"
	"lathe/session/generation"
	"lathe/session/inputs"
	"lathe/session/sizing"
	"lathe/session/text"
)

// promptTokens is the length of a generated prompt. A prompt of one token would not show what a model
// does with several at once.
const promptTokens = 16

// values are what stages were fed and what they returned, for one prompt.
type values map[Source]graphops.Value

// prepare makes the prompts with what the models before the decoder make of them, and finds out how the
// decoders are fed.
func (g *generated) prepare(ctx context.Context) ([]generating.Prompt, error) {
	ids, err := g.givenPrompts(ctx)
	if err != nil {
		return nil, err
	}
	count := len(ids)
	if count == 0 {
		count = GeneratedCases
	}
	prompts := make([]generating.Prompt, count)
	made := make([][2]values, count)
	for i := range prompts {
		prompts[i].Name = fmt.Sprintf("row %d", i)
		if len(ids) == 0 {
			prompts[i].Name = fmt.Sprintf("seed %d", g.step.Seed+int64(i))
		}
		if made[i], err = g.runBefore(ctx, i); err != nil {
			return nil, err
		}
		g.lines[0].made = append(g.lines[0].made, made[i][0])
	}
	if err := g.plan(ctx, made[0]); err != nil {
		return nil, err
	}
	for i := range prompts {
		if prompts[i].IDs = g.random(uint64(g.step.Seed) + uint64(i)); len(ids) > 0 {
			prompts[i].IDs = ids[i]
		}
		if err := g.fits(prompts[i].IDs); err != nil {
			return nil, err
		}
		for side, l := range g.lines {
			prompts[i].Given[side] = l.given(made[i][side])
		}
		if err := g.share(&prompts[i]); err != nil {
			return nil, err
		}
	}
	return prompts, nil
}

// givenPrompts returns the rows of the token ids that the user gave, or nil. Values for other inputs
// stay.
func (g *generated) givenPrompts(ctx context.Context) (rows [][]int64, err error) {
	for side, l := range g.lines {
		for _, st := range l.all()[len(l.before):] {
			name, types, err := g.idsOf(ctx, st)
			if err != nil {
				return nil, err
			}
			own := slices.IndexFunc(st.Input, func(s string) bool { return strings.HasPrefix(s, name+"=") })
			if name == "" || own < 0 {
				continue
			}
			said := st.Input[own : own+1]
			st.Input = slices.Delete(slices.Clone(st.Input), own, own+1)
			if side > 0 || rows != nil {
				continue
			}
			if rows, err = readPrompts(types, said); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// idsOf returns the name of the input of token ids, and the inputs with free axes for it.
func (g *generated) idsOf(ctx context.Context, st *stage) (string, []graphops.NamedType, error) {
	types := slices.Clone(st.x.types.inputs)
	found, err := g.step.rolesOf(ctx, st.x.Model, types)
	if err != nil {
		return "", nil, err
	}
	if found.Roles == nil {
		return "", types, nil
	}
	for i := range found.Roles.Inputs {
		if p := &found.Roles.Inputs[i]; p.Kind == roles.IDs {
			at := slices.IndexFunc(types, func(t graphops.NamedType) bool { return t.Name == p.Name })
			if at >= 0 {
				types[at].Type.Shape = nil
			}
			return p.Name, types, nil
		}
	}
	return "", types, nil
}

// readPrompts reads token ids: a row for each prompt, or one prompt.
func readPrompts(types []graphops.NamedType, said []string) ([][]int64, error) {
	given, _, err := inputs.Read(types, inputs.Request{Said: said})
	if err != nil {
		return nil, err
	}
	for name, v := range given.Values {
		t := v.Tensor
		if !v.IsTensor() || len(t.Shape) < 1 || len(t.Shape) > 2 || t.Len() == 0 {
			return nil, session.UsageError(fmt.Sprintf("--input %s: expected token ids, a row for each prompt, and it is %s", graphops.ShortQuoted(name), tensor.FormatShape(t.Shape)))
		}
		ids, err := t.Int64s()
		if err != nil {
			return nil, err
		}
		return slices.Collect(slices.Chunk(ids, int(t.Shape[len(t.Shape)-1]))), nil
	}
	return nil, session.UsageError(fmt.Sprintf("--input %s: a rule makes no prompts; expected a file or a tensor with token ids", said[0]))
}

// random returns a prompt.
func (g *generated) random(seed uint64) []int64 {
	words := max(g.lines[0].side().Words(), 2)
	if n := g.lines[1].side().Words(); n > 0 {
		words = min(words, max(n, 2))
	}
	rng := rand.New(rand.NewPCG(seed, promptTokens))
	out := make([]int64, promptTokens)
	for i := range out {
		out[i] = rng.Int64N(words)
	}
	return out
}

// fits returns an error if a prompt has tokens that do not exist, or if the context is too short.
func (g *generated) fits(ids []int64) error {
	for i, l := range g.lines {
		words := l.side().Words()
		if at := slices.IndexFunc(ids, func(x int64) bool { return x < 0 || words > 0 && x >= words }); at >= 0 {
			return session.UsageError(fmt.Sprintf("the prompt has token %d, and %s has tokens 0 to %d", ids[at], text.Clean(l.path), words-1))
		}
		n, from := sizing.Context(l.decoder.x.Model)
		if need := int64(len(ids)) + g.step.Generate; n > 0 && need > n {
			return session.UsageError(fmt.Sprintf("a prompt of %d tokens and --generate %d need %d positions, and side %c has %d (%s)", len(ids), g.step.Generate, need, 'a'+i, n, text.Clean(from)))
		}
	}
	return nil
}

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
	}
	return nil
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
