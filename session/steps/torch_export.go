package steps

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// TorchExport makes an ONNX model of a PyTorch one in the user's own Python, by the first
// strategy whose result gives what PyTorch does.
type TorchExport struct {
	torchTarget
	Dynamic                 []string
	InputNames, OutputNames []string
	Opset                   int64
	Strategy                []string
	Training                bool
	NoOptimize              bool
	NoInitializers          bool
	AsInputs                bool
	Verify, Profile, Dump   bool
	Artifacts               string
	Translations, Symbolic  string
	NoValidate              bool
	MinExternal             int64
	// Fake makes the model without its weights; Weights is the file that has them.
	Fake    bool
	Weights string
	// as is the step that the user asked for, where it is another one, and finish makes the
	// model that is written of the one that was exported.
	as     session.Step
	finish func(context.Context, session.Env, *graphops.Model) (*graphops.Model, *QuantizeReport, error)
	provenance
	output
	execution
}

// Name implements session.Step.
func (*TorchExport) Name() string { return "torch export" }

// Summary implements session.Step.
func (*TorchExport) Summary() string {
	return "export from PyTorch in your own Python, checked against it, failures distilled"
}

// Introspects implements session.Introspecting.
func (*TorchExport) Introspects() {}

// Options implements session.Step.
func (s *TorchExport) Options() []session.Option {
	options := []session.Option{
		session.List(&s.Dynamic, "dynamic", "free an axis: `NAME:AXIS[=SYMBOL]`, as x:0=batch or batch.masks.0:1=seq; of an output too; repeat for several").Naming(session.NamesAxis, "=").AsUsual(),
		session.Int(&s.Opset, "opset", "ask for this opset; without it the exporter's own; which one was written is told", 7).AsUsual(),
		strategyOption(&s.Strategy).AsUsual(),
		session.List(&s.InputNames, "input-names", "call the inputs so, in order: `NAME`; repeat for each"),
		session.List(&s.OutputNames, "output-names", "call the outputs so, in order: `NAME`; repeat for each"),
		session.Switch(&s.Training, "training", "for training on a device: in training mode, by the old exporter, every parameter an initializer of its own"),
		session.Switch(&s.Fake, "fake", "make the model without its weights, which need not fit into memory; those of --weights are put into what was exported, or later by lathe export"),
		session.Path(&s.Weights, "weights", "with --fake: the weights, in a file as lathe export takes them; a .pt is read by your Python without running what is in it"),
		session.Switch(&s.NoOptimize, "no-optimize", "leave the graph as it was translated (optimize=False)").AsRare(),
		session.Switch(&s.NoInitializers, "no-initializers", "leave the weights out (export_params=False); lathe export --weights puts them in").AsRare(),
		session.Switch(&s.AsInputs, "initializers-as-inputs", "list the weights among the inputs too (keep_initializers_as_inputs)").AsRare(),
		session.Switch(&s.Verify, "verify", "have PyTorch check its result as well (verify=True)").AsRare(),
		session.Switch(&s.Profile, "profile", "have PyTorch tell where the time of the export goes (profile=True), in its report").AsRare(),
		session.Switch(&s.Dump, "dump-exported-program", "save the exported program as a .pt2 among the artifacts").AsRare(),
		session.Path(&s.Artifacts, "artifacts-dir", "keep reports and what else the exporter writes in this `DIR`").AsTarget().AsRare(),
		session.Path(&s.Translations, "translations", "translate operators by a table of your own, `FILE.py:TABLE` (custom_translation_table)").Holding(withTargetPath).AsRare(),
		session.Path(&s.Symbolic, "symbolic", "register symbolic functions of the old exporter with `FILE.py:REGISTER`, which may return its custom_opsets").Holding(withTargetPath).AsRare(),
		session.Switch(&s.NoValidate, "no-validate", "take the first model that is exported, whatever it computes").AsRare(),
		externalOption(&s.MinExternal),
	}
	out := s.output.options()
	out[0] = out[0].AsRequired()
	return slices.Concat(s.torchTarget.options(), options, s.provenance.options(), out, s.execution.options())
}

// Preview implements session.Step: it makes the model, calls it, and exports nothing.
func (s *TorchExport) Preview(ctx context.Context, env session.Env, _ *graphops.Model) (session.Preview, error) {
	job, err := s.begin(env)
	if err != nil {
		return session.Preview{}, err
	}
	defer job.close()
	b, err := s.openIn(ctx, job)
	var failed *torch.FailedError
	if errors.As(err, &failed) {
		return session.Preview{}, &unmade{failure.Distil(failed.Raw)}
	}
	if err != nil {
		return session.Preview{}, err
	}
	defer b.Close()
	return session.Preview{Report: &TorchTargetReport{Schema: "lathe.torch-target/1", Description: b.Description, Python: b.Python()}}, nil
}

