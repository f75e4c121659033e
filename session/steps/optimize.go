package steps

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/adopt"
	"lathe/session"
	"lathe/session/proof"
)

// Optimize lets ONNX Runtime, its transformer optimizer or both rewrite a model.
type Optimize struct {
	Level         string
	Transformers  bool
	ModelType     string
	Heads, Hidden int64
	EP            string
	running
	on proofInputs
	output
}

// Name implements session.Step.
func (*Optimize) Name() string { return "optimize" }

// Summary implements session.Step.
func (*Optimize) Summary() string {
	return "apply ONNX Runtime's graph optimizations once and save the result"
}

// Options implements session.Step.
func (s *Optimize) Options() []session.Option {
	options := []session.Option{
		session.Choice(&s.Level, "opt", "optimize the graph up to this `LEVEL`, required without --transformers: basic keeps standard operators, extended also fuses into ONNX Runtime's own, layout and all fit only this CPU", "basic", "extended", "layout", "all").WithDefault("none with --transformers").AsUsual().Formerly("level"),
		session.Switch(&s.Transformers, "transformers", "run the transformer optimizer of the onnxruntime package first, in your Python (see --python)").AsUsual(),
		session.Text(&s.ModelType, "model-type", "with --transformers: model `TYPE`, such as bert or gpt2").WithDefault("bert"),
		session.Int(&s.Heads, "num-heads", "with --transformers: number of attention heads", 1).WithDefault("detected in the graph"),
		session.Int(&s.Hidden, "hidden-size", "with --transformers: hidden size of attention", 1).WithDefault("detected in the graph"),
		session.Text(&s.EP, "ep", "optimize for the first execution provider of this `CHAIN` that works here, such as cuda,cpu").WithDefault("cpu").AsUsual().In(session.GroupRunOn),
	}
	out := s.output.options()
	out[0] = out[0].AsRequired()
	return slices.Concat(options, s.on.options(""), s.session(), out)
}

// session are those options of a run that matter to a model that is loaded once: the
// level of its optimization has a name of its own here.
func (s *Optimize) session() []session.Option {
	var out []session.Option
	for _, o := range s.running.options() {
		switch o.Name {
		case "ep-option", "deterministic", "session-config", "custom-ops", "timeout", "memory-limit":
			out = append(out, o)
		case "on":
			o.Usage = "the result fits only the machine that optimizes it, which is this one; to optimize for another, run lathe optimize there"
			out = append(out, o)
		}
	}
	return out
}

// OpenModel implements session.Opener: there is nothing to open elsewhere.
func (s *Optimize) OpenModel(context.Context, session.Env, string) (*graphops.Model, error) {
	return nil, s.usage()
}

// Preview implements session.Step.
func (s *Optimize) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	o, err := s.execution(env)
	if err != nil {
		return session.Preview{}, err
	}
	p, err := s.optimize(ctx, env, m, o, nil)
	if err != nil {
		return session.Preview{}, err
	}
	r, err := s.report(m, p)
	return session.Preview{Report: r}, err
}

// Run implements session.Step.
func (s *Optimize) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	o, err := s.execution(env)
	if err != nil {
		return session.Result{}, err
	}
	if err := s.output.check(ctx); err != nil {
		return session.Result{}, err
	}
	p, proved, err := s.prove(ctx, env, m, o)
	if err != nil {
		return session.Result{}, err
	}
	r, err := s.report(m, p)
	if err != nil {
		return session.Result{}, err
	}
	r.Proof = proved
	if r.File, err = s.save(ctx, env, p.model, storageFor(m, p.model)); err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: p.model, Report: r, Files: r.File.files(), No: r.Proof.isDoubtful()}, nil
}

// execution is how the runtime is to load the model.
func (s *Optimize) execution(env session.Env) (session.Execution, error) {
	if err := s.usage(); err != nil {
		return session.Execution{}, err
	}
	o, err := s.withChain(env, s.EP, "")
	o.Opt = s.Level
	return o, err
}

func (s *Optimize) usage() error {
	switch {
	case s.RunsElsewhere():
		return session.UsageError("--on: the result fits only the machine that optimizes it; run lathe optimize there, such as ssh gpu1 lathe optimize")
	case s.Level == "" && !s.Transformers:
		return session.UsageError("optimize: give a level with --opt basic, extended, layout or all, or ask for --transformers")
	case !s.Transformers && (s.ModelType != "" || s.Heads > 0 || s.Hidden > 0):
		return session.UsageError("--model-type, --num-heads and --hidden-size have an effect only with --transformers")
	}
	return nil
}

// product is what was made of a model, and how.
type product struct {
	model  *graphops.Model
	fused  *fusedBy        // by the transformer optimizer; nil without it
	loaded *optimizedBy    // by the runtime; nil without it
	taken  []*adopt.Report // of each of the two, in this order
}

// transformersPass names the transformer optimizer among the passes.
const transformersPass = "onnxruntime.transformers"

// optimize makes the optimized model without some of the passes, which are the
// transformer optimizer and those of the runtime by their names.
func (s *Optimize) optimize(ctx context.Context, env session.Env, m *graphops.Model, o session.Execution, without []string) (*product, error) {
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

// take takes over what one of the two made.
func (p *product) take(ctx context.Context, made *graphops.Model) error {
	m, r, err := adopt.Model(ctx, p.model, made)
	if err != nil {
		return fmt.Errorf("the returned model cannot replace the original: %w", err)
	}
	p.model = m
	p.taken = append(p.taken, r)
	return nil
}

// prove makes the model and shows that it computes the same, without the passes that
// would make it another one.
func (s *Optimize) prove(ctx context.Context, env session.Env, m *graphops.Model, o session.Execution) (*product, *proofReport, error) {
	on, err := s.on.of(m, s.Out)
	if err != nil {
		return nil, nil, err
	}
	whole, err := s.optimize(ctx, env, m, o, nil)
	if err != nil {
		return nil, nil, err
	}
	t := &trials{of: m, made: map[*graphops.Model]*product{}}
	defer t.remove()
	changed, proved, err := sound(ctx, onProviders(env, o), on, proof.Pipeline{
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
		return nil, nil, about(m, fmt.Errorf("%w; nothing is written", err))
	}
	return t.made[changed], proved, nil
}

// passes are those that changed something, in their order.
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

// rewriteRules are the rules of the runtime's transformers that consist of such, which it does not
// report one by one but leaves out by name. A transformer goes before its rules among the passes:
// it is to blame for what a rule does that is missing here.
var rewriteRules = map[string][]string{
	"Level1_RuleBasedTransformer": {
		"EliminateIdentity", "EliminateSlice", "UnsqueezeElimination", "EliminateDropout", "ExpandElimination", "CastElimination", "CastChainElimination",
		"PreShapeNodeElimination", "NoopElimination", "DivMulFusion", "FuseReluClip", "GemmSumFusion", "GemmTransposeFusion", "NotWhereFusion",
		"ConvAddFusion", "ConvMulFusion", "ConvBNFusion", "Pad_Fusion", "MatMul_BatchNormalization_Fusion", "LabelEncoderFusion",
	},
	"Level2_RuleBasedTransformer": {"ClipQuantRewrite", "ReluQuantRewrite", "GemmTransposeFusion"},
}
