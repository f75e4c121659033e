package steps

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
	"lathe/session/steps/reporting"
)

// keeping has the option of every step whose results are stored.
type keeping struct{ NoStore bool }

func (k *keeping) options() []session.Option {
	return []session.Option{
		session.Switch(&k.NoStore, "no-store", "do not store the result for lathe history").In(session.GroupResult).AsRare(),
	}
}

// keep stores a result. If that fails, for example because the disk is full, the report says so and
// is otherwise complete. It stores the result even if the context has ended, because the terminal
// is gone.
func (k *keeping) keep(ctx context.Context, env session.Env, r *store.Result) reporting.Kept {
	if k.NoStore || env.Results == nil {
		return reporting.Kept{}
	}
	path, err := env.Results.Keep(context.WithoutCancel(ctx), r)
	if err != nil {
		return reporting.Kept{NotStored: err.Error()}
	}
	return reporting.Kept{Stored: path}
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
	e, err := r.environment(ctx, env)
	if err != nil {
		return store.Machine{} // the same error is reported when the models run
	}
	told, err := json.Marshal(e)
	if err != nil {
		return store.Machine{}
	}
	return store.NewMachine(told, r.launcher())
}

// environment describes the machine that models run on, the first one if there are several.
func (r *running) environment(ctx context.Context, env session.Env) (e machine.Environment, err error) {
	how, err := r.at(env, r.launcher())
	if err != nil {
		return e, err
	}
	return environmentOf(ctx, env, how)
}

// environmentOf describes the machine that models run on.
func environmentOf(ctx context.Context, env session.Env, o session.Execution) (machine.Environment, error) {
	if o.On == "" {
		return machine.ReadEnvironment(os.DirFS("/")), nil
	}
	state, err := env.MachineFor(ctx, o)
	return state.Environment, err
}

// anywhere writes the file of --save if results are not stored.
var anywhere = store.Folder{Now: time.Now}
