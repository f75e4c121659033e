package flags

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/bench/machine"
	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/runtime"
)

// Keeping has the option of every step whose results are stored.
type Keeping struct{ NoStore bool }

// Options returns the option.
func (k *Keeping) Options() []session.Option {
	return []session.Option{
		session.Switch(&k.NoStore, "no-store", "do not store the result for lathe history").In(session.GroupResult).AsRare(),
	}
}

// StoreResult stores a result. If that fails, for example because the disk is full, the report says so and
// is otherwise complete. It stores the result even if the context has ended, because the terminal
// is gone.
func (k *Keeping) StoreResult(ctx context.Context, env session.Env, r *store.Result) reporting.Kept {
	if k.NoStore || env.Results == "" {
		return reporting.Kept{}
	}
	path, err := ResultsOf(env).Keep(context.WithoutCancel(ctx), r)
	if err != nil {
		return reporting.Kept{NotStored: err.Error()}
	}
	return reporting.Kept{Stored: path}
}

// ResultOf returns a new result of a step. All modes of quantize have the same kind of result.
func ResultOf(s session.Command, machine store.Machine) *store.Result {
	kind, _, _ := strings.Cut(s.Name(), " ")
	return &store.Result{Kind: kind, Machine: machine, Models: []store.Model{}, Subjects: []store.Subject{}}
}

// SetDocument adds the report of a step, as JSON and as text, to the result that will be stored.
func SetDocument(r *store.Result, report session.Report) (err error) {
	var words strings.Builder
	if err := report.WriteText(&words); err != nil {
		return err
	}
	r.Text = words.String()
	r.Document, err = json.Marshal(report)
	return err
}

// StoredModel returns what is stored about a model: its path, its machine, its size, the digest of its
// content, and how it was made.
func StoredModel(ctx context.Context, env session.Env, m *graphops.Model, path, on string) (store.Model, error) {
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
	if s.Digest, err = graphops.DigestOf(context.WithoutCancel(ctx), m); err != nil {
		return s, err
	}
	s.Origin, err = originOf(context.WithoutCancel(ctx), env, m, path)
	return s, err
}

// SettingsOf returns the options of a step that affect the measurement and are set. Of paths it
// keeps only the file name, because the same data may be in another folder the next time.
func SettingsOf(s session.Command) store.Settings {
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

// Machine describes the machine that models run on, the first of several. It is zero if that is
// unknown.
func (r *Running) Machine(ctx context.Context, env session.Env) store.Machine {
	e, err := r.Environment(ctx, env)
	if err != nil {
		return store.Machine{} // the same error is reported when the models run
	}
	told, err := json.Marshal(e)
	if err != nil {
		return store.Machine{}
	}
	return store.NewMachine(told, r.Launcher())
}

// Environment describes the machine that models run on, the first one if there are several.
func (r *Running) Environment(ctx context.Context, env session.Env) (e machine.Environment, err error) {
	how, err := r.ExecutionAt(env, r.Launcher())
	if err != nil {
		return e, err
	}
	return EnvironmentOf(ctx, env, how)
}

// EnvironmentOf describes the machine that models run on.
func EnvironmentOf(ctx context.Context, env session.Env, o runtime.Execution) (machine.Environment, error) {
	if o.On == "" {
		return machine.ReadEnvironment(os.DirFS("/")), nil
	}
	state, err := env.MachineFor(ctx, o)
	return state.Environment, err
}

// ResultsOf returns the folder for results of measurements.
func ResultsOf(env session.Env) store.Folder {
	return store.Folder{Path: env.Results, Now: time.Now, Lathe: env.Version}
}
