package cut

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/reporting"
	"lathe/session/text"
)

// Prune keeps the part of a model that chosen outputs need.
type Prune struct {
	Output []string
	Input  []string
	flags.Saving
}

// Name implements session.Step.
func (*Prune) Name() string { return "prune" }

// Summary implements session.Step.
func (*Prune) Summary() string {
	return "extract the part of a model between chosen inputs and outputs"
}

// Options implements session.Step.
func (s *Prune) Options() []session.Option {
	return append([]session.Option{
		session.List(&s.Output, "output", "keep what value `NAME` needs; repeat for several").AsRequired().Naming(session.NamesValue, ""),
		session.List(&s.Input, "input", "make value `NAME` an input and remove what comes before it; repeat for several").Naming(session.NamesValue, ""),
	}, s.Saving.Options()...)
}

// Preview implements session.Step.
func (s *Prune) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	i, err := infer(ctx, env, m, graphops.PruneOptions{Outputs: s.Output, Inputs: s.Input})
	if err != nil {
		return session.Preview{}, err
	}
	_, p, err := i.model()
	if err != nil {
		return session.Preview{}, session.InModel(m, err)
	}
	r := pruneReport(p, nil)
	r.Untyped = p.Untyped
	return session.Preview{Report: r, Keep: p.Keep}, nil
}

// Run implements session.Step.
func (s *Prune) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	pruned, p, err := pruneTyped(ctx, env, m, graphops.PruneOptions{Outputs: s.Output, Inputs: s.Input})
	if err != nil {
		return session.Result{}, err
	}
	file, err := s.Save(ctx, env, pruned, graphops.SaveOptions{})
	if err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: pruned, Report: pruneReport(p, file), Files: file.Files()}, nil
}

// inferred is a planned prune with the inferred types of the values that become inputs and outputs.
type inferred struct {
	plan     *graphops.PrunePlan
	types    map[string]graphops.Type
	warnings []string
}

// infer plans a prune and infers the types that are not declared or contradict the graph.
func infer(ctx context.Context, env session.Env, m *graphops.Model, o graphops.PruneOptions) (*inferred, error) {
	plan, err := graphops.PlanPrune(m, o)
	if err != nil {
		return nil, session.InModel(m, err)
	}
	env.Progress(session.Progress{Phase: "inferring types"})
	types, warnings, err := cutTypes(ctx, m, o)
	if err != nil {
		return nil, session.InModel(m, err)
	}
	return &inferred{plan, types, warnings}, nil
}

// model returns the pruned model.
func (i *inferred) model() (*graphops.Model, *graphops.Pruning, error) {
	pruned, p, err := i.plan.Model(i.types)
	if err == nil {
		p.Warnings = append(p.Warnings, i.warnings...)
	}
	return pruned, p, err
}