// Run implements session.Step. It works on no model but the one that it makes.
func (s *TorchExport) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	as := session.Step(s)
	if s.as != nil {
		as = s.as
	}
	if err := s.output.checkBeside(ctx, as); err != nil {
		return session.Result{}, err
	}
	job, err := s.begin(env)
	if err != nil {
		return session.Result{}, err
	}
	defer job.close()
	return job.tryAll(ctx)
}

// torchJob is one export on its way.
type torchJob struct {
	step  *TorchExport
	env   session.Env
	how   session.Execution
	temp  string
	child torch.Child

	dynamic, outputs []torch.DynamicAxis // of inputs, of outputs
	warned           []torchWarning      // in the attempt that goes on
	ranges           []torch.Range       // that it found
	report           *TorchReport
}

func (s *TorchExport) begin(env session.Env) (*torchJob, error) {
	how, err := s.execution.value(env)
	if err != nil {
		return nil, err
	}
	if s.Training && slices.ContainsFunc(s.Strategy, func(x string) bool { return x != string(torch.Legacy) }) {
		return nil, session.UsageError("--training: is the old exporter's, --strategy legacy")
	}
	if err := s.faked(); err != nil {
		return nil, err
	}
	if err := s.meaningless(); err != nil {
		return nil, err
	}
	j := &torchJob{step: s, env: env, how: how, report: newTorchReport()}
	if j.dynamic, err = dynamicAxes(s.Dynamic); err != nil {
		return nil, err
	}
	if j.temp, err = os.MkdirTemp("", "lathe-torch-"); err != nil {
		return nil, err
	}
	if j.child, err = torchChild(env, j.temp, how); err != nil {
		j.close()
		return nil, err
	}
	j.child.Event = j.heard
	return j, nil
}

// meaningless refuses options that would come to nothing beside others.
func (s *TorchExport) meaningless() error {
	switch {
	case s.Training && s.NoInitializers:
		return session.UsageError("--training: keeps every parameter as an initializer, which --no-initializers leaves out")
	case (s.Profile || s.Dump) && s.Artifacts == "":
		return session.UsageError("--profile and --dump-exported-program: what they write is kept by --artifacts-dir DIR alone")
	}
	for _, names := range [][]string{s.InputNames, s.OutputNames} {
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return session.UsageError(fmt.Sprintf("the name %q is given to two inputs or outputs", name))
			}
		}
	}
	return nil
}

// left are the options that were given and that a strategy has nothing for.
func (s *TorchExport) left(by torch.Strategy) []string {
	var out []string
	for _, o := range []struct {
		given bool
		name  string
		old   bool // only the old exporter has it, else only the new one
	}{{s.Verify, "verify", false}, {s.Profile, "profile", false}, {s.Dump, "dump-exported-program", false}, {s.NoOptimize, "no-optimize", false}, {s.Translations != "", "translations", false}, {s.Symbolic != "", "symbolic", true}} {
		if o.given && o.old != (by == torch.Legacy) {
			out = append(out, "--"+o.name)
		}
	}
	return out
}

// heard tells of the exporter's steps as they begin, and keeps warnings of the user's own code.
func (j *torchJob) heard(e torch.Event) {
	switch {
	case e.Kind == "step" && e.Status == "start":
		j.env.Progress(session.Progress{Phase: strings.TrimSpace("exporter: " + text.CleanLine(e.ID+" "+e.Detail))})
	case e.Kind == "warning" && e.File != "":
		j.warned = append(j.warned, torchWarning{e.Category, e.Message, e.File})
	}
}

func (j *torchJob) close() { _ = os.RemoveAll(j.temp) } // a folder of the system's for temporary files

