package cut

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/parameters"
	"lathe/session"
	"lathe/session/filling"
	"lathe/session/flags"
	"lathe/session/runtime"
	"lathe/session/text"
)

// Export writes a model that needs no other file, or a model with external data. It can cut out a
// part, add weights, and convert the opset.
type Export struct {
	Output      []string
	MinExternal int64
	SplitData   int64
	// NoInitializers leaves out the weights. AsInputs lists the initializers among the inputs.
	// Alone, AsInputs makes them inputs with default values. Together with NoInitializers, it makes
	// them inputs without a default, which every run has to set.
	NoInitializers, AsInputs bool
	// Opset is the version of the standard operators to convert the model to. 0 keeps its version.
	Opset   int64
	NoProof bool // skips the check of the converted model
	// Inference converts a model in training mode to an inference graph.
	Inference bool
	on        flags.ProofInputs
	filling.Flags
	flags.Provenance
	flags.Saving
}

// Name implements session.Step.
func (*Export) Name() string { return "export" }

// Summary implements session.Step.
func (*Export) Summary() string { return "write a standalone model, as one file or with external data" }

// Options implements session.Step.
func (s *Export) Options() []session.Option {
	external := session.Int(&s.MinExternal, "external-data", "store weights of at least `BYTES` in OUT.data beside the model", 1).WithDefault("as in the model").
		WithImplied(fmt.Sprint(graphops.DefaultMinExternal)).AsUsual()
	options := s.Saving.Options()
	options[0] = options[0].AsRequired()
	return append([]session.Option{
		session.List(&s.Output, "output", "export what value `NAME` needs; repeat for several").WithDefault("the model's outputs").Naming(session.NamesValue, ""),
		external,
		session.Size(&s.SplitData, "split-data", "with --external-data: start another file, OUT.data-2 and so on, before one exceeds this `SIZE`, such as 2G").WithDefault("one file").AsRare(),
		session.Switch(&s.NoInitializers, "no-initializers", "leave the weights out; add them later with --weights, or pass them to each run with --initializers-as-inputs").AsUsual(),
		session.Switch(&s.AsInputs, "initializers-as-inputs", "list initializers as inputs that a run may override; with --no-initializers a run must pass them").AsUsual(),
		inferenceOption(&s.Inference),
		opsetOption(&s.Opset),
		flags.NoCheckOption(&s.NoProof, "with --opset: do not compare the result with the original", "no-proof"),
	}, slices.Concat(s.on.Options("with --opset: "), []session.Option{s.on.MemoryOption("with --opset: ")}, s.Flags.Options(), s.Provenance.Options(), options)...)
}

// Ahead implements session.Running. Checking the model in another opset needs the runtime.
func (s *Export) Ahead() (need runtime.Need, o runtime.Execution) {
	if s.Opset > 0 && !s.NoProof {
		need = runtime.NeedWorker
	}
	return need, runtime.Execution{}
}

// listed returns the exported model after --initializers-as-inputs and --no-initializers were
// applied. Without these options, it returns the model unchanged.
func (s *Export) listed(m *graphops.Model, p *graphops.Pruning) (*graphops.Model, error) {
	var listed *graphops.Model
	var r *edit.Report
	var err error
	switch main := m.Places()[0]; {
	case s.AsInputs:
		listed, r, _, err = edit.InitializersToInputs(m, main, edit.InputOptions{Optional: !s.NoInitializers})
	case s.NoInitializers:
		listed, r, _, err = edit.InitializersOut(m, main, nil)
	default:
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	p.Inputs = listed.Graph().FeedInputs()
	p.Warnings = append(p.Warnings, r.Warnings...)
	return listed, nil
}

// Preview implements session.Step.
func (s *Export) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	if err := s.check(); err != nil {
		return session.Preview{}, err
	}
	cut := func(m *graphops.Model) (*graphops.Model, *graphops.Pruning, error) {
		exported, p, err := graphops.Prune(m, graphops.PruneOptions{Outputs: s.Output})
		return exported, p, session.InModel(m, err)
	}
	exported, p, filled, err := s.Fill(ctx, m, env, cut)
	if err != nil {
		return session.Preview{}, err
	}
	exported, done, err := s.carried(ctx, env, exported, p)
	if err != nil {
		return session.Preview{}, err
	}
	done.Filled = filled
	if exported, err = s.listed(exported, p); err != nil {
		return session.Preview{}, session.InModel(m, err)
	}
	if exported, err = s.recorded(ctx, env, m, filled.Files(), exported); err != nil {
		return session.Preview{}, err
	}
	r, err := s.report(exported, p, done)
	return session.Preview{Report: r, Keep: p.Keep}, err
}

