package look

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort"
	"lathe/session/runtime"
)

// Check reports what is wrong with a model and what is risky.
type Check struct {
	Weights, RuntimeLoad, Strict, All bool
	Severity                          string
	Code, Ignore                      []string
	flags.Execution

	// NewStep returns a new step by its name, or nil if no step has it. The report uses it to write
	// the command of a fix.
	NewStep func(name string) session.Step
}

// Name implements session.Step.
func (*Check) Name() string { return "check" }

// Summary implements session.Step.
func (*Check) Summary() string {
	return "report what is wrong or risky in a model, with the node and how to fix it"
}

// Options implements session.Step.
func (s *Check) Options() []session.Option {
	return append([]session.Option{
		session.Switch(&s.Weights, "weights", "also read the elements of all tensors, which takes as long as reading the file").AsUsual(),
		session.Switch(&s.RuntimeLoad, "runtime-load", "also load the model in ONNX Runtime and report its messages").AsUsual(),
		session.Switch(&s.Strict, "strict", "fail on warnings as well as on errors"),
		session.Switch(&s.All, "all", "list every problem instead of a few of each kind; --json always lists all"),
		session.Choice(&s.Severity, "severity", "report problems of this `SEVERITY` and above", check.Error.String(), check.Warning.String(), check.Info.String()).WithDefault("info"),
		session.List(&s.Code, "include", "report only problems with this `CODE`; repeat for several").Formerly("code"),
		session.List(&s.Ignore, "exclude", "ignore problems with this `CODE`, also for the exit code; repeat for several").Formerly("ignore"),
	}, s.loading()...)
}

// loading returns the options of a run. Their usage texts say that they need --runtime-load.
func (s *Check) loading() []session.Option {
	list := s.Execution.Options()
	for i := range list {
		if !strings.HasPrefix(list[i].Usage, "with --on") {
			list[i].Usage = "with --runtime-load: " + list[i].Usage
		}
	}
	return list
}

// Ahead implements session.Running. The version of the runtime is always needed.
func (s *Check) Ahead() (runtime.Need, runtime.Execution) {
	need, o := s.Execution.Ahead()
	if !s.RuntimeLoad {
		need = runtime.NeedVersion
	}
	return need, o
}

// OpenModel opens the model on the machine that runs it.
func (s *Check) OpenModel(ctx context.Context, env session.Env, path string) (*graphops.Model, error) {
	if err := s.usage(); err != nil {
		return nil, err
	}
	o, err := s.Value(env)
	if err != nil {
		return nil, err
	}
	return env.OpenFor(ctx, path, o)
}

// Preview implements session.Step. A check changes nothing, so it is the same as Run.
func (s *Check) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	r, err := s.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step.
func (s *Check) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.usage(); err != nil {
		return session.Result{}, err
	}
	r := newCheckReport(m, s)
	if s.RuntimeLoad {
		var err error
		if r.Runtime, err = s.load(ctx, env, m); err != nil {
			return session.Result{}, err
		}
	}
	r.Checked.judgedBy(s.version(ctx, env, r.Runtime), s.RunsElsewhere())
	env.Progress(session.Progress{Phase: "checking"})
	found, err := check.Model(ctx, m, check.Options{
		Weights: s.Weights, Runtime: r.Checked.Runtime, HasLocale: s.hasLocale(), HasProvider: s.hasProvider(ctx, env, r.Runtime),
		Progress: func(done, total int64) {
			env.Progress(session.Progress{Phase: "reading weights", Done: done, Total: total, Unit: "B"})
		},
	})
	if err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	r.take(s, found)
	return session.Result{Report: r, No: !r.OK}, nil
}

// hasLocale returns a function that reports whether this machine has a locale, which
// StringNormalizer needs. It returns nil if the model will run on another machine, whose locales
// are not known.
func (s *Check) hasLocale() func(string) bool {
	if s.RunsElsewhere() {
		return nil
	}
	return ort.HasLocale
}

// hasProvider returns a function that reports whether this machine has an execution provider. It
// returns nil if the model will run on another machine. A provider that loaded the model is there.
func (s *Check) hasProvider(ctx context.Context, env session.Env, said *runtimeSaid) func(string) (has, known bool) {
	ask := env.HasProvider(ctx)
	if s.RunsElsewhere() {
		ask = nil
	}
	if said == nil || !said.Loaded {
		return ask
	}
	return func(name string) (has, known bool) {
		switch {
		case name == said.Provider:
			return true, true
		case ask == nil:
			return false, false
		}
		return ask(name)
	}
}

// version returns the version of ONNX Runtime that the model is judged for: the one that loaded it,
// or else the one that would be used. It is "" if neither is known.
func (s *Check) version(ctx context.Context, env session.Env, said *runtimeSaid) string {
	switch {
	case said != nil && said.Version != "":
		return said.Version
	case s.RunsElsewhere():
		return ""
	}
	return env.RuntimeVersion(ctx)
}

// judgedBy notes the version that the model is judged for. For "" it assumes the newest known one.
func (c *lookedAt) judgedBy(version string, elsewhere bool) {
	c.Runtime, c.Assumed = version, version == ""
	if !c.Assumed {
		return
	}
	c.Runtime, c.unknown = check.NewestRelease, "no ONNX Runtime found"
	if elsewhere {
		c.unknown = "the version of the other machine's ONNX Runtime is not known"
	}
}

// usage returns an error for unknown codes, for --weights if the weights cannot be read, and for
// options of a run without --runtime-load.
func (s *Check) usage() error {
	for _, list := range []struct {
		flag  string
		codes []string
	}{{"include", s.Code}, {"exclude", s.Ignore}} {
		for _, code := range list.codes {
			if _, err := findCheck(code); err != nil {
				return session.UsageError(fmt.Sprintf("--%s %s", list.flag, err))
			}
		}
	}
	if s.Weights && s.OpensElsewhere() {
		return session.UsageError("--weights: reads a model of this machine; with --on, --send takes it there")
	}
	if s.RuntimeLoad {
		return nil
	}
	for _, o := range s.Execution.Options() {
		if len(o.Values()) > 0 {
			return session.UsageError("--" + o.Name + ": has an effect only with --runtime-load")
		}
	}
	return nil
}

// wants reports whether a problem is selected by severity and code.
func (s *Check) wants(p check.Problem) bool {
	return s.wantsCode(p.Code) && (s.Severity == "" || p.Severity <= severityOf(s.Severity))
}

func (s *Check) wantsCode(code string) bool {
	return !slices.Contains(s.Ignore, code) && (len(s.Code) == 0 || slices.Contains(s.Code, code))
}

// severityOf returns a severity by its name. Greater values are less severe.
func severityOf(name string) check.Severity {
	for _, s := range []check.Severity{check.Error, check.Warning} {
		if s.String() == name {
			return s
		}
	}
	return check.Info
}

// findCheck returns a check by its code. The error lists similar codes.
func findCheck(code string) (check.Rule, error) {
	if r, ok := check.Explain(code); ok {
		return r, nil
	}
	hint := "lathe check --explain lists all"
	near := graphops.NearestNames(code, func(yield func(string) bool) {
		for _, r := range check.Rules() {
			if !yield(r.Code) {
				return
			}
		}
	})
	for _, r := range check.Rules() {
		if len(near) == 0 && code != "" && strings.Contains(r.Code, code) {
			near = append(near, r.Code)
		}
	}
	if len(near) > 0 {
		hint = "nearest: " + strings.Join(near, ", ") + "; " + hint
	}
	return check.Rule{}, fmt.Errorf("%q: there is no such check; %s", code, hint)
}
