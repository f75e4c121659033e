package timing

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort/ep"
)

// baselining has the options for saving the result of a measurement, and for comparing it with an
// earlier one.
type baselining struct {
	Save          string
	Force         bool
	Baseline      string
	MaxRegression string
	Different     bool
}

func (b *baselining) options() []session.Option {
	return session.Grouped(session.GroupResult,
		session.Path(&b.Save, "save", "write the result to `FILE`; for --baseline or lathe report").WithDefault("none").AsTarget().OfFiles(".json").AsUsual(),
		session.Switch(&b.Force, "force", "with --save: replace FILE if it exists").As(session.RoleForce),
		session.Path(&b.Baseline, "baseline", "compare with the result in `FILE`: one that --save wrote, or a stored one, which lathe history lists").WithDefault("none").OfFiles(".json").AsUsual(),
		session.Text(&b.MaxRegression, "max-regression", "with --baseline: accept a result that is slower by this `SHARE`").WithDefault("5%"),
		session.Switch(&b.Different, "different", "with --baseline: compare even if the machine, the runtime or the settings differ; a slower result then fails only with --max-regression"),
	)
}

// defaultRegression is by how much a model may become slower than the baseline before the
// comparison fails.
const defaultRegression = "5%"

// limit returns the allowed regression as a fraction, such as 0.05 for 5%.
func (b *baselining) limit() (float64, error) {
	said := cmp.Or(b.MaxRegression, defaultRegression)
	x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(said, "%")), 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 1) {
		return 0, session.UsageError(fmt.Sprintf("--max-regression %q: expected a share in percent, such as 5%%", said))
	}
	return x / 100, nil
}

// prepare reads the baseline, or returns nil without --baseline. It also checks whether the result
// can be saved, before anything is measured.
func (b *baselining) prepare(ctx context.Context) (*store.Result, error) {
	if _, err := b.limit(); err != nil {
		return nil, err
	}
	switch {
	case b.Force && b.Save == "":
		return nil, session.UsageError("--force: has an effect only with --save")
	case b.Baseline == "" && b.MaxRegression != "":
		return nil, session.UsageError("--max-regression: has an effect only with --baseline")
	case b.Baseline == "" && b.Different:
		return nil, session.UsageError("--different: has an effect only with --baseline")
	}
	if b.Save != "" {
		if err := graphops.CheckTarget(ctx, b.Save, graphops.WriteOptions{Overwrite: b.Force}); err != nil {
			return nil, fmt.Errorf("--save %w", err)
		}
	}
	if b.Baseline == "" {
		return nil, nil
	}
	r, err := store.Read(b.Baseline)
	if err == nil {
		_, err = r.Bench()
		if err != nil {
			err = fmt.Errorf("%s: %w", b.Baseline, err)
		}
	}
	if err != nil {
		return nil, session.UsageError("--baseline " + err.Error())
	}
	return r, nil
}

// pairUp finds the part of the baseline that each target is compared with. It returns an error if
// the two cannot be compared.
func (b *baselining) pairUp(baseline, here *store.Result) (store.Pairing, error) {
	if baseline == nil {
		return store.Pairing{}, nil
	}
	p := store.PairUp(baseline, here)
	switch problem := p.Problem(b.Different); {
	case problem == "":
		return p, nil
	case len(p.Pairs) == 0:
		return p, session.UsageError(fmt.Sprintf("--baseline %s: %s", b.Baseline, problem))
	default:
		return p, session.UsageError(fmt.Sprintf("--baseline %s: not comparable: %s; --different compares anyway", b.Baseline, problem))
	}
}