// Run implements session.Step.
func (s *Export) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.check(); err != nil {
		return session.Result{}, err
	}
	cut := func(m *graphops.Model) (*graphops.Model, *graphops.Pruning, error) {
		return pruneTyped(ctx, env, m, graphops.PruneOptions{Outputs: s.Output})
	}
	exported, p, filled, err := s.Fill(ctx, m, env, cut)
	if err != nil {
		return session.Result{}, err
	}
	before := exported
	exported, done, err := s.carried(ctx, env, exported, p)
	if err != nil {
		return session.Result{}, err
	}
	if !s.NoProof && done.Opset != nil {
		on, err := s.on.Of(done.Opset.original, s.Out)
		if err != nil {
			return session.Result{}, err
		}
		if err := done.Opset.prove(ctx, env, exported, on); err != nil {
			return session.Result{}, session.InModel(m, err)
		}
	}
	done.Filled = filled
	changed := exported != before || filled != nil
	if exported, err = s.listed(exported, p); err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	if exported, err = s.recorded(ctx, env, m, filled.Files(), exported); err != nil {
		return session.Result{}, err
	}
	r, err := s.report(exported, p, done)
	if err != nil {
		return session.Result{}, err
	}
	if r.File, err = s.Save(ctx, env, exported, s.storage()); err != nil {
		return session.Result{}, err
	}
	if r.File != nil {
		r.Bytes, r.ExternalData = r.File.Bytes+r.File.ExternalBytes, r.File.ExternalData != ""
	}
	result := session.Result{Report: r, Files: r.File.Files(), No: done.Opset.isDoubtful()}
	switch {
	case changed || slices.Contains(p.Keep, false) || s.NoInitializers || s.AsInputs:
		result.Model = exported
	case s.Out == "":
		result.Model = m
	}
	if result.Model != nil && s.Nameless && s.Out != "" {
		if result.Model, err = env.Open(s.Out); err != nil {
			return result, err
		}
	}
	return result, nil
}

// weightsAre says where the weights are, for the report. It is one of four texts, for the
// combinations of --no-initializers and --initializers-as-inputs.
func (s *Export) weightsAre() string {
	switch {
	case s.NoInitializers && s.AsInputs:
		return "weights are left out and listed as inputs, which a run must pass"
	case s.NoInitializers:
		return "weights are left out, and undefined until lathe export --weights adds them"
	case s.AsInputs:
		return "weights are initializers and listed as inputs, which a run may override"
	}
	return "weights are initializers, not inputs"
}

// check returns an error for options that have no effect without another one.
func (s *Export) check() error {
	if s.SplitData > 0 && s.MinExternal == 0 {
		return session.UsageError("--split-data: has an effect only with --external-data")
	}
	if s.NoProof && s.Opset == 0 {
		return session.UsageError("--no-check: has an effect only with --opset")
	}
	switch {
	case s.Opset == 0:
		return s.on.Refuse("nothing is checked without --opset")
	case s.NoProof:
		return s.on.Refuse("--no-check turns the check off")
	}
	return nil
}

func (s *Export) storage() graphops.SaveOptions {
	if s.MinExternal > 0 {
		return graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: s.MinExternal, Split: s.SplitData}
	}
	return graphops.SaveOptions{Storage: graphops.StoreEmbedded}
}

