package torch

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/filling"
	"lathe/session/flags"
	"lathe/session/quantization"
	"lathe/session/runtime"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// Export exports a PyTorch model in the user's own Python. It uses the first strategy whose
// result computes the same as PyTorch.
type Export struct {
	flags.TorchTarget
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
	// Fake makes the model without its weights. Weights is a file that has them.
	Fake    bool
	Weights string
	// as is the step that the user called, if it is not this one. finish makes the written model
	// from the exported one.
	as session.Step
	// anyOpset accepts a model whose opset is newer than Opset.
	anyOpset bool
	// config receives the configuration of a transformer. It may be nil.
	config *string
	finish func(context.Context, session.Env, *graphops.Model) (*graphops.Model, *quantization.Report, error)
	flags.Provenance
	flags.Saving
	flags.Execution
}

// Name implements session.Step.
func (*Export) Name() string { return "torch export" }

// Summary implements session.Step.
func (*Export) Summary() string {
	return "export a PyTorch model, compare the results, and explain failures"
}

// Introspects implements session.Introspecting.
func (*Export) Introspects() {}

// Options implements session.Step.
func (s *Export) Options() []session.Option {
	options := []session.Option{
		session.List(&s.Dynamic, "dynamic", "make an axis of an input or output dynamic: `NAME:AXIS[=SYMBOL]`, such as x:0=batch or batch.masks.0:1=seq; repeat for several").NamingAtLeast(session.NamesAxis, "=").AsUsual(),
		session.Int(&s.Opset, "opset", "request opset `N`; the report names the one that was written", 7).WithDefault("the exporter's choice").AsUsual(),
		strategyOption(&s.Strategy).AsUsual(),
		session.List(&s.InputNames, "input-name", "`NAME` of an input, in order; repeat for each").Formerly("input-names"),
		session.List(&s.OutputNames, "output-name", "`NAME` of an output, in order; repeat for each").Formerly("output-names"),
		session.Switch(&s.Training, "training", "export for training: in training mode, with the old exporter, and one initializer per parameter"),
		session.Switch(&s.Fake, "fake", "build the model without its weights, which need not fit into memory; --weights, or later lathe export, adds them"),
		session.Path(&s.Weights, "weights", "with --fake: take the weights from this file, in a format of lathe export --weights; your Python reads a .pt without running code from it").OfFiles(filling.WeightFiles...).WithDefault("none").Does(permit.Python),
		session.Switch(&s.NoOptimize, "no-optimize", "do not optimize the translated graph (optimize=False)").AsRare(),
		session.Switch(&s.NoInitializers, "no-initializers", "leave the weights out (export_params=False); lathe export --weights adds them").AsRare(),
		session.Switch(&s.AsInputs, "initializers-as-inputs", "also list the weights as inputs (keep_initializers_as_inputs)").AsRare(),
		session.Switch(&s.Verify, "verify", "let PyTorch also check its result (verify=True)").AsRare(),
		session.Switch(&s.Profile, "profile", "let PyTorch report where the time of the export goes (profile=True)").AsRare(),
		session.Switch(&s.Dump, "dump-exported-program", "save the exported program as a .pt2 in --save-artifacts").AsRare().Does(permit.Python),
		session.Path(&s.Artifacts, "save-artifacts", "save the exporter's reports and other files in this `DIR`").WithDefault("not saved").AsTarget().AsRare().Formerly("artifacts-dir"),
		session.Path(&s.Translations, "translations", "translate operators by your own table: `FILE.py:TABLE` (custom_translation_table)").WithDefault("none").Holding(flags.WithTargetPath).OfFiles(".py").AsRare().Does(permit.Python),
		session.Path(&s.Symbolic, "symbolic", "register symbolic functions of the old exporter with the function `FILE.py:REGISTER`, which may return its custom_opsets").WithDefault("none").Holding(flags.WithTargetPath).OfFiles(".py").AsRare().Does(permit.Python),
		flags.NoCheckOption(&s.NoValidate, "accept the first model that is exported without comparing its results with PyTorch's", "no-validate"),
		externalOption(&s.MinExternal),
	}
	out := s.Saving.Options()
	out[0] = out[0].AsRequired()
	return slices.Concat(s.TorchTarget.Options(), options, s.Provenance.Options(), out, s.Execution.Options())
}

