package steps

import (
	"context"
	"fmt"
	"os"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// meaningless refuses options that would come to nothing beside others.
func (s *TorchExport) meaningless() error {
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
		if err := isThere(s.Weights); err != nil {
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
		out["opset_version"] = j.tried()
	}
	return out
}

// tried is the opset that an exporter is asked for: what ONNX Runtime does not take could not be
// compared. 0 leaves it to the exporter.
func (j *torchJob) tried() int64 { return min(j.step.Opset, j.newest) }

// raised is a model in at least this opset, as lathe export --opset makes it.
func (j *torchJob) raised(ctx context.Context, m *graphops.Model, to int64) (*graphops.Model, error) {
	if got, _ := m.Opset(""); got >= to {
		return m, nil
	}
	out, _, warnings, err := raisedTo(ctx, m, to)
	for _, w := range warnings {
		j.report.warnOnce("%s", w)
	}
	return out, err
}

// newerThanAsked is why a model is not taken that an exporter did not write in the opset asked for.
func newerThanAsked(got, asked int64) failure.Failure {
	return failure.Failure{
		Stage: "export", Error: fmt.Sprintf("opset %d was requested, and the exporter wrote %d", asked, got), Entry: "opset",
		Meaning: "an operator that the model needs is of a newer opset, and the exporter cannot bring it down",
		Next:    []failure.Suggestion{{Kind: "flags", Text: "take that opset", Flags: []string{"--opset", fmt.Sprint(got)}}},
	}
}
