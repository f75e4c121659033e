package shrink

import (
	"context"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/trial"
)

// trials are the models that the proof of an optimization runs.
type trials struct {
	trial.Files
	made map[*graphops.Model]*product // by the model that is run
}

// subject returns the model to run for a product: its model, or a copy in a file if that has many
// bytes of new weights.
func (t *trials) subject(ctx context.Context, env session.Env, p *product) (*graphops.Model, error) {
	var fresh int64
	for _, taken := range p.taken {
		fresh += taken.FreshBytes
	}
	m, err := t.Runnable(ctx, env, p.model, fresh)
	if err != nil {
		return nil, err
	}
	t.made[m] = p
	return m, nil
}
