// Package compare runs two executors on the same inputs and judges how far the
// outputs of the second are from those of the first.
//
// A judgement names the rule that decided it. Integers, bools and strings must
// be equal. Floating-point outputs must lie within a tolerance of their type in
// every element (see ToleranceOf). The outputs of a quantized model are judged
// by their signal-to-noise ratio instead, since quantization moves every
// element and harms none in particular. Whatever the rule, an output that holds
// class scores must choose the same class in nearly every row.
package compare

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// Executor runs a model: in a runtime, through a reference implementation, or
// by looking up expected outputs.
type Executor interface {
	// Name tells the executor apart in reports, as a file name does.
	Name() string
	// Run gives every output of the model. After an error the executor is asked again: the next
	// case may be one that it can run.
	Run(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error)
}

// Options change how outputs are judged.
type Options struct {
	// RTol and ATol are asked for, of every output; they go before every other rule
	// but that of class scores. Where one is nil it follows from the type.
	RTol, ATol *float64
	// Precision is the coarsest floating-point type that either side computes in,
	// where its outputs do not show it, as for a float16 model whose inputs and
	// outputs stay float32. Undefined goes by the outputs.
	Precision tensor.DType
	// Quantized says that one side computes with quantized weights or activations.
	Quantized bool
}

// Compare runs every case on both executors and compares the outputs. A case
// that one of them cannot run becomes a finding and the others go on; so does
// an output without a counterpart. Progress hears how many of the cases are
// done; it may be nil. The error is that of the context, of there being no case,
// or those of both executors where neither could run any.
func Compare(ctx context.Context, a, b Executor, cases []inputs.Case, o Options, progress func(done, total int)) (*Report, error) {
	if len(cases) == 0 {
		return nil, fmt.Errorf("nothing to compare %q and %q on: no inputs", a.Name(), b.Name())
	}
	c := &comparison{o: o, report: newReport(a, b), labels: newLabels(cases), seenA: map[string]bool{}, seenB: map[string]bool{}}
	var neither error
	for i, one := range cases {
		if progress != nil {
			progress(i, len(cases))
		}
		got, err := runBoth(ctx, a, b, one.Feeds)
		if err != nil {
			return nil, err
		}
		if neither == nil {
			neither = got.neither()
		}
		c.take(one, got)
	}
	if c.ran == 0 {
		return nil, fmt.Errorf("nothing was compared, no case ran on either side: %w", neither)
	}
	if progress != nil {
		progress(len(cases), len(cases))
	}
	c.finish()
	return c.report, nil
}

// answers are what both executors made of one case.
type answers struct {
	a, b       []graphops.Got
	errA, errB error
}

// neither is the error of a case that ran on no side, what both say said once.
func (got answers) neither() error {
	switch {
	case got.errA == nil || got.errB == nil:
		return nil
	case got.errA.Error() == got.errB.Error():
		return got.errA
	}
	return fmt.Errorf("a: %w; b: %w", got.errA, got.errB)
}

// runBoth fails only where the context has ended.
func runBoth(ctx context.Context, a, b Executor, in graphops.Feeds) (answers, error) {
	var got answers
	got.a, got.errA = runLeaves(ctx, a, in)
	if err := ctx.Err(); err != nil {
		return got, err
	}
	got.b, got.errB = runLeaves(ctx, b, in)
	return got, ctx.Err()
}

func runLeaves(ctx context.Context, x Executor, in graphops.Feeds) ([]graphops.Got, error) {
	values, err := x.Run(ctx, in)
	return leaves(values), err
}

// comparison collects a report case by case.
type comparison struct {
	o      Options
	report *Report
	labels labels
	both   int // cases that ran on both sides
	ran    int // cases that ran on one side at least
	// seenA and seenB are the outputs that are paired, or told to have no
	// counterpart. A sequence can have more elements in a later case.
	seenA, seenB map[string]bool
}

// take adds what one case gave.
func (c *comparison) take(one inputs.Case, got answers) {
	result := CaseResult{Name: one.Name, Inputs: describe(one), Outputs: []OutputResult{}}
	switch {
	case got.errA != nil && got.errB != nil:
		c.find(Finding{Case: one.Name, Side: "both", Reason: got.neither().Error()})
	case got.errA != nil:
		c.ran++
		c.find(Finding{Case: one.Name, Side: "a", Reason: got.errA.Error(), Decisive: true})
	case got.errB != nil:
		c.ran++
		c.find(Finding{Case: one.Name, Side: "b", Reason: got.errB.Error(), Decisive: true})
	default:
		c.both++
		c.ran++
		result.Outputs = c.outputs(one, got)
	}
	c.report.Cases = append(c.report.Cases, result)
}

func (c *comparison) find(f Finding) { c.report.Findings = append(c.report.Findings, f) }

// outputs compares the paired outputs of one case.
func (c *comparison) outputs(one inputs.Case, got answers) []OutputResult {
	c.pair(got)
	results := []OutputResult{}
	for i := range c.report.Pairs {
		p := &c.report.Pairs[i]
		a, okA := find(got.a, p.A)
		b, okB := find(got.b, p.B)
		if !okA && !okB {
			continue // an element that this case's sequences do not have
		}
		if !okA || !okB {
			c.find(Finding{Case: one.Name, Output: p.A, Reason: "missing in this case", Decisive: true})
			continue
		}
		r := c.compareOutput(p, a, b)
		r.Case = one.Name
		if r.Reason == "" && len(one.Labels) > 0 {
			c.score(p, one.Labels, a, b)
		}
		results = append(results, r)
	}
	return results
}

func find(values []graphops.Got, name string) (graphops.Got, bool) {
	for _, v := range values {
		if v.Name == name {
			return v, true
		}
	}
	return graphops.Got{}, false
}

// compareOutput compares one output in one case.
func (c *comparison) compareOutput(p *Pair, a, b graphops.Got) OutputResult {
	r := OutputResult{Name: p.A, Type: a.Value.Type.String(), Shape: a.Value.Tensor.Shape}
	tol, rule := c.ruleFor(a.Value.Tensor.DType, b.Value.Tensor.DType)
	r.Rule, r.Tolerance = rule, tol
	m, err := tensor.Compare(a.Value.Tensor, b.Value.Tensor, tol)
	if err != nil {
		r.Reason = err.Error()
	} else {
		r.fill(m)
		r.Pass = passes(rule, m)
	}
	p.all.add(r, m)
	return r
}
