package sides

import (
	"context"

	"lathe/bench/store"
	"lathe/session"
	"lathe/session/flags"
)

// store stores the result of a numerical comparison.
func (s *Comparison) store(ctx context.Context, env session.Env, report *Report) error {
	if len(report.of) == 0 || s.NoStore || env.Results == "" {
		return nil
	}
	r := flags.ResultOf(s, s.Machine(ctx, env))
	for _, x := range report.of {
		m, err := flags.StoredModel(ctx, env, x.Model, x.Path, x.how.On)
		if err != nil {
			report.Notes = append(report.Notes, x.Path+": the hash of its content could not be computed: "+err.Error())
		}
		r.Models = append(r.Models, m)
	}
	last := report.of[len(report.of)-1]
	settings := flags.SettingsOf(s)
	settings[store.SettingRuntime], settings[store.SettingProvider] = last.Side.Version, last.Side.Provider
	r.Subjects = append(r.Subjects, store.Subject{Name: last.Path, Model: len(r.Models) - 1, Settings: settings})
	if err := flags.SetDocument(r, report); err != nil {
		return err
	}
	report.Kept = s.StoreResult(ctx, env, r)
	return nil
}
