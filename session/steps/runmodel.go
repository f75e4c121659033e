package steps

import (
	"context"
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor/npz"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/ort"
)

// RunModel runs a model once and describes what comes out.
type RunModel struct {
	Values []string
	Where  bool
	Save   string
	Inputs string
	Force  bool
	feeding
	execution
}

// Name implements session.Step.
func (*RunModel) Name() string { return "run-model" }

// Summary implements session.Step.
func (*RunModel) Summary() string { return "run a model once and describe any of its values" }

// Options implements session.Step.
func (s *RunModel) Options() []session.Option {
	options := []session.Option{
		session.List(&s.Values, "values", "describe value `NAME`, also one inside the graph; repeat for several; only what it needs is run").Naming(session.NamesValue, ""),
		session.Switch(&s.Where, "where", "tell which execution provider runs which node, what is copied between devices, and why"),
		session.Path(&s.Save, "save", "write the values to this `NPZ` file"),
		session.Path(&s.Inputs, "save-inputs", "write what was fed to this `NPZ` file, or to a folder of .pb files, so that --data gives it again"),
		session.Switch(&s.Force, "force", "replace files that exist"),
	}
	return append(append(options, s.feeding.options()...), s.execution.options()...)
}

// Preview implements session.Step; a run changes nothing, so it is the same.
func (s *RunModel) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	draft := *s
	draft.Save, draft.Inputs = "", ""
	r, err := draft.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// OpenModel implements session.Opener.
func (s *RunModel) OpenModel(ctx context.Context, env session.Env, path string) (*graphops.Model, error) {
	o, err := s.value(env)
	if err != nil {
		return nil, err
	}
	return env.OpenFor(ctx, path, o)
}

// Run implements session.Step.
func (s *RunModel) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.checkTarget(m); err != nil {
		return session.Result{}, err
	}
	cases, err := s.cases(m, graphops.NamedTypes(m.Graph().FeedInputs()), 1, 0)
	if err != nil {
		return session.Result{}, err
	}
	first := cases.Cases[0]
	r := &RunReport{Schema: "lathe.run-model/1", Case: first.Name, Notes: orEmpty(cases.Notes), Values: []valueReport{}}
	if len(cases.Cases) > 1 {
		r.Notes = append(r.Notes, fmt.Sprintf("ran the first of %d cases", len(cases.Cases)))
	}
	arrays, feeds, err := s.run(ctx, env, m, first.Feeds, r)
	if err != nil {
		return session.Result{}, err
	}
	r.Inputs = fedTo(feeds, first.Fed)
	result := session.Result{Report: r}
	if s.Inputs != "" {
		types := graphops.NamedTypes(m.Graph().FeedInputs())
		files, err := inputs.Save(ctx, s.Inputs, types, first.Feeds, graphops.WriteOptions{Overwrite: s.Force})
		if err != nil {
			return session.Result{}, err
		}
		r.SavedInputs, result.Files = s.Inputs, files
	}
	if s.Save != "" {
		o := graphops.WriteOptions{Overwrite: s.Force}
		if err := graphops.WriteFile(ctx, s.Save, o, func(w io.Writer) error { return npz.Write(w, arrays) }); err != nil {
			return session.Result{}, err
		}
		r.Saved, result.Files = s.Save, append(result.Files, s.Save)
	}
	return result, nil
}

// fedTo leaves out what the part that was run has no input for.
func fedTo(feeds graphops.Feeds, fed []inputs.Fed) []inputs.Fed {
	out := []inputs.Fed{}
	for _, f := range fed {
		if _, ok := feeds[f.Name]; ok {
			out = append(out, f)
		}
	}
	return out
}

// checkTarget keeps the values from replacing the model or the data that they
// come from, also with --force.
func (s *RunModel) checkTarget(m *graphops.Model) error {
	for option, path := range map[string]string{"--save": s.Save, "--save-inputs": s.Inputs} {
		if path == "-" {
			return session.UsageError(option + " -: arrays are written to a file; name one")
		}
		if path == "" {
			continue
		}
		if err := graphops.RefuseSources(m, path); err != nil {
			return err
		}
		if err := s.refuseArrays(path); err != nil {
			return err
		}
	}
	if s.Save != "" && s.Save == s.Inputs {
		return session.UsageError("--save and --save-inputs: name two files")
	}
	return nil
}

// shownElements is how many elements of a value a report lists.
const shownElements = 8

// run fills the report, and gives the values as arrays where they are saved, and
// what was fed.
func (s *RunModel) run(ctx context.Context, env session.Env, m *graphops.Model, all graphops.Feeds, r *RunReport) (arrays []npz.Entry, feeds graphops.Feeds, err error) {
	l, feeds, err := s.load(ctx, env, m, all)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if s.RunsElsewhere() {
		r.On = s.On[0]
	}
	facts := l.Facts()
	r.Provider, r.Refused, r.Warnings = facts.Provider, facts.Refused, orEmpty(facts.Warnings)
	r.Notes = append(r.Notes, remarks(facts)...)
	if s.Where {
		placement, err := l.Placement(ctx)
		if err != nil {
			return nil, nil, err
		}
		r.Placement = &placement
	}
	var want []graphops.Want
	for _, o := range l.Outputs() {
		want = append(want, graphops.Want{Name: o.Name, Profile: true, First: shownElements, Elements: s.Save != ""})
	}
	env.Progress(session.Progress{Phase: "running"})
	err = l.Run(ctx, feeds, want, func(g graphops.Got) error {
		r.Values = append(r.Values, describeValue(g)...)
		if s.Save != "" {
			for at, t := range g.Value.Tensors() {
				arrays = append(arrays, npz.Entry{Name: g.Name + at, Tensor: t})
			}
		}
		return nil
	})
	return arrays, feeds, err
}

// load loads the model, or the part of it that makes the values asked for. That is
// not optimized unless it is asked for: an output in the midst of what the runtime
// would fuse keeps it from fusing, and other values change with it.
func (s *RunModel) load(ctx context.Context, env session.Env, m *graphops.Model, feeds graphops.Feeds) (session.Loaded, graphops.Feeds, error) {
	o, err := s.value(env)
	if err != nil {
		return nil, nil, err
	}
	o.Placement = s.Where
	if len(s.Values) > 0 {
		if m, err = session.Expose(m, s.Values); err != nil {
			return nil, nil, err
		}
		feeds = session.FeedsOf(m, feeds)
		if o.Opt == "" {
			o.Opt = ort.OptimizeDisable.String()
		}
	}
	env.Progress(session.Progress{Phase: "loading"})
	l, err := env.Runtime.Load(ctx, m, o)
	return l, feeds, err
}
