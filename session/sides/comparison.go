package sides

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/layers"
	"lathe/session/reporting"
	"lathe/session/sizing"
	"lathe/session/stepwise"
	"lathe/session/torch"
)

// Comparison runs two sides on the same inputs and judges the difference. Side b is the model that is
// judged. Side a is another model, the same model run in another way, the expected outputs of the
// data, or the reference evaluator.
type Comparison struct {
	A, B      string
	Reference bool
	Torch     string
	Opened    *torch.Bridge // the model of Torch, if it is open already
	// Beyond are further sizes in which the example is tried. only are the only cases that are
	// compared, if set. Both are used together with opened, a PyTorch model that is open already.
	Beyond []torch.Beyond
	// AtOnce runs all tokens at once for a model that takes one token in a run. It may be nil.
	AtOnce stepwise.Run
	Only   []inputs.Case
	// WithoutSteps is set if models with a cache are not to be compared with themselves.
	WithoutSteps bool
	fit          *sizing.Search // proposes sizes, after others were rejected
	RTol, ATol   *float64
	Tolerance    []string
	caseOptions
	layering
	reducing
	generateOptions
	sides sideOptions
	flags.Keeping
	flags.Feeding
	flags.Execution
}

// GeneratedCases is how many cases with different seeds are generated if no data is given.
const GeneratedCases = 3

// Name implements session.Command: the command of a comparison.
func (*Comparison) Name() string { return "validate" }

// Options implements session.Command.
func (s *Comparison) Options() []session.Option {
	options := []session.Option{
		session.Path(&s.A, "a", "the model that B is compared with, such as the original; if there is no B, the model to validate").AsOperand().AsRequired().OfFiles(session.ModelFiles...),
		session.Path(&s.B, "b", "the model to validate").WithDefault("A, compared with the outputs in --data, with --reference, with another way to run it or, if it has a cache, with itself step by step").AsOperand().OfFiles(session.ModelFiles...).AsUsual(),
		session.Switch(&s.Reference, "reference", "compare with the reference evaluator of the onnx package in your Python").AsUsual().Does(permit.Python),
		session.Path(&s.Torch, "torch", "compare with its PyTorch model; `FILE.py:CALLABLE`, module:callable or .pt2, run by your Python").WithDefault("none").Holding(flags.WithTargetPath).OfFiles(session.TorchFiles...).AsUsual().Does(permit.Python),
	}
	tolerances := []session.Option{
		session.FloatFromZero(&s.RTol, "rtol", "relative tolerance of every output; --rtol 0 --atol 0 requires equal elements").WithDefault("depends on the type"),
		session.FloatFromZero(&s.ATol, "atol", "absolute tolerance of every output").WithDefault("depends on the type"),
		toleranceOption(&s.Tolerance),
	}
	all := slices.Concat(session.Measuring(options...), s.layering.options(), s.reducing.options(), s.generateOptions.options(), session.Measuring(tolerances...), s.caseOptions.options(), s.sides.options(), s.Keeping.Options(), flags.WithLabels(s.Feeding.Options()), s.Execution.Options())
	return session.Foremost(all, "a", "b", "data", "ep", "dim", "input", "layers", "generate", "reduce", "reference", "torch")
}

// Run compares the models in the named files. The report of the result is a *Report.
func (s *Comparison) Run(ctx context.Context, env session.Env) (session.Result, error) {
	if err := flags.CheckStdin([]string{s.A, s.B}); err != nil {
		return session.Result{}, err
	}
	if err := s.caseOptions.check(ctx); err != nil {
		return session.Result{}, err
	}
	if err := s.reducing.check(ctx, &s.Running, s.A, s.B); err != nil {
		return session.Result{}, err
	}
	what := s
	if s.Generates() {
		r, err := s.generate(ctx, env)
		if report, ok := r.Report.(*Report); ok && err == nil {
			return r, s.store(ctx, env, report)
		}
		return r, err
	}
	if s.alone() {
		what = s.unoptimized()
	}
	r, err := what.run(ctx, env)
	if report, ok := r.Report.(*Report); ok && err == nil {
		return r, s.store(ctx, env, report)
	}
	return r, err
}

