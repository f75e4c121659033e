package steps

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/text"
)

// keeping is the option of every step whose result is kept among those of before.
type keeping struct{ NoStore bool }

func (k *keeping) options() []session.Option {
	return []session.Option{
		session.Switch(&k.NoStore, "no-store", "do not store the result for lathe history").In(session.GroupResult).AsRare(),
	}
}

// kept tells in a report where the result is kept. It is embedded last, and left out of what
// is kept.
type kept struct {
	Stored    string `json:"stored,omitempty"`     // the file
	NotStored string `json:"not_stored,omitempty"` // why there is none, though there was to be
}

func (k kept) writeText(p *text.Printer) {
	if k.Stored != "" {
		p.Line("stored in %s", text.Clean(k.Stored))
	}
	if k.NotStored != "" {
		p.Line("warning: the result is not stored: %s", text.CleanLine(k.NotStored))
	}
}

// keep writes a result among those of before it is answered. That it cannot, as on a full
// disk, is told and takes nothing away from the result. It does so also when the terminal is
// gone meanwhile and the context with it.
func (k *keeping) keep(ctx context.Context, env session.Env, r *store.Result) kept {
	if k.NoStore || env.Results == nil {
		return kept{}
	}
	path, err := env.Results.Keep(context.WithoutCancel(ctx), r)
	if err != nil {
		return kept{NotStored: err.Error()}
	}
	return kept{Stored: path}
}

// resultOf begins the result of a step. The modes of quantize make results of one kind.
func resultOf(s session.Step, machine store.Machine) *store.Result {
	kind, _, _ := strings.Cut(s.Name(), " ")
	return &store.Result{Kind: kind, Machine: machine, Models: []store.Model{}, Subjects: []store.Subject{}}
}

// setDocument gives a result what the step answers.
func setDocument(r *store.Result, report session.Report) (err error) {
	r.Document, err = json.Marshal(report)
	return err
}

// storedModel is a model as results name it.
func storedModel(ctx context.Context, m *graphops.Model, path, on string) (store.Model, error) {
	s := store.Model{Path: path, On: on}
	if abs, err := filepath.Abs(path); path != "-" && (err == nil || on != "") {
		s.Absolute = abs
		if on != "" {
			s.Absolute = path
		}
	}
	var err error
	if s.Bytes, err = graphops.SavedSize(m, graphops.SaveOptions{Storage: graphops.StoreEmbedded}); err != nil {
		return s, err
	}
	s.Digest, err = graphops.DigestOf(context.WithoutCancel(ctx), m)
	return s, err
}

// settingsOf are the options of a step that decide what is measured, those that are set. Of
// paths the last part counts: the same data lies elsewhere on another day.
func settingsOf(s session.Step) store.Settings {
	out := store.Settings{}
	for _, o := range s.Options() {
		values := o.Values()
		if !o.Measures || o.Operand || len(values) == 0 {
			continue
		}
		values = slices.Clone(values)
		for i, v := range values {
			values[i] = o.WithPath(v, filepath.Base)
		}
		out[o.Name] = strings.Join(values, ", ")
	}
	return out
}

// machine describes where models run, the first of several; the zero Machine where that
// cannot be told.
func (r *running) machine(ctx context.Context, env session.Env) store.Machine {
	e, err := (&Bench{running: *r}).environment(ctx, env)
	if err != nil {
		return store.Machine{} // who runs the models tells why nothing answers there
	}
	told, err := json.Marshal(e)
	if err != nil {
		return store.Machine{}
	}
	return store.NewMachine(told, r.launcher())
}

// store keeps what a comparison of numbers found.
func (s *Validate) store(ctx context.Context, env session.Env, report *ValidateReport) error {
	if len(report.of) == 0 || s.NoStore || env.Results == nil {
		return nil
	}
	r := resultOf(s, s.machine(ctx, env))
	for _, x := range report.of {
		m, err := storedModel(ctx, x.model, x.path, x.how.On)
		if err != nil {
			report.Notes = append(report.Notes, x.path+": the hash of its content could not be computed: "+err.Error())
		}
		r.Models = append(r.Models, m)
	}
	last := report.of[len(report.of)-1]
	settings := settingsOf(s)
	settings[store.SettingRuntime], settings[store.SettingProvider] = last.side.Version, last.side.Provider
	r.Subjects = append(r.Subjects, store.Subject{Name: last.path, Model: len(r.Models) - 1, Settings: settings})
	if err := setDocument(r, report); err != nil {
		return err
	}
	report.kept = s.keep(ctx, env, r)
	return nil
}

// store keeps what became of a model, which is in the file that was written.
func (s *Quantize) store(ctx context.Context, env session.Env, original, made *graphops.Model, report *QuantizeReport) error {
	if s.NoStore || env.Results == nil {
		return nil
	}
	r := resultOf(s, s.how.machine(ctx, env))
	path := "-"
	if report.File != nil {
		path = report.File.Path
		if written, err := env.Open(path); err == nil {
			made = written // its weights need not be computed again
		}
	}
	for _, x := range []struct {
		m    *graphops.Model
		path string
	}{{original, original.Path()}, {made, path}} {
		m, err := storedModel(ctx, x.m, cmp.Or(x.path, "-"), "")
		if err != nil {
			report.Warnings = append(report.Warnings, x.path+": the hash of its content could not be computed: "+err.Error())
		}
		r.Models = append(r.Models, m)
	}
	settings := settingsOf(s)
	settings["mode"] = s.Mode
	if t := report.Trial; t != nil && t.Validation != nil {
		settings[store.SettingRuntime], settings[store.SettingProvider] = t.Validation.Sides.B.Version, t.Validation.Sides.B.Provider
	}
	r.Subjects = append(r.Subjects, store.Subject{Name: path, Model: 1, Settings: settings})
	if err := setDocument(r, report); err != nil {
		return err
	}
	report.kept = s.keep(ctx, env, r)
	return nil
}

// store keeps where the time of a model goes.
func (s *Profile) store(ctx context.Context, env session.Env, m *graphops.Model, report *ProfileReport) error {
	if s.NoStore || env.Results == nil {
		return nil
	}
	r := resultOf(s, s.machine(ctx, env))
	path := cmp.Or(m.Path(), "-")
	stored, err := storedModel(ctx, m, path, report.On)
	if err != nil {
		report.Notes = append(report.Notes, path+": the hash of its content could not be computed: "+err.Error())
	}
	settings := settingsOf(s)
	settings[store.SettingRuntime], settings[store.SettingProvider] = report.Version, report.Provider
	r.Models, r.Subjects = append(r.Models, stored), append(r.Subjects, store.Subject{Name: path, Settings: settings})
	if err := setDocument(r, report); err != nil {
		return err
	}
	report.kept = s.keep(ctx, env, r)
	return nil
}

// anywhere writes results where none are kept but one is to be saved.
var anywhere = store.Folder{Now: time.Now}
