package steps

import (
	"context"
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session"
	"lathe/session/text"
)

// RunModel runs a model once and describes what comes out.
type RunModel struct {
	Values []string
	Save   string
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
		session.List(&s.Values, "values", "describe value `NAME`, also one inside the graph; repeat for several").Naming(session.NamesValue, ""),
		session.Path(&s.Save, "save", "write the values to this `NPZ` file"),
		session.Switch(&s.Force, "force", "replace the NPZ file if it exists"),
	}
	return append(append(options, s.feeding.options()...), s.execution.options()...)
}

// Preview implements session.Step; a run changes nothing, so it is the same.
func (s *RunModel) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	draft := *s
	draft.Save = ""
	r, err := draft.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step.
func (s *RunModel) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.checkTarget(m); err != nil {
		return session.Result{}, err
	}
	cases, err := s.cases(graphops.NamedTypes(m.Graph().FeedInputs()), 1)
	if err != nil {
		return session.Result{}, about(m, err)
	}
	first := cases.Cases[0]
	r := &RunReport{Schema: "lathe.run-model/1", Case: first.Name, Notes: orEmpty(cases.Notes), Values: []valueStats{}}
	if len(cases.Cases) > 1 {
		r.Notes = append(r.Notes, fmt.Sprintf("ran the first of %d cases", len(cases.Cases)))
	}
	env.Progress(session.Progress{Phase: "running"})
	var arrays []npz.Entry
	err = s.run(ctx, env, m, first.Feeds, func(g graphops.Got) error {
		v, err := describe(g)
		r.Values = append(r.Values, v)
		if g.Kind == graphops.KindTensor {
			arrays = append(arrays, npz.Entry{Name: g.Name, Tensor: g.Value})
		}
		return err
	})
	if err != nil {
		return session.Result{}, err
	}
	result := session.Result{Report: r}
	if s.Save != "" {
		o := graphops.WriteOptions{Overwrite: s.Force}
		if err := graphops.WriteFile(ctx, s.Save, o, func(w io.Writer) error { return npz.Write(w, arrays) }); err != nil {
			return session.Result{}, err
		}
		r.Saved, result.Files = s.Save, []string{s.Save}
	}
	return result, nil
}

// checkTarget keeps the values from replacing the model or the data that they
// come from, also with --force.
func (s *RunModel) checkTarget(m *graphops.Model) error {
	if s.Save == "-" {
		return session.UsageError("--save -: arrays are written to a file; name one")
	}
	if s.Save == "" {
		return nil
	}
	if err := graphops.RefuseSources(m, s.Save); err != nil {
		return err
	}
	return refuseData(s.Data, s.Save)
}

func (s *RunModel) run(ctx context.Context, env session.Env, m *graphops.Model, feeds graphops.Feeds, yield func(graphops.Got) error) error {
	if len(s.Values) > 0 {
		return env.Runtime.Run(ctx, m, feeds, s.Values, yield)
	}
	o, err := s.value()
	if err != nil {
		return err
	}
	l, err := env.Runtime.Load(ctx, m, o)
	if err != nil {
		return err
	}
	got, err := l.Run(ctx, feeds, nil)
	for _, g := range got {
		if err == nil {
			err = yield(g)
		}
	}
	return errors.Join(err, l.Close())
}

// valueStats describes one value. The numbers are null for what has none:
// strings, and values that are no tensor.
type valueStats struct {
	Name  string         `json:"name"`
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"`
	Min   *tensor.Number `json:"min"`
	Max   *tensor.Number `json:"max"`
	Mean  *tensor.Number `json:"mean"`
	Std   *tensor.Number `json:"std"`
	NaN   *int64         `json:"nan"`
	Inf   *int64         `json:"inf"`
}

func describe(g graphops.Got) (valueStats, error) {
	v := valueStats{Name: g.Name, Type: g.Kind}
	if g.Kind != graphops.KindTensor {
		return v, nil
	}
	v.Type, v.Shape = g.Value.DType.String(), graphops.FixedShape(g.Value.Shape)
	if g.Value.DType.Kind() == tensor.KindString {
		return v, nil
	}
	st, err := tensor.Summarize(g.Value)
	if err != nil {
		return v, fmt.Errorf("value %q: %w", g.Name, err)
	}
	v.Min, v.Max, v.Mean, v.Std = &st.Min, &st.Max, &st.Mean, &st.Std
	v.NaN, v.Inf = &st.NaN, &st.Inf
	return v, nil
}

// RunReport is what a run gave.
type RunReport struct {
	Schema string       `json:"schema"`
	Case   string       `json:"case"`
	Values []valueStats `json:"values"`
	Notes  []string     `json:"notes"`
	Saved  string       `json:"saved,omitempty"`
}

// WriteText implements session.Report.
func (r *RunReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "ran on %s\n", text.Clean(r.Case))
	t := text.Table{Titles: []string{"value", "type", "shape", ">min", ">max", ">mean", ">std", ">nan", ">inf"}}
	for _, v := range r.Values {
		row := []any{text.Clean(v.Name), v.Type, v.Shape}
		if v.Min != nil {
			row = append(row, figure(*v.Min), figure(*v.Max), figure(*v.Mean), figure(*v.Std), *v.NaN, *v.Inf)
		}
		t.Add(row...)
	}
	if err := t.WriteText(w, "  "); err != nil {
		return err
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", text.CleanLine(n))
	}
	if r.Saved != "" {
		fmt.Fprintf(w, "wrote %s\n", text.Clean(r.Saved))
	}
	return nil
}

func figure(n tensor.Number) string { return fmt.Sprintf("%.5g", float64(n)) }