// Preview implements session.Step. It makes the PyTorch model and calls it, but exports nothing.
func (s *Export) Preview(ctx context.Context, env session.Env, _ *graphops.Model) (session.Preview, error) {
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
	return session.Preview{Report: &torchTargetReport{Schema: "lathe.torch-target/1", Description: b.Description, Python: b.Python()}}, nil
}

// Run implements session.Step. It does not use the current model.
func (s *Export) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	as := session.Step(s)
	if s.as != nil {
		as = s.as
	}
	if err := s.Saving.CheckTargetAndInputs(ctx, as); err != nil {
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

// torchJob is the state of one export.
type torchJob struct {
	step  *Export
	env   session.Env
	how   runtime.Execution
	temp  string
	child torch.Child

	dynamic, outputs []torch.DynamicAxis // requested axes of inputs and of outputs
	warned           []torchWarning      // warnings in the present attempt
	traced           []torch.Event       // lines that tracing turned into constants, in that attempt
	ranges           []torch.Range       // axes that do not allow every size, as the exporter reports them
	beyond           []torch.Beyond      // sizes that may lead to another path in the code, from all attempts
	known            []torch.Line        // conditions on sizes that torch.export knows
	kept             *conditional        // the first model that is right for one path, or nil
	newest           int64               // newest opset that ONNX Runtime accepts
	report           *torchReport
}

func (s *Export) begin(env session.Env) (*torchJob, error) {
	how, err := s.Execution.Value(env)
	if err != nil {
		return nil, err
	}
	if s.Training && slices.ContainsFunc(s.Strategy, func(x string) bool { return x != string(torch.Legacy) }) {
		return nil, session.UsageError("--training: needs the old exporter, --strategy legacy")
	}
	if err := s.faked(); err != nil {
		return nil, err
	}
	if err := s.meaningless(); err != nil {
		return nil, err
	}
	j := &torchJob{step: s, env: env, how: how, report: newTorchReport()}
	if j.dynamic, err = flags.DynamicAxes(s.Dynamic); err != nil {
		return nil, err
	}
	if j.temp, err = os.MkdirTemp("", "lathe-torch-"); err != nil {
		return nil, err
	}
	if j.child, err = flags.TorchChild(env, j.temp, how); err != nil {
		j.close()
		return nil, err
	}
	j.child.Event = j.heard
	return j, nil
}

// heard reports the exporter's steps as progress, and keeps warnings about the user's own code.
func (j *torchJob) heard(e torch.Event) {
	switch {
	case e.Kind == "step" && e.Status == "start":
		j.env.Progress(session.Progress{Phase: strings.TrimSpace("exporter: " + text.CleanLine(e.ID+" "+e.Detail))})
	case e.Kind == "warning":
		if e.Category == "TracerWarning" {
			j.traced = append(j.traced, e)
		}
		if w := (torchWarning{e.Category, e.Message, e.At()}); e.User && !slices.Contains(j.warned, w) { // every run may repeat it
			j.warned = append(j.warned, w)
		}
	}
}

func (j *torchJob) close() { _ = os.RemoveAll(j.temp) } // lies in the system's temporary folder

// openIn makes the PyTorch model in a child process, and finds which axes belong to inputs and to
// outputs.
func (s *Export) openIn(ctx context.Context, j *torchJob) (*torch.Bridge, error) {
	b, err := s.TorchTarget.Open(ctx, j.child, torch.Opening{InputNames: s.InputNames, OutputNames: s.OutputNames, Training: s.Training, Fake: s.Fake})
	if err != nil {
		return nil, err
	}
	if len(s.Dynamic) == 0 {
		b.Description.Assumed = append(b.Description.Assumed, b.Description.CacheAxes...)
	}
	if s.config != nil {
		*s.config = b.Config
	}
	if err := j.settleAxes(b.Description); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// keepArtifacts moves the exporter's files to the folder of --artifacts.
func (j *torchJob) keepArtifacts(ctx context.Context, from string) (map[string]string, error) {
	moved := map[string]string{}
	if j.step.Artifacts == "" {
		return moved, nil
	}
	if err := permit.ToWrite(ctx, j.step.Artifacts, false); err != nil {
		return nil, err
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
			err = graphops.WriteFile(ctx, to, graphops.WriteOptions{Overwrite: true}, func(w io.Writer) error {
				_, err := w.Write(data)
				return err
			})
		}
		if err != nil {
			return nil, err
		}
		moved[filepath.Join(from, e.Name())] = to
	}
	return moved, err
}
