package measure

import (
	"cmp"
	"context"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
)

// store stores the result of a profile.
func (s *Profile) store(ctx context.Context, env session.Env, m *graphops.Model, report *profileReport) error {
	if s.NoStore || env.Results == "" {
		return nil
	}
	r := flags.ResultOf(s, s.Machine(ctx, env))
	path := cmp.Or(m.Path(), "-")
	stored, err := flags.StoredModel(ctx, env, m, path, report.On)
	if err != nil {
		report.Notes = append(report.Notes, path+": the hash of its content could not be computed: "+err.Error())
	}
	settings := flags.SettingsOf(s)
	settings[store.SettingRuntime], settings[store.SettingProvider] = report.Version, report.Provider
	r.Models, r.Subjects = append(r.Models, stored), append(r.Subjects, store.Subject{Name: path, Settings: settings})
	if err := flags.SetDocument(r, report); err != nil {
		return err
	}
	report.Kept = s.StoreResult(ctx, env, r)
	return nil
}
