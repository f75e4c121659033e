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

// keeping has the option of every step whose results are stored.
type keeping struct{ NoStore bool }

func (k *keeping) options() []session.Option {
	return []session.Option{
		session.Switch(&k.NoStore, "no-store", "do not store the result for lathe history").In(session.GroupResult).AsRare(),
	}
}

// kept is the part of a report that says where the result is stored. It is embedded as the last
// field. It is not part of the stored result.
type kept struct {
	Stored    string `json:"stored,omitempty"`     // path of the stored result
	NotStored string `json:"not_stored,omitempty"` // why it could not be stored
}

func (k kept) writeText(p *text.Printer) {
	if k.Stored != "" {
		p.Line("stored in %s", text.Clean(k.Stored))
	}
	if k.NotStored != "" {
		p.Line("warning: the result is not stored: %s", text.CleanLine(k.NotStored))
	}
}

// keep stores a result. If that fails, for example because the disk is full, the report says so and
// is otherwise complete. It stores the result even if the context has ended, because the terminal
// is gone.
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

// resultOf returns a new result of a step. All modes of quantize have the same kind of result.
func resultOf(s session.Step, machine store.Machine) *store.Result {
	kind, _, _ := strings.Cut(s.Name(), " ")
	return &store.Result{Kind: kind, Machine: machine, Models: []store.Model{}, Subjects: []store.Subject{}}
}

// setDocument adds the report of a step, as JSON, to the result that will be stored.
func setDocument(r *store.Result, report session.Report) (err error) {
	r.Document, err = json.Marshal(report)
	return err
}

// storedModel returns what is stored about a model: its path, its machine, its size and the digest
// of its content.
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

// settingsOf returns the options of a step that affect the measurement and are set. Of paths it
// keeps only the file name, because the same data may be in another folder the next time.
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

// machine describes the machine that models run on, the first of several. It is zero if that is
// unknown.
func (r *running) machine(ctx context.Context, env session.Env) store.Machine {
	e, err := (&Bench{running: *r}).environment(ctx, env)
	if err != nil {
		return store.Machine{} // the same error is reported when the models run
	}
	told, err := json.Marshal(e)
	if err != nil {
		return store.Machine{}
	}
	return store.NewMachine(told, r.launcher())
}

// store stores the result of a numerical comparison.
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

// store stores the result of a quantization, for the file that was written.
func (s *Quantize) store(ctx context.Context, env session.Env, original, made *graphops.Model, report *QuantizeReport) error {
	if s.NoStore || env.Results == nil {
		return nil
	}
	r := resultOf(s, s.how.machine(ctx, env))
	path := "-"
	if report.File != nil {
		path = report.File.Path
		if written, err := env.Open(path); err == nil {
			made = written // avoids computing its weights again
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

// store stores the result of a profile.
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

// anywhere writes the file of --save if results are not stored.
var anywhere = store.Folder{Now: time.Now}