// openIn has a child make the model, and settles which axes are whose.
func (s *TorchExport) openIn(ctx context.Context, j *torchJob) (*torch.Bridge, error) {
	b, err := s.torchTarget.open(ctx, j.child, torch.Opening{InputNames: s.InputNames, OutputNames: s.OutputNames, Training: s.Training, Fake: s.Fake})
	if err != nil {
		return nil, err
	}
	if err := j.settleAxes(b.Description); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// settleAxes tells the axes of outputs from those of inputs, by what either is called, and
// refuses examples that cannot stand for a free axis.
func (j *torchJob) settleAxes(d torch.Description) error {
	all, err := dynamicAxes(j.step.Dynamic)
	if err != nil {
		return err
	}
	if len(j.step.InputNames) > len(d.Inputs) || len(j.step.OutputNames) > len(d.Outputs) && len(d.Outputs) > 0 {
		return session.UsageError(fmt.Sprintf("--input-names, --output-names: there are more names than the model has inputs, %s, or outputs, %d", quotedLeaves(d.Inputs), len(d.Outputs)))
	}
	j.dynamic, j.outputs = nil, nil
	for _, a := range all {
		switch at := leafCalled(a.Path, d.Inputs, d.InputNames); {
		case at >= 0:
			a.Path = d.Inputs[at].Path
			if a.Axis >= len(d.Inputs[at].Shape) {
				return session.UsageError(fmt.Sprintf("--dynamic %s:%d: the example has %d axes", a.Path, a.Axis, len(d.Inputs[at].Shape)))
			}
			j.dynamic = append(j.dynamic, a)
		case slices.Contains(d.OutputNames, a.Path):
			if at := slices.Index(d.OutputNames, a.Path); at < len(d.Outputs) && a.Axis >= len(d.Outputs[at].Shape) {
				return session.UsageError(fmt.Sprintf("--dynamic %s:%d: the output has %d axes", a.Path, a.Axis, len(d.Outputs[at].Shape)))
			}
			j.outputs = append(j.outputs, a)
		default:
			return session.UsageError(fmt.Sprintf("--dynamic %s:%d: no such input or output; inputs are %s, outputs %s", a.Path, a.Axis, quotedLeaves(d.Inputs), graphops.QuoteNames(d.OutputNames)))
		}
	}
	axes := j.dynamic
	if len(axes) == 0 {
		axes = d.Dynamic
	}
	return j.refuseSmall(axes, d)
}

// refuseSmall is an error where an example has 0 or 1 on an axis that is to be free.
func (j *torchJob) refuseSmall(axes []torch.DynamicAxis, d torch.Description) error {
	for _, a := range axes {
		at := leafCalled(a.Path, d.Inputs, nil)
		if at < 0 || a.Axis >= len(d.Inputs[at].Shape) {
			continue
		}
		leaf := d.Inputs[at]
		if n := leaf.Shape[a.Axis]; n < 2 {
			shape := graphops.FixedShape(slices.Clone(leaf.Shape))
			shape[a.Axis] = graphops.FixedDim(2)
			return session.UsageError(fmt.Sprintf(
				"--dynamic %s:%d: the example has size %d there, and PyTorch takes 0 and 1 for constants, so that the axis would not be free; give an example of at least 2: --input %s=%s",
				a.Path, a.Axis, n, a.Path, graphops.Type{Kind: graphops.TypeTensor, Elem: elemOf(leaf), Shape: shape}.Declaration()))
		}
	}
	return nil
}

// leafCalled is the position of a leaf by its path, or by what it is to be called.
func leafCalled(name string, list []torch.Leaf, names []string) int {
	if at := slices.Index(names, name); at >= 0 && at < len(list) {
		return at
	}
	return slices.IndexFunc(list, func(l torch.Leaf) bool { return l.Path == name || strings.ReplaceAll(l.Path, ".", "_") == name })
}

// strategies are those to try.
func (j *torchJob) strategies(d torch.Description) []torch.Strategy {
	var out []torch.Strategy
	order := torch.Strategies
	if len(j.step.Strategy) > 0 {
		order = nil
		for _, name := range j.step.Strategy {
			order = append(order, torch.Strategy(name))
		}
	}
	for _, s := range order {
		if !d.NewExporter && s != torch.Legacy {
			j.report.warn("%s is not tried: PyTorch %s is older than 2.5, which has it", s, d.Versions["torch"])
			continue
		}
		// A program is exported as it is: how it was captured is behind it. A ScriptModule has
		// no code that could be captured anew.
		had := d.Kind == "program" && s == torch.Strict || d.Kind == "script" && s != torch.Legacy
		had = had || j.step.Fake && s == torch.Legacy
		if (!had || len(j.step.Strategy) > 0) && (!j.step.Training || s == torch.Legacy) {
			out = append(out, s)
		}
	}
	return out
}

// options are arguments of torch.onnx.export. Those that say where weights are kept are carried
// out when the model is saved: what has none could not be run before.
func (j *torchJob) options() map[string]any {
	out := map[string]any{}
	s := j.step
	for name, on := range map[string]bool{"verify": s.Verify, "profile": s.Profile, "dump_exported_program": s.Dump} {
		if on {
			out[name] = true
		}
	}
	if s.NoOptimize {
		out["optimize"] = false
	}
	if s.Opset > 0 {
		out["opset_version"] = s.Opset
	}
	return out
}

// keepArtifacts moves what the exporter wrote to where the user wants it.
func (j *torchJob) keepArtifacts(from string) (map[string]string, error) {
	moved := map[string]string{}
	if j.step.Artifacts == "" {
		return moved, nil
	}
	if err := os.MkdirAll(j.step.Artifacts, 0o777); err != nil {
		return nil, err
	}
	list, err := os.ReadDir(from)
	if errors.Is(err, os.ErrNotExist) {
		return moved, nil
	}
	for _, e := range list {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), "onnx_export_") {
			continue
		}
		to := filepath.Join(j.step.Artifacts, e.Name())
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil {
			err = os.WriteFile(to, data, 0o666)
		}
		if err != nil {
			return nil, err
		}
		moved[filepath.Join(from, e.Name())] = to
	}
	return moved, err
}
