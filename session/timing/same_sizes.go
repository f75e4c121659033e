package timing

import (
	"context"
	"fmt"

	"lathe/session"
)

// SameSizes makes targets run with the same sizes of their free axes, so that their times can be compared:
// if Lathe chose different sizes for an axis name that several targets have, all of them get the smallest.
// What one of them does not accept stays as it was, and its notes say so.
func (s *Benchmark) SameSizes(ctx context.Context, env session.Env, targets []*Subject) error {
	if s.Captures {
		return nil // the captured graph has the sizes of the first run
	}
	for _, t := range targets {
		if pinned := smaller(t, targets); len(pinned) > 0 {
			env.Progress(session.Progress{Phase: "giving " + t.Path + " the sizes of the others"})
			if err := s.pin(ctx, env, t, pinned); err != nil {
				return err
			}
		}
	}
	for i, t := range targets[:max(len(targets), 1)-1] {
		if other := unequal(t, targets[i+1:]); other != "" {
			t.notes = append(t.notes, other)
		}
	}
	return nil
}

// smaller returns the sizes of free axes that other targets run with and that are smaller than those
// chosen for t.
func smaller(t *Subject, targets []*Subject) map[string]int64 {
	out := map[string]int64{}
	for _, size := range t.sizes {
		n := size.N
		for _, o := range targets {
			if known, ok := o.sizes.Find(size.Name); ok && size.Chosen && o.batch == t.batch {
				n = min(n, known.N)
			}
		}
		if n < size.N {
			out[size.Name] = n
		}
	}
	return out
}

// pin runs a target once with given sizes. If it does not accept them, the target runs again with those
// that it had.
func (s *Benchmark) pin(ctx context.Context, env session.Env, t *Subject, sizes map[string]int64) error {
	first := t.first // that of a new session, which this one is not any more
	defer func() { t.first = first }()
	t.pinned = sizes
	err := s.firstRun(ctx, env, t.Model, t)
	if err != nil && ctx.Err() == nil {
		t.pinned = nil
		if err = s.reload(ctx, env, t.Model, t); err == nil {
			err = s.firstRun(ctx, env, t.Model, t)
		}
	}
	if err == nil && s.Rate > 0 {
		err = t.Session.Bind(ctx, t.feeds, t.binding)
	}
	return err
}

// unequal returns a note if a later target with the same batch runs with another size of an axis of the
// same name.
func unequal(t *Subject, later []*Subject) string {
	for _, size := range t.sizes {
		for _, o := range later {
			if n, ok := o.sizes.Find(size.Name); ok && n.N != size.N && o.batch == t.batch {
				return fmt.Sprintf("%s=%d here and %d in %s, so the two do different work; set one size with --dim %s=N", size.Name, size.N, n.N, o.Name(), size.Name)
			}
		}
	}
	return ""
}