func (s *Comparison) run(ctx context.Context, env session.Env) (session.Result, error) {
	start := time.Now()
	what, err := s.against()
	if err != nil {
		return session.Result{}, err
	}
	if what == againstItself {
		return s.itself(ctx, env, start)
	}
	p, err := s.pair(ctx, env, what)
	if err != nil {
		return s.unloaded(ctx, env, err, time.Since(start))
	}
	defer p.Close()
	return s.Judge(ctx, env, p, what, start)
}

// Judge compares the outputs of two sides that are loaded already, and makes the report.
func (s *Comparison) Judge(ctx context.Context, env session.Env, p *Pairing, what against, start time.Time) (session.Result, error) {
	o, err := s.judging(p)
	if err != nil {
		return session.Result{}, err
	}
	cases, err := s.prepare(env, p, o)
	first := p.Models[0]
	if err == nil {
		err = s.compared(&cases, what, first.types.outputs)
	}
	if err != nil && s.Reduce && what == againstExpected {
		p.Close()
		return s.unoptimized().run(ctx, env)
	}
	if err != nil {
		return session.Result{}, err
	}
	if of := p.Models[len(p.Models)-1]; of.session != nil {
		o.Ties = tiesIn(env, of)
	}
	if cases.Fit != nil {
		o.Rows = compare.RowsOf(cases.Fit.Roles())
	}
	failed := &failing{step: s, env: env, types: first.types.inputs}
	o.NotRun = cases.NotRun
	o.Failed = func(c inputs.Case, outputs []graphops.Got) { failed.keep(ctx, c, outputs) }
	r, err := compare.Compare(ctx, p.A, p.B, cases.Cases, o, func(done, total int) {
		env.Progress(session.Progress{Phase: "comparing", Done: int64(done), Total: int64(total), Unit: "cases"})
	})
	if err = errors.Join(err, failed.err); err != nil {
		return session.Result{}, err
	}
	if cases.Fit != nil && r.RanOnNeither(cases.Cases[0]) == nil {
		cases.Fit.Accepted(ctx)
	}
	if cases.Fit != nil && time.Since(start) < cmp.Or(s.Timeout, flags.SizingTime) && s.mayFit(ctx, env, r.RanOnNeither(cases.Cases[0]), cases.Fit) {
		s.fit = cases.Fit
		return s.Judge(ctx, env, p, what, start)
	}
	r.At(inputs.SizesIn(first.types.inputs, cases.Cases))
	notes := append(reporting.OrEmpty(cases.Notes), failed.notes(r)...)
	if cases.Fit != nil && len(cases.Fit.Attempts) > 1 && r.NoCaseRan() != nil {
		notes = append(notes, cases.Fit.Tried())
	}
	report := &Report{
		Schema: "lathe.validate/1", Report: r, Sides: p.Ran(), InputPairs: reporting.OrEmpty(p.Models[len(p.Models)-1].inputs),
		Saved: reporting.OrEmpty(failed.saved), Notes: notes, again: s.rerunOf(p, cases.Cases), of: p.Models,
	}
	if err := explainSaturation(ctx, p, cases.Cases, o, report); err != nil {
		return session.Result{}, err
	}
	if err := explainTF32(ctx, p, cases.Cases, o, report); err != nil {
		return session.Result{}, err
	}
	if report.Modules, err = s.byModule(ctx, env, p, cases.Cases, r); err != nil {
		return session.Result{}, err
	}
	if err := s.byRows(ctx, env, p, o, report, time.Since(start)); err != nil {
		return session.Result{}, err
	}
	if err := s.stepped(ctx, p, report, time.Since(start)); err != nil {
		return session.Result{}, err
	}
	if s.Layers && r.NoCaseRan() == nil {
		p.Close() // frees memory for the comparison of layers
		if err := s.layering.compare(ctx, env, p, cases.Cases, report, layers.Options{RTol: s.RTol, ATol: s.ATol}); err != nil {
			return session.Result{}, err
		}
	}
	files := failed.files
	if s.Reduce {
		p.Close()
		reduce := s.reduceCase
		if r.NoCaseRan() != nil {
			reduce = s.reduceUnrun
		}
		more, err := reduce(ctx, env, p, what, cases.Cases, o, time.Since(start), report)
		if err != nil {
			return session.Result{}, err
		}
		files = append(files, more...)
	}
	for _, x := range p.Models {
		for _, about := range x.notes {
			if note := x.Path + ": " + about; !slices.Contains(report.Notes, note) {
				report.Notes = append(report.Notes, note)
			}
		}
	}
	return session.Result{Report: report, Files: files, No: !r.Pass || report.Reduced != nil}, nil
}

