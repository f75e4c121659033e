package search

import "context"

// traced is how many sizes of the front are looked at besides the best one.
const traced = 8

// trace tries the assignments with the least predicted load at sizes that are spread evenly between the
// smallest forecast and the original.
func (r *run) trace(ctx context.Context) (bool, error) {
	pool := r.forecasts
	if len(pool) == 0 {
		return true, nil
	}
	least, span := pool[0].size, r.Original.Bytes-pool[0].size
	for i := range traced {
		limit := least + span*int64(i)/traced
		next := lightest(pool, limit)
		if next == nil {
			continue
		}
		if _, err := r.try(ctx, next); err != nil {
			return false, err
		}
	}
	return true, nil
}

// lightest returns the assignment with the smallest load up to a size. The pool is sorted by size.
func lightest(pool []forecast, limit int64) (out Assignment) {
	load := 0.0
	for _, f := range pool {
		if f.size > limit {
			break
		}
		if out == nil || f.load < load {
			out, load = f.of, f.load
		}
	}
	return out
}
