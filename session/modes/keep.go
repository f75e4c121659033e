package modes

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/reporting"
	"lathe/session/trial"
)

// keep writes the results that ran into the folder of --keep, all or none.
func (c *contest) keep(ctx context.Context) error {
	if c.Keep == "" {
		return nil
	}
	stem := strings.TrimSuffix(filepath.Base(c.name), filepath.Ext(c.name))
	err := durable.WriteFolder(ctx, c.Keep, func(temporary string) error {
		for _, row := range c.report.Rows {
			m := c.made[row]
			if !row.ran() || m == nil {
				continue
			}
			c.env.Progress(session.Progress{Phase: "writing " + row.Mode})
			saved, err := graphops.Save(ctx, m, filepath.Join(temporary, stem+"."+row.Mode+".onnx"), trial.StorageFor(c.original, m))
			if err != nil {
				return err
			}
			row.File = reporting.SavedFileOf(saved)
			row.File.Move(temporary, c.Keep)
		}
		return nil
	})
	if err == nil {
		c.report.Folder = c.Keep
	}
	return err
}

// store stores the result for the original.
func (c *contest) store(ctx context.Context) error {
	if c.NoStore || c.env.Results == "" {
		return nil
	}
	r := flags.ResultOf(c.Compare, c.Quant.How.Machine(ctx, c.env))
	r.Kind = store.KindCompare
	path := cmp.Or(c.original.Path(), "-")
	m, err := flags.StoredModel(ctx, c.env, c.original, path, "")
	if err != nil {
		c.report.Notes = append(c.report.Notes, path+": the hash of its content could not be computed: "+err.Error())
	}
	settings := flags.SettingsOf(c.Compare)
	settings[store.SettingProvider] = c.attached()
	settings[store.SettingRuntime] = c.env.RuntimeVersion(ctx)
	r.Models = []store.Model{m}
	r.Subjects = []store.Subject{{Name: path, Settings: settings}}
	if err := flags.SetDocument(r, c.report); err != nil {
		return err
	}
	c.report.Kept = c.StoreResult(ctx, c.env, r)
	return nil
}

// attached returns the provider that ran the original, or else the requested one.
func (c *contest) attached() string {
	if b := c.report.Bench; b != nil && b.Runs[0].EPAttached != nil {
		return *b.Runs[0].EPAttached
	}
	return c.report.Provider
}
