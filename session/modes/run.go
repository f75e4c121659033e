package modes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/ort/ep"
	"lathe/session/quantization"
	"lathe/session/reporting"
	"lathe/session/sensitivity"
	"lathe/session/trial"
)

// contest is a comparison in progress.
type contest struct {
	*Compare
	env      session.Env
	original *graphops.Model
	name     string // of the original
	files    *trial.Files
	report   *Report
	made     map[*Row]*graphops.Model
}

// originalRow is the mode of the first row.
const originalRow = "original"

// Run compares the modes. If the context ends, the result has the report of what was measured beside the
// error.
func (s *Compare) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.check(); err != nil {
		return session.Result{}, err
	}
	c := &contest{Compare: s, env: env, original: m, name: nameOf(m), files: &trial.Files{Of: m}, made: map[*Row]*graphops.Model{}}
	defer c.files.Remove()
	if err := c.begin(); err != nil {
		return session.Result{}, err
	}
	err := c.run(ctx)
	if err != nil && (ctx.Err() == nil || !c.report.hasRows()) {
		return session.Result{}, err
	}
	if err != nil {
		c.report.Stopped = "it was interrupted"
		return session.Result{Report: c.report}, err
	}
	c.report.settle()
	if err := c.keep(ctx); err != nil {
		return session.Result{}, err
	}
	if err := c.store(ctx); err != nil {
		return session.Result{}, err
	}
	out := session.Result{Report: c.report}
	for _, row := range c.report.Rows {
		out.Files = append(out.Files, row.File.Files()...)
	}
	return out, nil
}

func nameOf(m *graphops.Model) string {
	if p := m.Path(); p != "" && p != "-" {
		return filepath.Base(p)
	}
	return "the model"
}

// begin makes the report with the row of the original.
func (c *contest) begin() error {
	extent, err := reporting.ExtentOf(c.original)
	if err != nil {
		return err
	}
	first := newRow(originalRow)
	first.Bytes, first.Ratio = extent.Bytes, 1
	c.report = &Report{
		Schema: "lathe.quantize-compare/1", Model: c.name, Provider: cmp.Or(c.Quant.How.EP, ep.CPU), Original: first,
		Rows: []*Row{}, Inputs: "generated inputs", OnData: c.Quant.Data != "", Advice: []Advice{}, Notes: []string{},
	}
	if c.report.OnData {
		c.report.Inputs = filepath.Base(c.Quant.Data)
	}
	return nil
}

func newRow(mode string) *Row {
	return &Row{Mode: mode, Notes: []string{}, Warnings: []string{}}
}

// run makes the rows, and then measures their latencies.
func (c *contest) run(ctx context.Context) error {
	if err := c.load(ctx); err != nil {
		return err
	}
	if err := c.measureOriginal(ctx); err != nil {
		return err
	}
	todo := c.chosen()
	for i := 0; i < len(todo); i++ {
		v := todo[i]
		row := newRow(v.name)
		if err := c.attempt(ctx, c.progress(fmt.Sprintf("%s, %d of %d", v.name, i+1, len(todo))), v, row); err != nil {
			return err
		}
		c.report.Rows = append(c.report.Rows, row)
		if row.Here.Overflows() && !v.reduced && !c.Quant.ReduceRange {
			todo = slices.Insert(todo, i+1, v.withReduced())
		}
	}
	return c.time(ctx)
}

// load loads the original once. If it does not load, there is nothing to compare with.
func (c *contest) load(ctx context.Context) error {
	c.env.Progress(session.Progress{Phase: "loading the original"})
	how, err := c.Quant.How.Value(c.env)
	if err != nil {
		return err
	}
	how.Reuse = true
	w, err := flags.Load(ctx, c.env.Runtime, c.original, how)
	if err != nil {
		return err
	}
	c.report.Provider = w.Facts().Provider
	c.report.Notes = append(c.report.Notes, w.Notes...)
	return w.Close()
}

// progress returns an environment whose progress says what it is for.
func (c *contest) progress(of string) session.Env {
	env := c.env
	env.Progress = func(p session.Progress) {
		p.Phase = of + ": " + p.Phase
		c.env.Progress(p)
	}
	return env
}

