// Package compare runs two executors on the same inputs and judges how far the outputs of the
// second differ from those of the first.
//
// Each judgement names the rule that decided it. Integers, bools and strings must be equal.
// Floating-point outputs must be within a tolerance for their type in every element (see
// ToleranceOf). The outputs of a quantized model are judged by their signal-to-noise ratio instead,
// since quantization changes every element a little. In addition, whatever the rule, an output with
// scores of classes must choose the same class in nearly every row.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
	"lathe/session/text"
)

// Executor runs a model: in a runtime, with a reference implementation, or by looking up expected
// outputs.
type Executor interface {
	// Name identifies the executor in reports, for example by a file name.
	Name() string
	// Run returns every output of the model. After an error, Run is called again for the next case.
	Run(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error)
}

// ByCase is an executor that needs the whole case and not only its inputs, for example to look up
// expected outputs.
type ByCase interface {
	Executor
	// RunCase does what Run does, and is called instead of it.
	RunCase(ctx context.Context, one inputs.Case) ([]graphops.Got, error)
}

// Truth is an executor whose outputs are right by definition, such as expected outputs. It is side
// A, and B is judged by it. If it cannot run a case, that does not count against B.
type Truth interface {
	Executor
	// Word describes its values in reports, such as "expected".
	Word() string
}

// NotFedError says that an executor cannot take the inputs of a case, for example because it
// converts 64-bit integers to 32 bits and one is too large. The case then counts against neither
// side.
type NotFedError struct{ Err error }

func (e *NotFedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *NotFedError) Unwrap() error { return e.Err }

// Options control how outputs are judged.
type Options struct {
	// RTol and ATol are tolerances that the user requested for every output. They replace the rule
	// by which an output would be judged, except that scores of classes must still choose the same
	// class. If one of them is nil, it follows from the type.
	RTol, ATol *float64
	// Of are tolerances that the user requested for single outputs, by the output's name in A. They
	// override RTol and ATol.
	Of map[string]Asked
	// Facts are what FactsOf finds in a graph about the outputs, by name. It is nil if there is no
	// graph.
	Facts map[string]Fact
	// Rows are what RowsOf finds about the outputs of A, by name: which rows a mask can leave out.
	Rows map[string]Rows
	// Failed is called for every case that fails, with the outputs of A if there are any. It may be
	// nil.
	Failed func(inputs.Case, []graphops.Got)
	// Ties reports whether an output of indices differs between A and B only because several
	// elements are equal and each side chose another of them. It is nil if that cannot be found
	// out.
	Ties func(ctx context.Context, one inputs.Case, output string, a, b tensor.Tensor) (bool, error)
	// Findings are findings that are known before anything runs, for example that one side lacks an
	// input. They are included in the report.
	Findings []Finding
	// NotRun are cases that could not be generated. The report lists them as findings; they do not
	// change the verdict.
	NotRun []inputs.NotRun
	// Patience limits the total time of the generated cases of all families except inputs.Seeds.
	// When it is used up, the case that is running is stopped and the remaining ones are skipped.
	// Both become findings. 0 means no limit.
	Patience time.Duration
	// Precision is the coarsest floating-point type in which either side computes, if that is
	// coarser than the types of the outputs. An example is a float16 model whose inputs and outputs
	// are float32. Otherwise it is Undefined.
	Precision tensor.DType
	// Quantized is set if one side computes with quantized weights or activations.
	Quantized bool
	// SameTypes requires that the outputs have equal element types. Otherwise numbers may have
	// another width, as after a conversion to float16. Even then an integer, a floating-point
	// number and a bool are never taken for each other.
	SameTypes bool
}

