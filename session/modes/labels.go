package modes

import (
	"context"
	"errors"
	"fmt"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/accuracy"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/sides"
)

// measureOriginal measures the accuracy of the original if there are labels. So labels that do not fit the
// data are an error before anything is quantized.
func (c *contest) measureOriginal(ctx context.Context) error {
	known, err := c.labelled()
	if err != nil || !known {
		return err
	}
	r, err := c.accuracy(ctx, c.progress(originalRow), "", nil)
	if err != nil {
		return err
	}
	c.report.Labels = r.Labels
	c.report.Original.Accuracy = &accuracy.Score{Top1: r.Models[0].Top1}
	return nil
}

// labelled reports whether the correct classes are known.
func (c *contest) labelled() (known bool, err error) {
	switch {
	case c.Labels != "":
		return true, nil
	case c.Quant.Data == "":
		return false, nil
	}
	request, err := c.Quant.Request(c.original, 1, 0)
	if err != nil {
		return false, err
	}
	stream, err := inputs.OpenStream(graphops.NamedTypes(c.original.Graph().FeedInputs()), request)
	if err != nil {
		return false, flags.InputError(c.original, err)
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	if stream.Len() == 0 {
		return false, fmt.Errorf("%s: has no rows", c.Quant.Data)
	}
	first, err := stream.Case(0)
	if known = first.Labels != nil; err == nil && !known && c.Output != "" {
		err = session.UsageError("--output: has an effect only with labels, which --data does not have; give --labels FILE")
	}
	return known, err
}

// accuracy measures the original, or the original and a result.
func (c *contest) accuracy(ctx context.Context, env session.Env, mode string, result *graphops.Model) (*accuracy.Report, error) {
	step := &accuracy.Accuracy{
		Of:     sides.Comparison{A: c.name, B: mode, Execution: c.Quant.How, Feeding: c.Quant.Feeding},
		Labels: c.Labels, Output: c.Output,
	}
	step.NoStore = true
	r, err := step.Run(ctx, c.withModels(env, map[string]*graphops.Model{mode: result}))
	if err != nil {
		return nil, err
	}
	report, ok := r.Report.(*accuracy.Report)
	if !ok || report.Models[0].Top1 == nil {
		return nil, fmt.Errorf("the accuracy was not measured")
	}
	return report, nil
}

// accuracyOf measures the accuracy of a result if there are labels. If that fails, the reason is a warning,
// because the result itself runs.
func (c *contest) accuracyOf(ctx context.Context, env session.Env, row *Row, result *graphops.Model) error {
	if c.report.Original.Accuracy == nil {
		return nil
	}
	r, err := c.accuracy(ctx, env, row.Mode, result)
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		row.Warnings = append(row.Warnings, "its accuracy could not be measured: "+reasonOf(c.original, err))
	default:
		row.Accuracy = &accuracy.Score{Top1: r.Models[1].Top1, Against: r.Top1}
	}
	return nil
}