// attempt fills the row of a mode. If that fails, the row has the reason; the error is that of the context.
func (c *contest) attempt(ctx context.Context, env session.Env, v variant, row *Row) error {
	err := c.fill(ctx, env, v, row)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, quant.ErrNothing):
		row.Failed, row.NotApplied = reasonOf(c.original, err), true
	case err != nil:
		row.Failed = reasonOf(c.original, err)
	}
	return nil
}

// reasonOf returns an error without the name of the model, which is the same in all rows.
func reasonOf(m *graphops.Model, err error) string {
	return strings.TrimPrefix(sensitivity.Reason(err), m.Path()+": ")
}

// fill makes a result, judges it, and measures its accuracy.
func (c *contest) fill(ctx context.Context, env session.Env, v variant, row *Row) error {
	q := c.quantization(v)
	env.Progress(session.Progress{Phase: "quantizing"})
	result, r, err := q.Quantize(ctx, env, c.original)
	if err != nil {
		return err
	}
	row.Bytes, row.Quantized = r.After.Bytes, len(r.Quantized)
	row.Ratio = tensor.Number(float64(r.After.Bytes) / float64(max(r.Before.Bytes, 1)))
	c.describe(q, v, row)
	if result, err = c.files.Written(ctx, env, result); err != nil {
		return err
	}
	err = q.Judge(ctx, env, c.original, result, r)
	row.Notes, row.Warnings, row.Here = append(row.Notes, r.Notes...), append(row.Warnings, r.Warnings...), r.Here
	if err != nil {
		return errors.New(reasonOf(result, err)) // without the name of a temporary file
	}
	if why := notRun(r); why != "" {
		return errors.New(why)
	}
	if err := r.Trial.Validation.NoCaseRan(); err != nil {
		return err
	}
	row.Error = errorOf(r.Trial.Validation.Report)
	c.qualify(r, row)
	if x := r.Trial.Validation.Saturation; x != nil {
		row.Warnings = append(row.Warnings, fmt.Sprintf("some int8 sums overflow on this processor: output %q has %s in case %q, and would have %s with exact sums; --reduce-range prevents it", x.Output, compare.Decibels(float64(x.SNR)), x.Case, compare.Decibels(float64(x.Exact))))
	}
	c.made[row] = result
	return c.accuracyOf(ctx, env, row, result)
}

// notRun says why a result was not run, or returns "".
func notRun(r *quantization.Report) string {
	if r.Trial == nil || r.Trial.Validation == nil && r.Trial.NotRun == "" {
		return "the result was not run"
	}
	return r.Trial.NotRun
}

// qualify notes what the errors of a result do not show.
func (c *contest) qualify(r *quantization.Report, row *Row) {
	if r.Trial.OnCalibration {
		row.Notes = append(row.Notes, "its numbers were found on the same data that it is judged on: errors on other data may be larger")
	}
	if r.Trial.OnlyFirst {
		row.Notes = append(row.Notes, "its error is that on the first part of the data, because all of it does not fit in memory")
	}
}

// describe says what static was calibrated on, and which command makes the same result.
func (c *contest) describe(q *quantization.Quantization, v variant, row *Row) {
	generated := v.mode == static && q.Data == ""
	switch {
	case generated:
		row.Calibrated = fmt.Sprintf("%d generated inputs", generatedSamples)
		row.Warnings = append(row.Warnings, fmt.Sprintf("its ranges were found on %s: those of real data differ, so give --data before you use it", row.Calibrated))
	case v.mode == static:
		row.Calibrated = c.report.Inputs
	}
	if path := c.original.Path(); path != "" && !generated {
		again := *q
		again.Out, again.Generated = "FILE", 0
		row.Command = session.CommandOf(&again, path)
	}
}

// withModels returns an environment in which steps open the original and a result by name.
func (c *contest) withModels(env session.Env, more map[string]*graphops.Model) session.Env {
	env.Models = maps.Clone(env.Models)
	if env.Models == nil {
		env.Models = map[string]*graphops.Model{}
	}
	env.Models[c.name] = c.original
	maps.Copy(env.Models, more)
	return env
}
