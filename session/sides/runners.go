package sides

import (
	"context"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
)

// Runners loads the models that the options name: one, or two if there is a second model or an option of
// one side. The first takes the inputs of the data, and both can be run on them. The caller closes the
// pairing.
func (s *Comparison) Runners(ctx context.Context, env session.Env) (*Pairing, error) {
	if s.B != "" || len(s.sides.A)+len(s.sides.B) > 0 {
		return s.pair(ctx, env, AgainstModel)
	}
	x, err := s.Executor(env, s.A, "a", nil)
	if err != nil {
		return nil, err
	}
	env.Progress(session.Progress{Phase: "loading"})
	return &Pairing{Models: []*Executor{x}, Close: x.Close}, x.Load(ctx)
}

// Inputs are the inputs that the runtime reported when the model was loaded.
func (x *Executor) Inputs() []graphops.NamedType { return x.types.inputs }

// Notes are about providers that run no node, and options that they do not know.
func (x *Executor) Notes() []string { return x.notes }

// ResultOf returns a result to be stored about models that ran, and notes about what it lacks. The
// options are those of a step that has the same sides.
func (s *Comparison) ResultOf(ctx context.Context, env session.Env, step session.Command, models []*Executor) (r *store.Result, notes []string) {
	r = flags.ResultOf(step, s.Machine(ctx, env))
	for _, x := range models {
		m, err := flags.StoredModel(ctx, env, x.Model, x.Path, x.how.On)
		if err != nil {
			notes = append(notes, x.Path+": the hash of its content could not be computed: "+err.Error())
		}
		r.Models = append(r.Models, m)
	}
	last := models[len(models)-1]
	settings := flags.SettingsOf(step)
	settings[store.SettingRuntime], settings[store.SettingProvider] = last.Side.Version, last.Side.Provider
	r.Subjects = append(r.Subjects, store.Subject{Name: last.Path, Model: len(r.Models) - 1, Settings: settings})
	return r, notes
}

// Ran says what ran a model, and on which provider.
type Ran = side
