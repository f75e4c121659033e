package steps

import (
	"context"
	"path/filepath"

	"lathe/graphops"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// validate runs what was exported beside PyTorch. It is true where that is right, or was not
// to be looked at.
func (j *torchJob) validate(ctx context.Context, b *torch.Bridge, a *attempt, m *graphops.Model) (bool, error) {
	a.Stage = "validate"
	if j.step.Training {
		wrong, err := trainable(ctx, b, m)
		if wrong != "" {
			a.fail(failure.Raw{Strategy: a.Strategy, Stage: "validate", Signal: wrong})
		}
		a.Trainable = err == nil && wrong == ""
		return a.Trainable, err
	}
	if why := j.unjudged(ctx); why != "" {
		j.report.warn("%s", why)
		return true, nil
	}
	// The names of axes are those that cases are made by, so the model is saved with them.
	path := filepath.Join(j.temp, a.Strategy+".onnx")
	if _, err := graphops.Save(ctx, m, path, graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: graphops.DefaultMinExternal}); err != nil {
		return false, err
	}
	v := &Validate{A: path, Torch: j.step.Target, opened: b, execution: j.step.execution}
	v.NoStore = true
	r, err := v.Run(ctx, j.env, nil)
	if err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		a.ranBadly(err)
		return false, nil
	}
	a.Validation = r.Report.(*ValidateReport)
	return !r.No, nil
}

// unjudged is why results are not compared, "" where they are.
func (j *torchJob) unjudged(ctx context.Context) string {
	switch {
	case j.step.NoValidate:
		return "what was exported was not compared with PyTorch: --no-validate"
	case j.env.RuntimeVersion(ctx) == "":
		return "what was exported was not compared with PyTorch: no ONNX Runtime is found; lathe runtime install fetches one"
	}
	return ""
}
