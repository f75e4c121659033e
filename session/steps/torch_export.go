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
	return "export a PyTorch model, compare the results, and explain failures"
}

// Introspects implements session.Introspecting.
func (*TorchExport) Introspects() {}

// Options implements session.Step.
func (s *TorchExport) Options() []session.Option {
	options := []session.Option{
		session.List(&s.Dynamic, "dynamic", "make an axis of an input or output dynamic: `NAME:AXIS[=SYMBOL]`, such as x:0=batch or batch.masks.0:1=seq; repeat for several").NamingAtLeast(session.NamesAxis, "=").AsUsual(),
		session.Int(&s.Opset, "opset", "request opset `N`; the report names the one that was written", 7).WithDefault("the exporter's choice").AsUsual(),
		strategyOption(&s.Strategy).AsUsual(),
		session.List(&s.InputNames, "input-name", "`NAME` of an input, in order; repeat for each").Formerly("input-names"),
		session.List(&s.OutputNames, "output-name", "`NAME` of an output, in order; repeat for each").Formerly("output-names"),
		session.Switch(&s.Training, "training", "export for training: in training mode, with the old exporter, and one initializer per parameter"),
		session.Switch(&s.Fake, "fake", "build the model without its weights, which need not fit into memory; --weights, or later lathe export, adds them"),
		session.Path(&s.Weights, "weights", "with --fake: take the weights from this file, in a format of lathe export --weights; your Python reads a .pt without running code from it").WithDefault("none"),
		session.Switch(&s.NoOptimize, "no-optimize", "do not optimize the translated graph (optimize=False)").AsRare(),
		session.Switch(&s.NoInitializers, "no-initializers", "leave the weights out (export_params=False); lathe export --weights adds them").AsRare(),
		session.Switch(&s.AsInputs, "initializers-as-inputs", "also list the weights as inputs (keep_initializers_as_inputs)").AsRare(),
		session.Switch(&s.Verify, "verify", "let PyTorch also check its result (verify=True)").AsRare(),
		session.Switch(&s.Profile, "profile", "let PyTorch report where the time of the export goes (profile=True)").AsRare(),
		session.Switch(&s.Dump, "dump-exported-program", "save the exported program as a .pt2 in --save-artifacts").AsRare(),
		session.Path(&s.Artifacts, "save-artifacts", "save the exporter's reports and other files in this `DIR`").WithDefault("not saved").AsTarget().AsRare().Formerly("artifacts-dir"),
		session.Path(&s.Translations, "translations", "translate operators by your own table: `FILE.py:TABLE` (custom_translation_table)").WithDefault("none").Holding(withTargetPath).AsRare(),
		session.Path(&s.Symbolic, "symbolic", "register symbolic functions of the old exporter with the function `FILE.py:REGISTER`, which may return its custom_opsets").WithDefault("none").Holding(withTargetPath).AsRare(),
		noCheckOption(&s.NoValidate, "accept the first model that is exported without comparing its results with PyTorch's", "no-validate"),
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