// stored returns the result that will be written to the store. It has the models, the settings and
// the machine. The measurement itself is added later.
func (s *Benchmark) stored(ctx context.Context, env session.Env, targets []*Subject, environment bench.Environment) (*store.Result, error) {
	machine, err := json.Marshal(environment)
	if err != nil {
		return nil, err
	}
	r := flags.ResultOf(s, store.NewMachine(machine, s.Launcher()))
	for _, t := range targets {
		at := slices.IndexFunc(r.Models, func(m store.Model) bool { return m.Path == t.Path && m.On == t.launcher })
		if at < 0 {
			at = len(r.Models)
			m := store.Model{Path: t.Path}
			if t.Model != nil {
				if m, err = flags.StoredModel(ctx, env, t.Model, t.Path, t.launcher); err != nil {
					t.notes = append(t.notes, "the hash of its content could not be computed: "+err.Error())
				}
			}
			r.Models = append(r.Models, m)
		}
		settings := t.settings(s)
		if err := t.placed(ctx, settings, r.Machine.ID); err != nil {
			return nil, err
		}
		r.Subjects = append(r.Subjects, store.Subject{Name: t.Name(), Model: at, Settings: settings, Shapes: ShapesOf(t.feeds)})
	}
	return r, nil
}

// settings returns the settings that affect the measurement of a target.
func (t *Subject) settings(s *Benchmark) store.Settings {
	out, f := flags.SettingsOf(s), t.Session.Facts()
	out[store.SettingEP], out[store.SettingBatch] = cmp.Or(t.Chain, ep.CPU), strconv.FormatInt(t.samples(), 10)
	if n := t.threads; n > 0 {
		out[store.SettingThreads] = strconv.FormatInt(n, 10)
	}
	out[store.SettingRuntime], out[store.SettingProvider] = f.LibraryVersion, f.Provider
	return out
}

// placed adds the devices that a target runs on to its settings. It also adds the target's machine
// if that is not the machine of the whole result, whose id is described.
func (t *Subject) placed(ctx context.Context, of store.Settings, described string) error {
	state, err := t.Session.Machine(ctx)
	if err != nil {
		return err
	}
	told, err := json.Marshal(state.Environment)
	if err != nil {
		return err
	}
	if id := store.NewMachine(told, "").ID; id != described {
		of["machine"] = id
	}
	var devices []string
	for _, g := range state.Counters.GPUs {
		devices = append(devices, g.Name)
	}
	if len(devices) > 0 && of[store.SettingProvider] != ep.CPU {
		of["device"] = strings.Join(devices, ", ")
	}
	return nil
}

// salvage stores what was measured before an error, such as a lost connection. The error then names
// the file.
func (s *Benchmark) salvage(ctx context.Context, env session.Env, report *Report, r *store.Result, err error) error {
	if report == nil || flags.SetDocument(r, report) != nil {
		return err
	}
	if at := s.StoreResult(ctx, env, r).Stored; at != "" {
		return &session.KeptError{Err: err, File: at}
	}
	return err
}

// settle compares a measurement with the baseline and stores it. If the file of --save cannot be
// written, the result is still in the store, and the error says under which name.
func (s *Benchmark) settle(ctx context.Context, env session.Env, report *Report, r, baseline *store.Result, p store.Pairing) (session.Result, error) {
	if err := flags.SetDocument(r, report); err != nil {
		return session.Result{}, err
	}
	if baseline != nil {
		limit, err := s.limit()
		if err != nil {
			return session.Result{}, err
		}
		if len(p.Differences) > 0 && s.MaxRegression == "" {
			limit = store.NoLimit // the settings differ on purpose
		}
		if report.Baseline, err = p.Against(baseline, r, limit); err != nil {
			return session.Result{}, err
		}
		if err := flags.SetDocument(r, report); err != nil {
			return session.Result{}, err
		}
	}
	report.Kept = s.StoreResult(ctx, env, r)
	out := session.Result{Report: report, No: report.Baseline != nil && !report.Baseline.Pass}
	if s.Save == "" {
		return out, nil
	}
	if err := flags.ResultsOf(env).Save(context.WithoutCancel(ctx), s.Save, r, s.Force); err != nil {
		if report.Stored == "" {
			return session.Result{}, fmt.Errorf("--save %w", err)
		}
		return session.Result{}, fmt.Errorf("--save %w; the result is stored in %s", err, report.Stored)
	}
	report.Saved, out.Files = s.Save, []string{s.Save}
	return out, nil
}
