package sides

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"lathe/session"
	"lathe/session/compare"
	"lathe/session/runtime"
	"lathe/session/text"
)

// unloadedError is the error of sides whose model the runtime does not load.
type unloadedError struct {
	a, b error // nil for a side that loads
}

func (e *unloadedError) Error() string { return e.reason() }

// Unwrap returns the errors of the runtime.
func (e *unloadedError) Unwrap() []error {
	var list []error
	for _, err := range []error{e.a, e.b} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

// unloadedBy returns an unloadedError if the runtime rejected one of the models. It returns another
// error unchanged, and nil if both load.
func unloadedBy(a, b error) error {
	var failure *runtime.Failure
	for _, err := range []error{a, b} {
		if err != nil && !errors.As(err, &failure) {
			return err
		}
	}
	if a == nil && b == nil {
		return nil
	}
	return &unloadedError{a, b}
}

// reason returns the reasons why models do not load, in one line that is safe to print.
func (e *unloadedError) reason() string {
	switch {
	case e.a == nil:
		return "b does not load: " + ReasonOf(e.b)
	case e.b == nil:
		return "a does not load: " + ReasonOf(e.a)
	case e.a.Error() == e.b.Error():
		return "neither side loads: " + ReasonOf(e.a)
	}
	return fmt.Sprintf("neither side loads: a: %s; b: %s", ReasonOf(e.a), ReasonOf(e.b))
}

// ReasonOf returns why a model could not be loaded, in one line.
func ReasonOf(err error) string {
	var failure *runtime.Failure
	if errors.As(err, &failure) {
		return text.CleanLine(failure.Reason())
	}
	return text.CleanLine(err.Error())
}

// unloaded returns the result if a side could not be loaded: a report if the runtime rejected a
// model, or else the error. With --reduce, the report has the smallest part that is rejected.
func (s *Comparison) unloaded(ctx context.Context, env session.Env, err error, took time.Duration) (session.Result, error) {
	var refused *unloadedError
	if ctx.Err() != nil || !errors.As(err, &refused) && !s.Reduce {
		return session.Result{}, err
	}
	var found *reducedReport
	if s.Reduce {
		var failed error
		if found, failed = s.reduceAlone(ctx, env, took, nil); failed != nil {
			return session.Result{}, failed
		}
	}
	switch {
	case refused == nil && found == nil:
		return session.Result{}, err
	case refused == nil: // such as a time limit
		refused = &unloadedError{b: errors.New(found.Original.Text)}
		if found.Side == "a" {
			refused = &unloadedError{a: refused.b}
		}
	}
	report := UnrunReport(s.A, cmp.Or(s.B, s.A), compare.Fail, refused.reason())
	report.Reduced, report.Broken = found, refused
	result := session.Result{Report: report, No: true}
	if found != nil {
		result.Files = found.files
	}
	return result, nil
}

// UnrunReport returns the report of models that were not run. The reason must be safe to print.
func UnrunReport(a, b string, v compare.Verdict, reason string) *Report {
	return &Report{
		Schema: "lathe.validate/1", Report: compare.NotRun(a, b, v, reason),
		InputPairs: []inputPair{}, Saved: []savedCase{}, Notes: []string{},
	}
}
