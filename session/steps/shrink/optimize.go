package shrink

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/adopt"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/proof"
	"lathe/session/runtime"
	"lathe/session/text"
	"lathe/session/trial"
)

// Optimize rewrites a model with ONNX Runtime's optimizations, its transformer optimizer, or both. Or it
// lets an execution provider compile the model.
type Optimize struct {
	Level         string
	Transformers  bool
	Compile       bool
	Blob          string
	ModelType     string
	Heads, Hidden int64
	EP            string
	flags.Running
	on flags.ProofInputs
	flags.Saving
}

// Name implements session.Step.
func (*Optimize) Name() string { return "optimize" }

// Summary implements session.Step.
func (*Optimize) Summary() string {
	return "apply ONNX Runtime's graph optimizations once, or compile for a device, and save the result"
}

// Options implements session.Step.
func (s *Optimize) Options() []session.Option {
	options := []session.Option{
		session.Choice(&s.Level, "opt", "optimize the graph up to this `LEVEL`, required without --transformers or --compile: basic keeps standard operators, extended also fuses into ONNX Runtime's own, layout and all fit only this CPU", "basic", "extended", "layout", "all").WithDefault("none with --transformers or --compile").AsUsual().Formerly("level"),
		session.Switch(&s.Transformers, "transformers", "run the transformer optimizer of the onnxruntime package first, in your Python (see --python)").AsUsual().Does(permit.Python),
		session.Text(&s.ModelType, "model-type", "with --transformers: model `TYPE`, such as bert or gpt2").WithDefault("bert"),
		session.Int(&s.Heads, "num-heads", "with --transformers: number of attention heads", 1).WithDefault("detected in the graph"),
		session.Int(&s.Hidden, "hidden-size", "with --transformers: hidden size of attention", 1).WithDefault("detected in the graph"),
		session.Switch(&s.Compile, "compile", "let the execution provider of --ep, such as openvino or qnn, compile the model instead; only this provider runs the result").AsUsual(),
		session.Choice(&s.Blob, "blob", "with --compile: `WHERE` to store what is compiled: in the model (embed) or in a file beside it (file)", blobEmbed, blobFile).WithDefault("embed up to " + text.Bytes(maxEmbedded) + " of weights"),
		session.Text(&s.EP, "ep", "optimize for the first execution provider of this `CHAIN` that works here, such as cuda,cpu").WithDefault("cpu").AsUsual().In(session.GroupRunOn),
	}
	out := s.Saving.Options()
	out[0] = out[0].AsRequired()
	return slices.Concat(options, s.on.Options(""), s.session(), out)
}

// session returns those options of a run that matter for loading a model once. The optimization
// level is an option of this step.
func (s *Optimize) session() []session.Option {
	var out []session.Option
	for _, o := range s.Running.Options() {
		switch o.Name {
		case "ep-option", "device", "deterministic", "session-config", "custom-ops", "timeout", "memory-limit":
			out = append(out, o)
		case "on":
			o.Usage = "the result fits only the machine that optimizes it, which is this one; to optimize for another, run lathe optimize there"
			out = append(out, o)
		}
	}
	return out
}

// OpenModel returns an error: models are not opened on another machine.
func (s *Optimize) OpenModel(context.Context, session.Env, string) (*graphops.Model, error) {
	return nil, s.usage()
}

// Preview implements session.Step.
func (s *Optimize) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	o, err := s.execution(env)
	if err != nil {
		return session.Preview{}, err
	}
	if s.Compile {
		return s.previewCompiled(ctx, env, m, o)
	}
	p, err := s.optimize(ctx, env, m, o, nil)
	if err != nil {
		return session.Preview{}, err
	}
	r, err := s.report(ctx, m, p)
	return session.Preview{Report: r}, err
}

// Run implements session.Step.
func (s *Optimize) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	o, err := s.execution(env)
	if err != nil {
		return session.Result{}, err
	}
	if err := s.Saving.CheckTarget(ctx); err != nil {
		return session.Result{}, err
	}
	if s.Compile {
		return s.runCompiled(ctx, env, m, o)
	}
	p, proved, err := s.prove(ctx, env, m, o)
	if err != nil {
		return session.Result{}, err
	}
	r, err := s.report(ctx, m, p)
	if err != nil {
		return session.Result{}, err
	}
	r.Proof = proved
	if r.File, err = s.Save(ctx, env, p.model, trial.StorageFor(m, p.model)); err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: p.model, Report: r, Files: r.File.Files(), No: r.Proof.IsDoubtful()}, nil
}

// execution returns with which options the runtime loads the model.
func (s *Optimize) execution(env session.Env) (runtime.Execution, error) {
	if err := s.usage(); err != nil {
		return runtime.Execution{}, err
	}
	o, err := s.WithChain(env, s.EP, "")
	if err == nil && s.Compile {
		err = compilable(o)
	}
	o.Opt = s.Level
	return o, err
}

