package trial

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session"
)

// ErrorsOf returns the errors that package check finds in a model, for the runtime of env.
func ErrorsOf(ctx context.Context, env session.Env, m *graphops.Model) ([]check.Problem, error) {
	found, err := check.Model(ctx, m, check.Options{Runtime: env.RuntimeVersion(ctx), HasProvider: env.HasProvider(ctx)})
	return slices.DeleteFunc(found, func(p check.Problem) bool { return p.Severity != check.Error }), err
}

// Introduced returns the first error of a changed model that the original does not have, or nil.
// after are the errors of the changed model. before returns those of the original, and is only called
// if there are others to compare with. An error is new if its message occurs more
// often than before. Because messages contain names and positions, which a change may alter, errors
// of its code must also be more than before.
func Introduced(before func() ([]check.Problem, error), after []check.Problem) (*check.Problem, error) {
	if len(after) == 0 {
		return nil, nil
	}
	known, err := before()
	if err != nil {
		return nil, err
	}
	return introduced(known, after), nil
}

func introduced(before, after []check.Problem) *check.Problem {
	// Counted once, because a model may have an error at every one of very many nodes.
	count := func(list []check.Problem) map[[2]string]int {
		n := map[[2]string]int{}
		for _, p := range list {
			n[[2]string{p.Code}]++
			n[[2]string{p.Code, "message " + p.Message}]++
		}
		return n
	}
	was, is := count(before), count(after)
	more := func(kind [2]string) bool { return is[kind] > was[kind] }
	for i, p := range after {
		if more([2]string{p.Code}) && more([2]string{p.Code, "message " + p.Message}) {
			return &after[i]
		}
	}
	return nil
}
