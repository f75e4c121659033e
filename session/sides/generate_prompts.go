package sides

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/generating"
	"lathe/session/inputs"
	"lathe/session/sizing"
	"lathe/session/text"
)

// promptTokens is the length of a generated prompt. A prompt of one token would not show what a model
// does with several at once.
const promptTokens = 16

// prepare makes the prompts with what the models before the decoder make of them, and finds out how the
// decoders are fed.
func (g *generated) prepare(ctx context.Context) ([]generating.Prompt, error) {
	ids, err := g.givenPrompts(ctx)
	if err != nil {
		return nil, err
	}
	return g.promptsOf(ctx, ids)
}

// promptsOf makes the prompts of token ids, or random ones if there are no ids.
func (g *generated) promptsOf(ctx context.Context, ids [][]int64) (_ []generating.Prompt, err error) {
	count := len(ids)
	if count == 0 {
		count = GeneratedCases
	}
	prompts := make([]generating.Prompt, count)
	made := make([][2]values, count)
	for i := range prompts {
		if made[i], err = g.runBefore(ctx, i); err != nil {
			return nil, err
		}
		g.lines[0].made = append(g.lines[0].made, made[i][0])
	}
	if err := g.plan(ctx, made[0]); err != nil {
		return nil, err
	}
	for i := range prompts {
		p := &prompts[i]
		if len(ids) > 0 {
			p.Name, p.IDs = fmt.Sprintf("row %d", i), ids[i]
		} else {
			seed := g.step.Seed + int64(i)
			p.Name, p.IDs = fmt.Sprintf("seed %d", seed), g.random(uint64(seed))
		}
		if err := g.fits(p.IDs); err != nil {
			return nil, err
		}
		for side, l := range g.lines {
			p.Given[side] = l.given(made[i][side])
		}
		if err := g.share(p); err != nil {
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