// Compare runs every case on both executors and compares the outputs. A case that one of them
// cannot run becomes a finding, and so does an output without a counterpart; the comparison
// continues. progress is called with the number of cases done; it may be nil. The error is that of
// the context.
func Compare(ctx context.Context, a, b Executor, cases []inputs.Case, o Options, progress func(done, total int)) (*Report, error) {
	c := &comparison{o: o, reach: newReach(), report: newReport(a, b), words: wordsOf(a), labels: newLabels(cases), seenA: map[string]bool{}, seenB: map[string]bool{}}
	c.precise, _ = a.(Precise)
	c.report.Findings = append(c.report.Findings, o.Findings...)
	start := time.Now()
	for i, one := range cases {
		if progress != nil {
			progress(i, len(cases))
		}
		c.reach.plan(one.Family)
		left, limited := c.left(one, start)
		if limited && left <= 0 {
			c.skip(one, time.Since(start))
			continue
		}
		got, ended, err := c.run(ctx, a, b, one, left)
		if err != nil {
			return nil, err
		}
		if ended {
			continue
		}
		c.take(ctx, one, got)
	}
	if progress != nil {
		progress(len(cases), len(cases))
	}
	for _, n := range o.NotRun {
		c.reach.plan(n.Family)
		c.find(Finding{Case: n.Case, Reason: "not run: " + n.Reason, NotRun: true})
	}
	c.finish()
	return c.report, c.tellClasses(ctx, a, cases)
}

// answers are the outputs of both executors for one case, or their errors.
type answers struct {
	a, b       []graphops.Got // split into tensors
	whole      []graphops.Got // of a, not split
	errA, errB error
}

// neither returns an error if neither executor ran the case, and nil otherwise. If both errors have
// the same text, it appears once.
func (got answers) neither() error {
	switch {
	case got.errA == nil || got.errB == nil:
		return nil
	case got.errA.Error() == got.errB.Error():
		return got.errA
	}
	return fmt.Errorf("a: %w; b: %w", got.errA, got.errB)
}

// lastShare limits how short a time limit can be. A case that starts before Options.Patience is
// used up may take at least the fraction 1/lastShare of it.
const lastShare = 6

// left returns how long a case may take, where start is when the comparison began. It returns 0,
// true if the case must be skipped, and false if it may take any time.
func (c *comparison) left(one inputs.Case, start time.Time) (time.Duration, bool) {
	if c.o.Patience == 0 || one.Family == inputs.None || one.Family == inputs.Seeds {
		return 0, false
	}
	if left := c.o.Patience - time.Since(start); left > 0 {
		return max(left, c.o.Patience/lastShare), true
	}
	return 0, true
}

// run runs a case on both sides within a time limit, if left is not 0. ended is true if the limit
// stopped the case; this is then a finding.
func (c *comparison) run(ctx context.Context, a, b Executor, one inputs.Case, left time.Duration) (got answers, ended bool, err error) {
	if left == 0 {
		got, err = runBoth(ctx, a, b, one)
		return got, false, err
	}
	limited, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	began := time.Now()
	got, err = runBoth(limited, a, b, one)
	if err == nil || ctx.Err() != nil {
		return got, false, err
	}
	c.find(Finding{
		Case: one.Name, NotRun: true,
		Reason: fmt.Sprintf("stopped after %s: all cases other than seeds may take %s together; --cases %s runs them to the end", text.Elapsed(time.Since(began)), text.Elapsed(c.o.Patience), one.Family),
	})
	return got, true, nil
}

// runBoth runs a case on both sides. It returns an error only if the context has ended; the errors
// of the executors are part of the answers.
func runBoth(ctx context.Context, a, b Executor, one inputs.Case) (answers, error) {
	var got answers
	got.whole, got.errA = runCase(ctx, a, one)
	got.a = leaves(got.whole)
	if err := ctx.Err(); err != nil {
		return got, err
	}
	values, err := runCase(ctx, b, one)
	got.b, got.errB = leaves(values), err
	return got, ctx.Err()
}

func runCase(ctx context.Context, x Executor, one inputs.Case) ([]graphops.Got, error) {
	if by, ok := x.(ByCase); ok {
		return by.RunCase(ctx, one)
	}
	return x.Run(ctx, one.Feeds)
}

