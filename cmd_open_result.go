package main

import (
	"context"
	"fmt"
	"slices"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
)

// stored is what --result names: the times of nodes, and what is told of it in words.
func (a *app) stored(ctx context.Context, m *graphops.Model) (session.Timed, []string, error) {
	if a.result == "" {
		return nil, nil, nil
	}
	r, err := store.Read(a.result)
	if err != nil {
		return nil, nil, fmt.Errorf("--result: %w", err)
	}
	times, told, err := toldOf(r)
	if err == nil && !saysModel(r) {
		told = append(told, "whether that is of this model the file does not say")
	} else if err == nil {
		err = isOf(ctx, r, m)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--result %s: %w", a.result, err)
	}
	return times, told, nil
}

// toldOf is what the workbench can show of a result.
func toldOf(r *store.Result) (session.Timed, []string, error) {
	switch r.Kind {
	case store.KindProfile:
		times, err := r.Times()
		if err != nil {
			return nil, nil, err
		}
		return times, []string{fmt.Sprintf("times of %d nodes, as they were profiled", len(times.Nodes))}, nil
	case store.KindBench:
		b, err := r.Bench()
		if err != nil {
			return nil, nil, err
		}
		return nil, b.Headlines(), nil
	}
	return nil, nil, fmt.Errorf("it is of %s, expected a result of profile or bench", r.Kind)
}

// saysModel reports whether a result has a digest: what --json prints has none.
func saysModel(r *store.Result) bool {
	return slices.ContainsFunc(r.Models, func(s store.Model) bool { return s.Structure != "" })
}

// isOf is the error of a result that none of whose models is this one.
func isOf(ctx context.Context, r *store.Result, m *graphops.Model) error {
	digest, err := graphops.DigestOf(ctx, m)
	if err != nil {
		return err
	}
	here := store.Model{Digest: digest}
	if slices.ContainsFunc(r.Models, here.Same) {
		return nil
	}
	was := r.Models[len(r.Models)-1]
	return fmt.Errorf("it is of another model, %s with content %s, and this has %s; measure this one anew", was.Path, was.Short(), here.Short())
}