// cutTypes infers the types of values that become inputs or outputs. It returns only types that
// differ from the declaration or have none.
func cutTypes(ctx context.Context, m *graphops.Model, o graphops.PruneOptions) (map[string]graphops.Type, []string, error) {
	r, err := shape.Infer(ctx, m, shape.Options{NameAxes: true})
	if errors.Is(err, shape.ErrLimit) {
		return map[string]graphops.Type{}, []string{fmt.Sprintf("only declared types are used: %v", err)}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	types, warnings := map[string]graphops.Type{}, []string(nil)
	main := m.Places()[0]
	x := main.Graph.Index()
	outputs := o.Outputs
	if len(outputs) == 0 {
		outputs = graphops.ValueNames(m.Graph().Outputs())
	}
	for _, name := range slices.Concat(o.Inputs, outputs) {
		id, ok := x.Value(name)
		if _, again := types[name]; !ok || again {
			continue
		}
		declared := main.Type(id)
		b := r.Believe(main, id, declared)
		if b.Denied == "" && !b.Filled {
			continue
		}
		if t := r.ForFile(b); t.Kind != graphops.TypeTensor || t.Elem != tensor.Undefined {
			types[name] = t // a rank without an element type cannot be stored
		}
		if b.Denied != "" {
			warnings = append(warnings, b.Deny(name, declared))
		}
	}
	return types, warnings, nil
}

// pruneTyped prunes, and asks the runtime for types that cannot be inferred, such as those of
// custom operators. If the runtime does not know them either, there is a warning: the runtime can
// infer the type of an output when it loads the model, but an input needs one.
func pruneTyped(ctx context.Context, env session.Env, m *graphops.Model, o graphops.PruneOptions) (*graphops.Model, *graphops.Pruning, error) {
	i, err := infer(ctx, env, m, o)
	if err != nil {
		return nil, nil, err
	}
	pruned, p, err := i.model()
	if err != nil || len(p.Untyped) == 0 {
		return pruned, p, session.InModel(m, err)
	}
	env.Progress(session.Progress{Phase: "asking the runtime for types"})
	types, err := env.Runtime.Types(ctx, m, p.Untyped)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the type of %s cannot be inferred, and the runtime could not be asked: %v", graphops.QuoteNames(p.Untyped), err))
		return pruned, p, nil
	}
	maps.Copy(i.types, types)
	pruned, p, err = i.model()
	if err == nil && len(p.Untyped) > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("neither the graph nor the runtime knows the type of %s", graphops.QuoteNames(p.Untyped)))
	}
	return pruned, p, session.InModel(m, err)
}

// PruneReport is the report of a prune.
type PruneReport struct {
	Schema       string            `json:"schema"`
	KeptNodes    int               `json:"kept_nodes"`
	RemovedNodes int               `json:"removed_nodes"`
	RemovedBytes int64             `json:"removed_bytes"`
	Inputs       []reporting.Value `json:"inputs"`
	Outputs      []reporting.Value `json:"outputs"`
	LostInputs   []string          `json:"lost_inputs"`
	Warnings     []string          `json:"warnings"`
	// Untyped are inputs and outputs whose types cannot be inferred. A preview lists them; Run asks
	// the runtime.
	Untyped []string             `json:"untyped,omitempty"`
	File    *reporting.SavedFile `json:"file,omitempty"`
}

func pruneReport(p *graphops.Pruning, file *reporting.SavedFile) *PruneReport {
	return &PruneReport{
		Schema:       "lathe.prune/1",
		KeptNodes:    p.KeptNodes,
		RemovedNodes: p.RemovedNodes,
		RemovedBytes: p.RemovedBytes,
		Inputs:       reporting.ValuesOf(p.Inputs),
		Outputs:      reporting.ValuesOf(p.Outputs),
		LostInputs:   reporting.OrEmpty(p.LostInputs),
		Warnings:     reporting.OrEmpty(p.Warnings),
		File:         file,
	}
}

// WriteText implements session.Report.
func (r *PruneReport) WriteText(w io.Writer) error {
	if r.RemovedNodes == 0 {
		fmt.Fprintf(w, "keeps all of %s\n", text.Plural(r.KeptNodes, "node"))
	} else {
		size := text.Bytes(r.RemovedBytes) + " smaller"
		if r.RemovedBytes < 0 {
			size = text.Bytes(-r.RemovedBytes) + " larger: the types of new inputs are stored"
		}
		fmt.Fprintf(w, "keeps %s, drops %s; the model is %s\n", text.Plural(r.KeptNodes, "node"), text.Plural(r.RemovedNodes, "node"), size)
	}
	reporting.WriteValues(w, "inputs", r.Inputs)
	reporting.WriteValues(w, "outputs", r.Outputs)
	if len(r.Untyped) > 0 {
		fmt.Fprintf(w, "  (the runtime will be asked for the type of %s)\n", text.Clean(graphops.QuoteNames(r.Untyped)))
	}
	if len(r.LostInputs) > 0 {
		fmt.Fprintf(w, "inputs removed: %s\n", text.Clean(strings.Join(r.LostInputs, ", ")))
	}
	reporting.WriteWarnings(w, r.Warnings)
	r.File.WriteText(w)
	return nil
}