func (s *Optimize) usage() error {
	switch {
	case s.RunsElsewhere():
		return session.UsageError("--on: the result fits only the machine that optimizes it; run lathe optimize there, such as ssh gpu1 lathe optimize")
	case s.Compile && s.Level != "":
		return session.UsageError("--compile: the provider optimizes what it compiles; to optimize the graph first, run lathe optimize --opt basic, and compile its result")
	case s.Compile && s.Transformers:
		return session.UsageError("--compile: run lathe optimize --transformers first, and compile its result")
	case s.Blob != "" && !s.Compile:
		return session.UsageError("--blob has an effect only with --compile")
	case s.Level == "" && !s.Transformers && !s.Compile:
		return session.UsageError("optimize: give a level with --opt basic, extended, layout or all, or ask for --transformers or --compile")
	case !s.Transformers && (s.ModelType != "" || s.Heads > 0 || s.Hidden > 0):
		return session.UsageError("--model-type, --num-heads and --hidden-size have an effect only with --transformers")
	}
	return nil
}

// product is an optimized model, and how it was made.
type product struct {
	model  *graphops.Model
	fused  *fusedBy        // by the transformer optimizer; nil if it was not used
	loaded *optimizedBy    // by the runtime; nil if it was not used
	taken  []*adopt.Report // what was adopted from each of the two, in this order
	// compiled has what a provider compiled; nil if the graph was optimized.
	compiled *compiledBy
}

// transformersPass is the name of the transformer optimizer among the passes.
const transformersPass = "onnxruntime.transformers"

// optimize makes the optimized model without some passes. The passes are the transformer optimizer
// and the named optimizations of the runtime.
func (s *Optimize) optimize(ctx context.Context, env session.Env, m *graphops.Model, o runtime.Execution, without []string) (*product, error) {
	p := &product{model: m}
	if s.Transformers && !slices.Contains(without, transformersPass) {
		if err := s.fuse(ctx, env, p); err != nil {
			return nil, err
		}
	}
	if s.Level != "" {
		if err := s.load(ctx, env, p, o, without); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// take replaces the model by the one that an optimizer made, as far as names and types can be kept.
func (p *product) take(ctx context.Context, made *graphops.Model) error {
	m, r, err := adopt.Model(ctx, p.model, made)
	if err != nil {
		return fmt.Errorf("the returned model cannot replace the original: %w", err)
	}
	p.model = m
	p.taken = append(p.taken, r)
	return nil
}

// prove makes the optimized model and checks that it computes the same. It leaves out passes that
// change results.
func (s *Optimize) prove(ctx context.Context, env session.Env, m *graphops.Model, o runtime.Execution) (*product, *trial.Proof, error) {
	on, err := s.on.Of(m, s.Out)
	if err != nil {
		return nil, nil, err
	}
	whole, err := s.optimize(ctx, env, m, o, nil)
	if err != nil {
		return nil, nil, err
	}
	t := &trials{Files: trial.Files{Of: m}, made: map[*graphops.Model]*product{}}
	defer t.Remove()
	changed, proved, err := trial.Sound(ctx, trial.OnProviders(env, o), on, proof.Pipeline{
		Original: m, Passes: whole.passes(),
		Make: func(ctx context.Context, without []string) (*graphops.Model, error) {
			p := whole
			if len(without) > 0 {
				var err error
				if p, err = s.optimize(ctx, env, m, o, without); err != nil {
					return nil, err
				}
			}
			return t.subject(ctx, env, p)
		},
	})
	if err != nil {
		return nil, nil, session.InModel(m, fmt.Errorf("%w; nothing is written", err))
	}
	return t.made[changed], proved, nil
}

// passes returns the names of the optimizations that changed something, in the order in which they
// ran.
func (p *product) passes() []string {
	var out []string
	if p.fused != nil {
		out = append(out, transformersPass)
	}
	if p.loaded == nil {
		return out
	}
	for _, t := range p.loaded.Transformers {
		for _, pass := range append([]string{t}, rewriteRules[t]...) {
			if !slices.Contains(out, pass) {
				out = append(out, pass)
			}
		}
	}
	return out
}

// rewriteRules are the rules in those transformers of the runtime that consist of rules. The
// runtime does not report which rules changed something, but it can leave out a rule by its name.
// In the list of passes, a transformer is before its rules, so that it is blamed for the effect of
// a rule that is missing here.
var rewriteRules = map[string][]string{
	"Level1_RuleBasedTransformer": {
		"EliminateIdentity", "EliminateSlice", "UnsqueezeElimination", "EliminateDropout", "ExpandElimination", "CastElimination", "CastChainElimination",
		"PreShapeNodeElimination", "NoopElimination", "DivMulFusion", "FuseReluClip", "GemmSumFusion", "GemmTransposeFusion", "NotWhereFusion",
		"ConvAddFusion", "ConvMulFusion", "ConvBNFusion", "Pad_Fusion", "MatMul_BatchNormalization_Fusion", "LabelEncoderFusion",
	},
	"Level2_RuleBasedTransformer": {"ClipQuantRewrite", "ReluQuantRewrite", "GemmTransposeFusion"},
}
