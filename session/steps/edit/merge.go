package edit

import (
	"context"
	"fmt"
	"io"
	"strings"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/reporting"
)

// Merge connects the outputs of the current model to the inputs of another one, and makes one model
// of both.
type Merge struct {
	With        string
	Connect     []string
	Separate    []string
	Prefix      string
	KeepOutputs bool
	flags.Saving
}

// Name implements session.Step.
func (*Merge) Name() string { return "merge" }

// Summary implements session.Step.
func (*Merge) Summary() string { return "connect the outputs of one model to the inputs of another" }

// Options implements session.Step.
func (s *Merge) Options() []session.Option {
	return append([]session.Option{
		session.Path(&s.With, "with", "append the model `NEXT`, which reads this model's outputs").AsRequired().OfFiles(session.ModelFiles...),
		session.List(&s.Connect, "connect", "connect any value of this model to an input of NEXT: `OUTPUT=INPUT`; repeat for several").WithDefault("values and inputs of the same name").Naming(session.NamesValue, "="),
		session.List(&s.Separate, "separate", "keep input `NAME` of NEXT separate from this model's input of the same name; repeat for several").WithDefault("inputs of the same name are merged"),
		session.Text(&s.Prefix, "prefix", "prefix names inside NEXT with `TEXT`").WithDefault("no prefix"),
		session.Switch(&s.KeepOutputs, "keep-outputs", "keep connected outputs as outputs of the result"),
	}, s.Saving.Options()...)
}

// Preview implements session.Step.
func (s *Merge) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	_, r, err := s.merge(ctx, env, m)
	if err != nil {
		return session.Preview{}, err
	}
	return session.Preview{Report: r}, nil
}

// Run implements session.Step.
func (s *Merge) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	merged, r, err := s.merge(ctx, env, m)
	if err != nil {
		return session.Result{}, err
	}
	if r.File, err = s.Save(ctx, env, merged, graphops.SaveOptions{}); err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: merged, Report: r, Files: r.File.Files()}, nil
}

func (s *Merge) merge(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *mergeReport, error) {
	next, err := env.Open(s.With)
	if err != nil {
		return nil, nil, err
	}
	o := edit.MergeOptions{Separate: s.Separate, Prefix: s.Prefix, KeepOutputs: s.KeepOutputs}
	for _, v := range s.Connect {
		c, err := connection(m.Graph().Index(), next.Graph().Index(), v)
		if err != nil {
			return nil, nil, err
		}
		o.Connect = append(o.Connect, c)
	}
	merged, found, err := edit.Merge(ctx, m, next, o)
	if err != nil {
		return nil, nil, fmt.Errorf("%s with %s: %w", nameOf(m), s.With, err)
	}
	r := &mergeReport{
		EditReport: *editReport(s.Name(), found, nil),
		Inputs:     reporting.ValuesOf(merged.Graph().FeedInputs()),
		Outputs:    reporting.ValuesOf(merged.Graph().Outputs()),
	}
	return merged, r, nil
}

// connection splits "OUTPUT=INPUT" at an "=" where both names exist, because names may contain one.
// If there is no such position, it splits at the last "=".
func connection(from, to *graphops.Index, s string) (edit.Connection, error) {
	for i := range len(s) {
		if s[i] != '=' {
			continue
		}
		_, made := from.Value(s[:i])
		if _, taken := to.Value(s[i+1:]); made && taken {
			return edit.Connection{From: s[:i], To: s[i+1:]}, nil
		}
	}
	i := strings.LastIndexByte(s, '=')
	if i < 0 {
		return edit.Connection{}, session.UsageError(fmt.Sprintf("--connect %q: expected OUTPUT=INPUT", s))
	}
	return edit.Connection{From: s[:i], To: s[i+1:]}, nil
}

// nameOf returns the name of a model for messages.
func nameOf(m *graphops.Model) string {
	if m.Path() == "" {
		return "the model"
	}
	return m.Path()
}

// mergeReport is the report of a merge.
type mergeReport struct {
	EditReport
	Inputs  []reporting.Value `json:"inputs"`
	Outputs []reporting.Value `json:"outputs"`
}

// WriteText implements session.Report.
func (r *mergeReport) WriteText(w io.Writer) error {
	reporting.WriteValues(w, "inputs", r.Inputs)
	reporting.WriteValues(w, "outputs", r.Outputs)
	return r.EditReport.WriteText(w)
}