// prepare makes the cases of inputs that both sides run.
func (s *Comparison) prepare(env session.Env, p *Pairing, o compare.Options) (inputs.Cases, error) {
	if len(s.Only) > 0 {
		return inputs.Cases{Cases: s.Only}, nil
	}
	m, types := p.Models[0].Model, p.Models[0].types.inputs
	r, err := s.Request(m, GeneratedCases, 0)
	if err != nil {
		return inputs.Cases{}, err
	}
	r.Fit, r.Learned = s.fit, sizing.StoreIn(env.Cache)
	usual := inputs.Usual
	if s.Torch != "" {
		usual = inputs.Families
	}
	s.ask(&r, usual, o.Quantized, o.Precision)
	var notes []string
	if len(p.Models) > 1 {
		notes = append(namedByB(p, &r), fixedByB(p, &r)...)
		if err := rowsOfB(p, &r); err != nil {
			return inputs.Cases{}, err
		}
	}
	cases, err := inputs.Prepare(types, r)
	cases.Cases = append(slices.Clone(p.first), cases.Cases...)
	cases.Notes = append(notes, cases.Notes...)
	return cases, flags.InputError(m, err)
}

// mayFit reports whether other sizes should be tried, because neither side ran the first case.
func (s *Comparison) mayFit(ctx context.Context, env session.Env, err error, fit *sizing.Search) bool {
	refusal, refused := sizing.RefusalOf(err)
	if !refused || len(fit.Free()) == 0 || ctx.Err() != nil {
		return false
	}
	fit.Refused(refusal)
	_, more := fit.Next(ctx)
	if more {
		env.Progress(session.Progress{Phase: "looking for sizes at which they run"})
	}
	return more
}

// judging returns how the outputs of a pair are judged.
func (s *Comparison) judging(p *Pairing) (compare.Options, error) {
	o := compare.Options{RTol: s.RTol, ATol: s.ATol, Findings: p.findings, SameTypes: s.Opened != nil}
	if s.Data == "" {
		o.Patience = s.patience()
	}
	var models []*graphops.Model
	for _, x := range p.Models {
		models = append(models, x.Model)
		o.Quantized = o.Quantized || s.isQuantized(x.Model)
	}
	o.Precision, o.Facts = coarsest(models...), compare.FactsOf(models...)
	var err error
	o.Of, err = parseTolerances(s.Tolerance, models[0])
	return o, err
}

// isQuantized reports whether quantization can cause the difference. If both sides run the same
// model, its weights are the same, so that only rounding while it runs counts.
func (s *Comparison) isQuantized(m *graphops.Model) bool {
	if s.Reference || s.B == "" && len(s.sides.A)+len(s.sides.B) > 0 {
		return quant.Rounds(m)
	}
	return quant.IsQuantized(m)
}

// coarsest returns the least precise floating-point type in which the models compute, as far as
// weights, inputs, outputs and Casts show it. A model may have float32 inputs and outputs and
// compute in another type.
func coarsest(models ...*graphops.Model) tensor.DType {
	found := tensor.Undefined
	for _, m := range models {
		for t := range computedIn(m) {
			switch t {
			case tensor.BF16:
				return tensor.BF16
			case tensor.F16:
				found = tensor.F16
			}
		}
	}
	return found
}

// computedIn yields the element types of a model's weights, inputs, outputs and Casts.
func computedIn(m *graphops.Model) iter.Seq[tensor.DType] {
	return func(yield func(tensor.DType) bool) {
		for t := range m.Tensors() {
			if !yield(t.DType()) {
				return
			}
		}
		for _, v := range slices.Concat(m.Graph().FeedInputs(), m.Graph().Outputs()) {
			if !yield(v.Type().Elem) {
				return
			}
		}
		for n := range m.AllNodes() {
			if !n.Is("Cast") {
				continue
			}
			if to, ok := n.Attribute("to"); ok && !yield(tensor.DType(to.Int())) {
				return
			}
		}
	}
}
