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
// before and after are the errors of the two models. An error is new if its message occurs more
// often than before. Because messages contain names and positions, which a change may alter, errors
// of its code must also be more than before.
func Introduced(before, after []check.Problem) *check.Problem {
	count := func(list []check.Problem, like check.Problem, inWords bool) int {
		n := 0
		for _, p := range list {
			if p.Code == like.Code && (!inWords || p.Message == like.Message) {
				n++
			}
		}
		return n
	}
	for i, p := range after {
		if count(after, p, false) > count(before, p, false) && count(after, p, true) > count(before, p, true) {
			return &after[i]
		}
	}
	return nil
}
