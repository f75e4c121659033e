package quantization

import (
	"cmp"
	"context"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/graphops/aside"
	"lathe/session"
	"lathe/session/flags"
)

// store stores the result of a quantization, for the file that was written.
func (s *Quantization) store(ctx context.Context, env session.Env, original, made *graphops.Model, report *Report) error {
	if s.NoStore || env.Results == "" {
		return nil
	}
	r := flags.ResultOf(s, s.How.Machine(ctx, env))
	path := "-"
	result := func() (*graphops.Model, error) { return made, nil }
	if report.File != nil {
		path = report.File.Path
		result = aside.Start(func() (*graphops.Model, error) { return env.Open(path) }) // its weights are computed already
	}
	for _, x := range []struct {
		m    func() (*graphops.Model, error)
		path string
	}{{func() (*graphops.Model, error) { return original, nil }, original.Path()}, {result, path}} {
		of, err := x.m()
		if err != nil { // the result cannot be opened again, so its weights are computed again
			of = made
		}
		m, err := flags.StoredModel(ctx, env, of, cmp.Or(x.path, "-"), "")
		if err != nil {
			report.Warnings = append(report.Warnings, x.path+": the hash of its content could not be computed: "+err.Error())
		}
		r.Models = append(r.Models, m)
	}
	settings := flags.SettingsOf(s)
	settings["mode"] = s.Mode
	if t := report.Trial; t != nil && t.Validation != nil {
		settings[store.SettingRuntime], settings[store.SettingProvider] = t.Validation.Sides.B.Version, t.Validation.Sides.B.Provider
	}
	r.Subjects = append(r.Subjects, store.Subject{Name: path, Model: 1, Settings: settings})
	if err := flags.SetDocument(r, report); err != nil {
		return err
	}
	report.Kept = s.StoreResult(ctx, env, r)
	return nil
}
