package steps

import (
	"context"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
	"lathe/session/text"
)

// Export writes a standalone inference model.
type Export struct {
	Output      []string
	MinExternal int64
	// NoInitializers and AsInputs list the initializers as inputs, without their
	// values and with them as defaults.
	NoInitializers, AsInputs bool
	output
}

// Name implements session.Step.
func (*Export) Name() string { return "export" }

// Summary implements session.Step.
func (*Export) Summary() string { return "write a standalone model, as one file or with external data" }

// Options implements session.Step.
func (s *Export) Options() []session.Option {
	external := session.Int(&s.MinExternal, "external-data", "store weights from `BYTES` on in OUT.data beside the model", 1).
		WithImplied(fmt.Sprint(graphops.DefaultMinExternal))
	options := s.output.options()
	options[0] = options[0].AsRequired()
	return append([]session.Option{
		session.List(&s.Output, "output", "export what value `NAME` needs; without it the model's outputs").Naming(session.NamesValue, ""),
		external,
		session.Switch(&s.NoInitializers, "no-initializers", "leave the weights out: initializers become inputs that a run must be given"),
		session.Switch(&s.AsInputs, "initializers-as-inputs", "list initializers among the inputs too, as defaults that a run may override"),
	}, options...)
}

// listed is the exported model with its initializers as inputs, if that was
// asked for, and the report of it.
func (s *Export) listed(m *graphops.Model, p *graphops.Pruning) (*graphops.Model, error) {
	if s.NoInitializers && s.AsInputs {
		return nil, session.UsageError("export: --no-initializers and --initializers-as-inputs exclude each other")
	}
	if !s.NoInitializers && !s.AsInputs {
		return m, nil
	}
	listed, r, _, err := edit.InitializersToInputs(m, m.Places()[0], edit.InputOptions{Optional: s.AsInputs})
	if err != nil {
		return nil, err
	}
	p.Inputs = listed.Graph().FeedInputs()
	p.Warnings = append(p.Warnings, r.Warnings...)
	return listed, nil
}

// Preview implements session.Step.
func (s *Export) Preview(_ context.Context, _ session.Env, m *graphops.Model) (session.Preview, error) {
	exported, p, err := graphops.Prune(m, graphops.PruneOptions{Outputs: s.Output})
	if err != nil {
		return session.Preview{}, about(m, err)
	}
	if exported, err = s.listed(exported, p); err != nil {
		return session.Preview{}, about(m, err)
	}
	r, err := s.report(exported, p)
	return session.Preview{Report: r, Keep: p.Keep}, err
}

// Run implements session.Step.
func (s *Export) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	exported, p, err := pruneTyped(ctx, env, m, graphops.PruneOptions{Outputs: s.Output})
	if err != nil {
		return session.Result{}, err
	}
	if exported, err = s.listed(exported, p); err != nil {
		return session.Result{}, about(m, err)
	}
	r, err := s.report(exported, p)
	if err != nil {
		return session.Result{}, err
	}
	if r.File, err = s.save(ctx, env, exported, s.storage()); err != nil {
		return session.Result{}, err
	}
	if r.File != nil {
		r.Bytes, r.ExternalData = r.File.Bytes+r.File.ExternalBytes, r.File.ExternalData != ""
	}
	result := session.Result{Report: r, Files: r.File.files()}
	if slices.Contains(p.Keep, false) || s.NoInitializers || s.AsInputs || s.Out == "" {
		result.Model = exported
	}
	return result, nil
}

func (s *Export) storage() graphops.SaveOptions {
	if s.MinExternal > 0 {
		return graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: s.MinExternal}
	}
	return graphops.SaveOptions{Storage: graphops.StoreEmbedded}
}

func (s *Export) report(exported *graphops.Model, p *graphops.Pruning) (*ExportReport, error) {
	size, err := graphops.SavedSize(exported, s.storage())
	if err != nil {
		return nil, err
	}
	r := &ExportReport{PruneReport: *pruneReport(p, nil), Embedded: []string{}, Bytes: size, ExternalData: s.MinExternal > 0}
	r.Schema = "lathe.export/1"
	return r, nil
}

// ExportReport is what an export writes.
type ExportReport struct {
	PruneReport
	// Embedded are the parameters that came from a checkpoint.
	Embedded     []string `json:"embedded"`
	ExternalData bool     `json:"external_data"`
	Bytes        int64    `json:"bytes"`
}

// WriteText implements session.Report.
func (r *ExportReport) WriteText(w io.Writer) error {
	where := "as one file"
	if r.ExternalData {
		where = "with external data"
	}
	fmt.Fprintf(w, "exports %s %s, %s\n", text.Plural(r.KeptNodes, "node"), where, text.Bytes(r.Bytes))
	return r.PruneReport.WriteText(w)
}
