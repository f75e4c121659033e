package timing

import (
	"context"
	"fmt"
	"slices"

	"lathe/session"
	"lathe/session/generation"
	"lathe/session/ort"
	"lathe/session/runtime"
	"lathe/session/text"
)

// The tokens that a proof compares, of each sequence: that after a prompt and the next ones, as far as
// those to be measured are as many.
const (
	provenPrompt = 5
	provenSteps  = 3
)

// prove checks that the model chooses the same tokens as with copied caches. If it does not with a shared
// cache, which nobody asked for, caches are swapped instead, and a note says so. A runtime that copies
// caches between devices may overwrite a buffer that is both past and present.
func (d *decoder) prove(ctx context.Context, w work, asked bool) error {
	if d.mode == generation.Copied {
		return nil
	}
	want, err := d.sample(ctx, w, generation.Copied)
	if err != nil {
		return err
	}
	wrong, err := d.differs(ctx, w, want)
	if err != nil || wrong == "" {
		return err
	}
	if d.mode == generation.Shared && !asked {
		d.mode = generation.Swapped
		d.plan.Notes = append(d.plan.Notes, "the cache is swapped, because the tokens are wrong if it is shared: "+wrong)
		wrong, err = d.differs(ctx, w, want)
	}
	if err == nil && wrong != "" {
		err = session.UsageError(fmt.Sprintf("%s with the cache %s: the tokens are not those with a copied cache: %s; --cache copied measures that", text.Clean(d.Path), d.mode, wrong))
	}
	return err
}

// sample generates a few tokens. They are chosen on the host, so that their margins are known.
func (d *decoder) sample(ctx context.Context, w work, mode generation.Mode) (*ort.Generated, error) {
	l := d.Session.(runtime.Loaded)
	prompt, steps := min(provenPrompt, w.prompt), min(provenSteps, w.tokens)
	if _, err := l.Decode(ctx, d.plan.Decode(mode, prompt+steps, false)); err != nil {
		return nil, err
	}
	g := ort.Generation{Restart: true, Prompt: d.plan.Prompt(prompt), Steps: steps}
	if !d.plan.Several {
		g.Chunk = 1
	}
	return l.Generate(ctx, g)
}

// differs says which token is another one than it should be, if there is one.
func (d *decoder) differs(ctx context.Context, w work, want *ort.Generated) (string, error) {
	got, err := d.sample(ctx, w, d.mode)
	if err != nil {
		return "", err
	}
	return otherToken(want, got, d.plan.Batch), nil
}

// otherToken returns the first token of a sequence that differs, in words. A difference does not count if
// the token was chosen by less than a tenth of the median margin, because rounding may cause it. Tokens
// after it do not count either.
func otherToken(want, got *ort.Generated, batch int64) string {
	margins := slices.Sorted(slices.Values(want.Margins))
	for b := range batch {
		for i := b; i < int64(len(want.Tokens)); i += batch {
			if got.Tokens[i] == want.Tokens[i] {
				continue
			}
			if want.Margins[i] >= margins[len(margins)/2]/10 {
				return fmt.Sprintf("token %d is %d instead of %d, whose score is the best by %.3g", i/batch+1, got.Tokens[i], want.Tokens[i], want.Margins[i])
			}
			break
		}
	}
	return ""
}
