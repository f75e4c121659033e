package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/proof"
)

// proving is a proof.Prover on sessions that it keeps, whose progress a step tells.
type proving struct {
	proof.Prover
	asIs, optimized *sessions
}

// newProving makes a prover, to be closed. Graphs run as they stand: what the runtime makes
// of two graphs that differ may round differently.
func newProving(env session.Env) *proving {
	p := &proving{asIs: &sessions{env: env, opt: "disable"}, optimized: &sessions{env: env, opt: "all"}}
	runs := int64(0)
	p.Prover = proof.Prover{Runner: p.asIs, Optimized: p.optimized, Patience: patience, Ran: func() {
		runs++
		env.Progress(session.Progress{Phase: "proving", Done: runs, Unit: "runs"})
	}}
	env.Progress(session.Progress{Phase: "proving"})
	return p
}

// patience is how long a run may take before a second input is one too many: a proof is
// part of a change that itself takes seconds at most.
const patience = 5 * time.Second

func (p *proving) close() {
	p.asIs.close()
	p.optimized.close()
}

// unproved is the sentence for an error that says nothing about a changed model, "" for any
// other.
func unproved(err error) string {
	var none *ort.NoRuntimeError
	switch {
	case errors.As(err, &none):
		return "not proved: " + none.Error()
	case proof.IsUnproved(err):
		return err.Error()
	}
	return ""
}

// sound makes a changed model that is near its original, without the passes that take it
// away from there, and tells what was shown. Errors that package check finds in a changed
// model and not in the original count as a difference. Where nothing can be shown, the
// model is as all passes make it, and the report's note says why; it must be free of such
// errors all the same.
func sound(ctx context.Context, env session.Env, l proof.Pipeline) (*graphops.Model, *proofReport, error) {
	before, err := errorsOf(ctx, env, l.Original)
	if err != nil {
		return nil, nil, err
	}
	l.Check = func(ctx context.Context, changed *graphops.Model) (string, error) {
		after, err := errorsOf(ctx, env, changed)
		return introduced(before, after), err
	}
	l.Trying = func(tries, most int) {
		if tries > 0 {
			env.Progress(session.Progress{Phase: "looking for the pass that differs", Done: int64(tries), Total: int64(most), Unit: "models"})
		}
	}
	p := newProving(env)
	defer p.close()
	s, err := p.Sound(ctx, l)
	why := unproved(err)
	switch {
	case why == "" && err != nil:
		return nil, nil, err
	case why == "":
		return s.Model, newProofReport(s), nil
	}
	wrong, err := l.Check(ctx, s.Model)
	if err == nil && wrong != "" {
		err = &proof.FailedError{Difference: &proof.Difference{Item: -1, Reason: wrong}}
	}
	return s.Model, unprovedReport(why), err
}

// errorsOf are the errors that package check finds.
func errorsOf(ctx context.Context, env session.Env, m *graphops.Model) ([]check.Problem, error) {
	found, err := check.Model(ctx, m, check.Options{Runtime: env.RuntimeVersion(ctx)})
	return slices.DeleteFunc(found, func(p check.Problem) bool { return p.Severity != check.Error }), err
}

// introduced tells the first error of a changed model that its original, which has those
// of before, does not have: one of a code of which there are more, in words that were not
// said as often. Names and positions of nodes may be others than they were. It is ""
// where there is none.
func introduced(before, after []check.Problem) string {
	count := func(list []check.Problem, like check.Problem, inWords bool) int {
		n := 0
		for _, p := range list {
			if p.Code == like.Code && (!inWords || p.Message == like.Message) {
				n++
			}
		}
		return n
	}
	for _, p := range after {
		if count(after, p, false) > count(before, p, false) && count(after, p, true) > count(before, p, true) {
			return fmt.Sprintf("has an error that the original has not: %s (%s)", p.Message, p.Code)
		}
	}
	return ""
}
