package main

import (
	"fmt"

	"lathe/bench/profile"
	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
)

// stored is what --result names: the times of nodes, and what is told of it in words.
func (a *app) stored(m *graphops.Model) (session.Timed, []string, error) {
	if a.result == "" {
		return nil, nil, nil
	}
	r, err := store.Read(a.result)
	if err != nil {
		return nil, nil, fmt.Errorf("--result: %w", err)
	}
	switch r.Kind {
	case store.KindProfile:
		times, err := r.Times()
		if err != nil {
			return nil, nil, fmt.Errorf("--result %s: %w", a.result, err)
		}
		return times, []string{fmt.Sprintf("times of %d nodes, from %s", len(times.Nodes), a.result)}, nil
	case store.KindBench:
		b, err := r.Bench()
		if err != nil {
			return nil, nil, fmt.Errorf("--result %s: %w", a.result, err)
		}
		return nil, b.Headlines(), nil
	}
	return nil, nil, fmt.Errorf("--result %s: it is of %s, expected a result of profile or bench", a.result, r.Kind)
}

var _ session.Timed = (*profile.Result)(nil)
