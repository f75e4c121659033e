package steps

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/check"
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
	as session.Step
	// anyOpset takes a model of a newer opset than Opset too.
	anyOpset bool
	finish   func(context.Context, session.Env, *graphops.Model) (*graphops.Model, *QuantizeReport, error)
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
	job.newest = check.NewestOpset(env.RuntimeVersion(ctx))
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
	traced           []torch.Event       // what tracing made constants of, in that attempt
	ranges           []torch.Range       // that it found
	beyond           []torch.Beyond      // sizes that may lead to another path, of all attempts
	known            []torch.Line        // conditions that capture knows the sizes of
	kept             *conditional        // the first that is right for one path; nil for none
	newest           int64               // opset that ONNX Runtime takes
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

// heard tells of the exporter's steps as they begin, and keeps warnings of the user's own code.
func (j *torchJob) heard(e torch.Event) {
	switch {
	case e.Kind == "step" && e.Status == "start":
		j.env.Progress(session.Progress{Phase: strings.TrimSpace("exporter: " + text.CleanLine(e.ID+" "+e.Detail))})
	case e.Kind == "warning":
		if e.Category == "TracerWarning" {
			j.traced = append(j.traced, e)
		}
		if w := (torchWarning{e.Category, e.Message, e.At()}); e.User && !slices.Contains(j.warned, w) { // every run may give it
			j.warned = append(j.warned, w)
		}
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
