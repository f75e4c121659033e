package torch

import (
	"context"
	"fmt"
	"os"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
	"lathe/session/trial"
)

// meaningless returns an error for options that have no effect together with others.
func (s *Export) meaningless() error {
	switch {
	case s.Training && s.NoInitializers:
		return session.UsageError("--training: keeps every parameter as an initializer, which --no-initializers leaves out")
	case (s.Profile || s.Dump) && s.Artifacts == "":
		return session.UsageError("--profile and --dump-exported-program: their output requires --save-artifacts DIR")
	}
	if info, err := os.Stat(s.Artifacts); s.Artifacts != "" && err == nil && !info.IsDir() {
		return fmt.Errorf("--save-artifacts %s: is a file, expected a folder", text.CleanLine(s.Artifacts))
	}
	if s.Weights != "" {
		if err := flags.IsThere(s.Weights); err != nil {
			return err
		}
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

// left returns the given options that a strategy does not support.
func (s *Export) left(by torch.Strategy) []string {
	var out []string
	for _, o := range []struct {
		given bool
		name  string
		old   bool // only the old exporter has it; otherwise only the new one
	}{{s.Verify, "verify", false}, {s.Profile, "profile", false}, {s.Dump, "dump-exported-program", false}, {s.NoOptimize, "no-optimize", false}, {s.Translations != "", "translations", false}, {s.Symbolic != "", "symbolic", true}} {
		if o.given && o.old != (by == torch.Legacy) {
			out = append(out, "--"+o.name)
		}
	}
	return out
}

// strategies returns the strategies that make sense for the target, in the order in which they are
// tried.
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
		// An ExportedProgram has been captured already, so that strict and non-strict would give
		// the same model. A ScriptModule has no Python code, so that only the old exporter can read
		// it.
		had := d.Kind == "program" && s == torch.Strict || d.Kind == "script" && s != torch.Legacy
		had = had || j.step.Fake && s == torch.Legacy
		if (!had || len(j.step.Strategy) > 0) && (!j.step.Training || s == torch.Legacy) {
			out = append(out, s)
		}
	}
	return out
}

// options returns the arguments of torch.onnx.export. They do not say how weights are stored: Lathe
// stores them when it saves the model, because it runs the model first, and that needs the weights.
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
		out["opset_version"] = j.tried()
	}
	return out
}

// tried returns the opset to request from the exporter. It is not newer than ONNX Runtime accepts,
// because the result could not be compared. 0 leaves the choice to the exporter.
func (j *torchJob) tried() int64 { return min(j.step.Opset, j.newest) }

// raised converts the model to at least this opset, like lathe export --opset.
func (j *torchJob) raised(ctx context.Context, m *graphops.Model, to int64) (*graphops.Model, error) {
	if got, _ := m.Opset(""); got >= to {
		return m, nil
	}
	c, err := trial.Convert(ctx, m, to, j.env.RuntimeVersion(ctx))
	if err != nil {
		return nil, err
	}
	for _, w := range c.Warnings {
		j.report.warnOnce("%s", w)
	}
	return c.Model, nil
}

// newerThanAsked is the failure of a model with a newer opset than requested.
func newerThanAsked(got, asked int64) failure.Failure {
	return failure.Failure{
		Stage: "export", Error: fmt.Sprintf("opset %d was requested, and the exporter wrote %d", asked, got), Entry: "opset",
		Meaning: "the model needs an operator of a newer opset, and the exporter cannot convert it",
		Next:    []failure.Suggestion{{Kind: "flags", Text: "take that opset", Flags: []string{"--opset", fmt.Sprint(got)}}},
	}
}