// comparison builds a report, one case after another.
type comparison struct {
	o      Options
	report *Report
	words  words
	// precise is side A if A can compute in float64 how large its own rounding error is. Otherwise
	// it is nil.
	precise Precise
	labels  labels
	both    int // number of cases that ran on both sides
	ran     int // number of cases that ran on at least one side
	reach   reach
	// seenA and seenB are the names of the outputs that have been paired already, or have been
	// reported to have no counterpart. A later case may have new names, because a sequence can have
	// more elements in it.
	seenA, seenB map[string]bool
}

// take adds the result of one case to the report.
func (c *comparison) take(ctx context.Context, one inputs.Case, got answers) {
	result := CaseResult{Name: one.Name, family: one.Family, Family: one.Family.String(), Inputs: describe(one), Outputs: []OutputResult{}}
	before := len(c.report.Findings)
	var notFed *NotFedError
	switch {
	case got.errA != nil && got.errB != nil:
		c.find(Finding{Case: one.Name, Side: "both", Reason: got.neither().Error()})
		c.report.unrun[one.Name] = got.neither()
		c.report.neither = cmp.Or(c.report.neither, got.neither())
	case got.errA == nil && errors.As(got.errB, &notFed):
		c.ran++
		c.find(Finding{Case: one.Name, Side: "b", Reason: "not run: " + notFed.Error(), NotRun: true})
	case got.errA != nil:
		c.ran++
		c.find(Finding{Case: one.Name, Side: "a", Reason: got.errA.Error(), Decisive: !c.words.truth})
	case got.errB != nil:
		c.ran++
		c.find(Finding{Case: one.Name, Side: "b", Reason: got.errB.Error(), Decisive: true})
	default:
		c.both++
		c.ran++
		result.Outputs = c.outputs(one, got)
		c.weighRounding(ctx, one, got, result.Outputs)
		c.weighTies(ctx, one, got, result.Outputs)
	}
	result.judge(c.report.Findings[before:])
	if result.Verdict == Fail {
		c.failed(one, got.whole)
	}
	c.report.Cases = append(c.report.Cases, result)
}

// failed calls Options.Failed for a case that fails. The number of classes is added to the case, so
// that it can be judged in the same way later.
func (c *comparison) failed(one inputs.Case, outputs []graphops.Got) {
	if c.o.Failed == nil {
		return
	}
	if one.Classes = c.labels.classes; one.Classes == 0 {
		one.Labels = nil
	}
	c.o.Failed(one, outputs)
}

// tellClasses calls Options.Failed for the cases that fail only because the two sides choose
// different classes too often. That is counted over all cases, so it is known only after the last
// one. The outputs of A are not kept, so A runs these cases again.
func (c *comparison) tellClasses(ctx context.Context, a Executor, cases []inputs.Case) error {
	if c.o.Failed == nil || c.report.Verdict != Fail {
		return nil
	}
	for _, result := range c.report.Cases {
		i := slices.IndexFunc(cases, func(one inputs.Case) bool { return one.Name == result.Name })
		if result.Verdict == Fail || i < 0 || !slices.ContainsFunc(result.Outputs, c.classesDecide) {
			continue
		}
		outputs, err := runCase(ctx, a, cases[i])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			c.failed(cases[i], outputs)
		}
	}
	return nil
}

// classesDecide reports whether an output fails because the sides choose different classes too
// often, both in this case and over all cases.
func (c *comparison) classesDecide(o OutputResult) bool {
	p := c.pairOf(o)
	return p.classes && !c.classesAgree(p) && o.ArgmaxAgree != nil && float64(*o.ArgmaxAgree) < c.minArgmax()
}

// skip notes that a case is not run because the time for the generated cases is used up.
func (c *comparison) skip(one inputs.Case, took time.Duration) {
	c.find(Finding{
		Case: one.Name, NotRun: true,
		Reason: fmt.Sprintf("not run: earlier cases took %s, and all cases other than seeds may take %s together; --cases %s runs it", text.Elapsed(took), text.Elapsed(c.o.Patience), one.Family),
	})
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
			continue // an element that the sequences of this case do not have
		}
		if !okA || !okB {
			c.find(Finding{Case: one.Name, Output: p.A, Reason: "missing in this case", Decisive: true})
			continue
		}
		r := c.compareOutput(one, p, a, b)
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
