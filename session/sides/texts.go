package sides

import (
	"context"
	"time"

	"lathe/session"
	"lathe/session/generating"
	"lathe/session/sizing"
)

// Readers are decoders that are loaded to read texts.
type Readers struct {
	Sides  []*generating.Side // one, or two if there is a second model or an option of one side
	Models []*Executor
	Notes  []string // what was assumed about their inputs

	g *generated
}

// Readers loads the decoders that the options name. The caller closes them.
func (s *Comparison) Readers(ctx context.Context, env session.Env) (*Readers, error) {
	pipes := []Pipeline{{Path: s.A, Decoder: Stage{Path: s.A, Input: s.Input}}}
	if s.B != "" || len(s.sides.A)+len(s.sides.B) > 0 {
		b := s.B
		if b == "" {
			b = s.A
		}
		pipes = append(pipes, Pipeline{Path: b, Decoder: Stage{Path: b, Input: s.Input}})
	}
	r := &Readers{g: &generated{step: s, env: env, start: time.Now()}}
	env.Progress(session.Progress{Phase: "loading"})
	if err := r.g.open(ctx, pipes...); err != nil {
		r.g.close()
		return nil, err
	}
	for _, l := range r.g.lines[:len(pipes)] {
		r.Models = append(r.Models, l.decoder.x)
	}
	return r, nil
}

// Context returns how many tokens every side takes, and where that is from; 0 if it is not known.
func (r *Readers) Context() (tokens int64, from string) {
	for _, x := range r.Models {
		if n, why := sizing.Context(x.Model); n > 0 && (tokens == 0 || n < tokens) {
			tokens, from = n, why
		}
	}
	return tokens, from
}

// Prompts makes prompts of texts, with what the decoders get besides the tokens, and finds out how the
// decoders are fed.
func (r *Readers) Prompts(ctx context.Context, texts [][]int64) ([]generating.Prompt, error) {
	prompts, err := r.g.promptsOf(ctx, texts)
	if err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, r.g.notes...)
	for i := range r.Models {
		r.Sides = append(r.Sides, r.g.lines[i].side())
		r.Notes = append(r.Notes, r.g.lines[i].decoder.plan.Notes...)
	}
	return prompts, nil
}

// Close ends the workers.
func (r *Readers) Close() { r.g.close() }