func (s *Export) report(exported *graphops.Model, p *graphops.Pruning, done exportChanges) (*exportReport, error) {
	plan, err := graphops.PlanSave(exported, s.storage())
	if err != nil {
		return nil, err
	}
	p.Warnings = append(p.Warnings, s.savingWarnings(plan)...)
	r := &exportReport{PruneReport: *pruneReport(p, nil), Embedded: done.Filled.Embedded(exported), Bytes: plan.Bytes(), Plan: planOf(plan), ExternalData: s.MinExternal > 0, exportChanges: done, nodes: len(exported.Graph().Nodes()), weights: s.weightsAre()}
	r.Schema = "lathe.export/1"
	return r, nil
}

// savingWarnings warn about a model file that is too large for protobuf, and about tensors larger
// than the limit of data files.
func (s *Export) savingWarnings(plan graphops.SavePlan) (warnings []string) {
	if plan.ModelBytes > graphops.MaxModelBytes {
		warnings = append(warnings, fmt.Sprintf("the model file would take %d bytes, and protobuf allows %d: --external-data stores weights beside it", plan.ModelBytes, graphops.MaxModelBytes))
	}
	if len(plan.Larger) > 0 {
		warnings = append(warnings, fmt.Sprintf("larger than --split-data, and therefore in a separate data file: %s", graphops.QuoteNames(plan.Larger)))
	}
	return warnings
}

// savePlan has the sizes of the model file and its data files in bytes.
type savePlan struct {
	ModelBytes int64   `json:"model_bytes"`
	DataBytes  []int64 `json:"data_bytes"`
}

func planOf(p graphops.SavePlan) savePlan {
	return savePlan{p.ModelBytes, append([]int64{}, p.DataBytes...)}
}

// exportReport is the report of an export.
type exportReport struct {
	PruneReport
	// Embedded are the initializers whose values came from a checkpoint or another file.
	Embedded     []string `json:"embedded"`
	ExternalData bool     `json:"external_data"`
	Bytes        int64    `json:"bytes"`
	Plan         savePlan `json:"plan"`
	exportChanges
	nodes   int    // number of nodes that are written
	weights string // where the weights are
}

// WriteText implements session.Report.
func (r *exportReport) WriteText(w io.Writer) error { return r.write(w, filling.FitsTold) }

// WriteWhole implements session.Thorough.
func (r *exportReport) WriteWhole(w io.Writer) error { return r.write(w, math.MaxInt) }

func (r *exportReport) write(w io.Writer, fits int) error {
	fmt.Fprintf(w, "exports %s %s\n", text.Plural(r.nodes, "node"), r.Plan.String())
	fmt.Fprintf(w, "%s\n", r.weights)
	r.exportChanges.writeText(w, fits)
	return r.PruneReport.WriteText(w)
}

// String describes the sizes of the files.
func (p savePlan) String() string {
	switch all := int64(0); len(p.DataBytes) {
	case 0:
		return "as one file, " + text.Bytes(p.ModelBytes)
	case 1:
		return fmt.Sprintf("with external data, %s and %s of data", text.Bytes(p.ModelBytes), text.Bytes(p.DataBytes[0]))
	default:
		for _, n := range p.DataBytes {
			all += n
		}
		return fmt.Sprintf("with external data, %s and %s in %d data files", text.Bytes(p.ModelBytes), text.Bytes(all), len(p.DataBytes))
	}
}

// recorded returns a model with metadata about how it was made. The metadata contains neither a folder
// nor a time, so that the same export always writes the same file.
func (s *Export) recorded(ctx context.Context, env session.Env, source *graphops.Model, set *parameters.Set, m *graphops.Model) (*graphops.Model, error) {
	if s.NoProvenance {
		return m, nil
	}
	digest, err := graphops.DigestOf(ctx, source)
	if err != nil {
		return nil, session.InModel(source, err)
	}
	own := []graphops.Entry{{Key: flags.MadeBy, Value: env.Version}, {Key: flags.MadeFrom, Value: digest.String()}}
	if set != nil {
		digest, err := set.Digest(ctx)
		if err != nil {
			return nil, err
		}
		own = append(own, graphops.Entry{Key: flags.MadeWith, Value: digest.String()})
	}
	own = append(own, graphops.Entry{Key: flags.MadeHow, Value: flags.RecipeOf(s)})
	return flags.WithProvenance(m, own...), nil
}
