package measure

import (
	"context"
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor/npz"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/reporting"
	"lathe/session/sizing"
)

// RunModel runs a model once and describes its outputs.
type RunModel struct {
	Values           []string
	Where            bool
	Save, SaveInputs string // files to write, or ""
	Force            bool
	flags.Feeding
	flags.Execution
}

// Name implements session.Step.
func (*RunModel) Name() string { return "run-model" }

// Summary implements session.Step.
func (*RunModel) Summary() string {
	return "run a model once and describe its outputs or any other values"
}

// Options implements session.Step.
func (s *RunModel) Options() []session.Option {
	options := []session.Option{
		session.List(&s.Values, "value", "describe value `NAME`, which may be inside the graph, and run only what it needs; repeat for several").WithDefault("the model's outputs").Naming(session.NamesValue, "").Formerly("values"),
		session.Switch(&s.Where, "where", "report which execution provider runs which node, what is copied between devices, and why").AsUsual(),
		session.Path(&s.Save, "save", "save the values to this `NPZ` file").OfFiles(".npz").WithDefault("not saved").AsTarget().In(session.GroupResult).AsUsual(),
		session.Path(&s.SaveInputs, "save-inputs", "save the inputs to this `NPZ` file, or to a folder of .pb files, which --data reads").OfFiles(".npz").WithDefault("not saved").AsTarget().In(session.GroupResult),
		session.Switch(&s.Force, "force", "replace existing files").As(session.RoleForce).In(session.GroupResult).AsUsual(),
	}
	return append(append(options, s.Feeding.Options()...), s.Execution.Options()...)
}

// Preview implements session.Step. A run changes nothing, so it is the same as Run, except that it
// writes no files.
func (s *RunModel) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	draft := *s
	draft.Save, draft.SaveInputs = "", ""
	r, err := draft.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// OpenModel opens the model on the machine that runs it.
func (s *RunModel) OpenModel(ctx context.Context, env session.Env, path string) (*graphops.Model, error) {
	o, err := s.Value(env)
	if err != nil {
		return nil, err
	}
	return env.OpenFor(ctx, path, o)
}

// Run implements session.Step.
func (s *RunModel) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.checkTargets(ctx, m); err != nil {
		return session.Result{}, err
	}
	types := graphops.NamedTypes(m.Graph().FeedInputs())
	request, err := s.lookRequest(m)
	if err != nil {
		return session.Result{}, err
	}
	var result session.Result
	var fed inputs.Cases
	var arrays []npz.Entry
	r := &runReport{}
	err = s.Fitted(ctx, env, m, types, request, s.Timeout, func(cases inputs.Cases) (err error) {
		fed = noteFirst(cases)
		*r = runReport{Schema: "lathe.run-model/1", Case: fed.Cases[0].Name, Notes: reporting.OrEmpty(fed.Notes), Values: []valueReport{}}
		r.Sizes = fed.SizesAt(types, 0)
		arrays, err = s.run(ctx, env, m, fed.Cases[0], r)
		return err
	})
	if s.SaveInputs != "" && len(fed.Cases) > 0 && ctx.Err() == nil {
		files, failed := inputs.Save(ctx, s.SaveInputs, types, fed.Cases[0].Feeds, graphops.WriteOptions{Overwrite: s.Force})
		if failed != nil {
			return session.Result{}, errors.Join(err, failed)
		}
		r.SavedInputs, result.Files = s.SaveInputs, files
	}
	if err != nil {
		return session.Result{}, s.withFed(err)
	}
	if s.Save != "" {
		o := graphops.WriteOptions{Overwrite: s.Force}
		if err := graphops.WriteFile(ctx, s.Save, o, func(w io.Writer) error { return npz.Write(w, arrays) }); err != nil {
			return session.Result{}, err
		}
		r.Saved, result.Files = s.Save, append(result.Files, s.Save)
	}
	result.Report = r
	return result, nil
}

// lookRequest returns the request for the inputs of the run, which is one case.
func (s *RunModel) lookRequest(m *graphops.Model) (inputs.Request, error) {
	r, err := s.Request(m, 1, 0)
	r.Purpose = sizing.Look
	return r, err
}

// noteFirst notes that only the first of several cases is run.
func noteFirst(cases inputs.Cases) inputs.Cases {
	if n := len(cases.Cases); n > 1 {
		cases.Notes = append(cases.Notes, fmt.Sprintf("ran the first of %d cases", n))
	}
	return cases
}

// shownElements is how many elements of a value the report lists.
const shownElements = 8

// run fills in the report. It returns the values as arrays if they are to be saved.
func (s *RunModel) run(ctx context.Context, env session.Env, m *graphops.Model, c inputs.Case, r *runReport) (arrays []npz.Entry, err error) {
	l, err := s.load(ctx, env, m, c.Feeds)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	s.describe(l, r)
	r.Inputs = needed(c.Fed, l.takes)
	var want []graphops.Want
	for _, o := range l.Outputs() {
		want = append(want, graphops.Want{Name: o.Name, Profile: true, First: shownElements, Elements: s.Save != ""})
	}
	env.Progress(session.Progress{Phase: "running"})
	err = l.Run(ctx, l.feeds, want, func(g graphops.Got) error {
		r.Values = append(r.Values, describeValue(g)...)
		if s.Save != "" {
			for at, t := range g.Value.Tensors() {
				arrays = append(arrays, npz.Entry{Name: g.Name + at, Tensor: t})
			}
		}
		return nil
	})
	return arrays, err
}

// describe adds to the report on which provider and with which optimizations the model runs.
func (s *RunModel) describe(l *loadedPart, r *runReport) {
	facts := l.Facts()
	r.On = s.Launcher()
	r.Provider, r.Refused, r.Warnings = facts.Provider, facts.Refused, reporting.OrEmpty(facts.Warnings)
	r.Opt, r.OptWhy = l.opt, l.optWhy
	r.Notes = append(r.Notes, reporting.Remarks(facts)...)
	r.Notes = append(r.Notes, l.idle...)
	if l.placement != nil {
		r.NodesByEP = reporting.NodesByProvider(*l.placement)
	}
	if s.Where {
		r.Placement = l.placement
	}
}
