package modes

import (
	"cmp"
	"context"
	"os"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/session/flags"
	"lathe/session/timing"
)

// precision is how precisely latencies are measured, in percent, as in the trial of one quantization.
const precision = 2

// time measures the original and all results that ran, in turns. A result that cannot be measured says why.
func (c *contest) time(ctx context.Context) error {
	var rows []*Row
	for _, row := range c.report.Rows {
		if row.ran() {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	step, err := c.benchmark()
	if err != nil {
		return err
	}
	// The environment is read before this program adds to the load of the machine.
	environment := machine.ReadEnvironment(os.DirFS("/"))
	env := c.progress("latency")
	var targets []*timing.Subject
	defer func() {
		for _, t := range targets {
			_ = t.Session.Close() // the results are complete, or there is another error
		}
	}()
	load := func(row *Row, m *graphops.Model) error {
		t, err := step.Load(ctx, env, m, &timing.Subject{Model: m, Path: row.Mode, Chain: c.Quant.How.EP})
		if err == nil {
			targets = append(targets, t)
		} else if t != nil && t.Session != nil {
			_ = t.Session.Close() // there is another error
		}
		return err
	}
	if err := load(c.report.Original, c.original); err != nil {
		return err
	}
	timed := []*Row{c.report.Original}
	for _, row := range rows {
		switch err := load(row, c.made[row]); {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			row.Warnings = append(row.Warnings, "its latency could not be measured: "+reasonOf(c.original, err))
		default:
			timed = append(timed, row)
		}
	}
	if err := step.SameSizes(ctx, env, targets); err != nil {
		return err
	}
	for _, row := range timed {
		step.Models = append(step.Models, row.Mode)
	}
	report, err := step.Measure(ctx, env, targets, environment)
	if report != nil {
		c.take(report, timed)
	}
	return err
}

// benchmark returns the step that measures. It uses as much of the data as the trial of one quantization.
func (c *contest) benchmark() (*timing.Benchmark, error) {
	var of flags.Feeding = c.Quant.Feeding
	if _, err := of.WithinMemory(c.original); err != nil {
		return nil, err
	}
	return &timing.Benchmark{NoMemory: true, Seconds: cmp.Or(c.Seconds, defaultSeconds), Precision: precision, Feeding: of, Running: c.Quant.How.Running}, nil
}

// take stores the latencies in the rows.
func (c *contest) take(b *timing.Report, timed []*Row) {
	c.report.Bench = b
	for i, row := range timed {
		if i == 0 {
			row.Time = timeOf(b, b.Runs[0].Run, nil)
			continue
		}
		for k := range b.Comparisons {
			if b.Comparisons[k].A == b.Runs[0].Name && b.Comparisons[k].B == b.Runs[i].Name {
				row.Time = timeOf(b, b.Runs[i].Run, &b.Comparisons[k])
			}
		}
	}
}
