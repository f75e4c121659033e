package store

import (
	"context"
	"slices"
)

// Latest is the last measured latency of a model file.
type Latest struct {
	Entry
	// Structure is the digest of the model's structure when it was measured, "" if the result
	// has none.
	Structure string
}

// Latest finds the last latency that a machine measured for each model file, by its absolute path.
// If a result has several runs of one file, the first of them is used. Results that cannot be read
// are left out; History reports them.
func (f Folder) Latest(ctx context.Context, here Machine) (map[string]Latest, error) {
	found := map[string]Latest{}
	err := f.each(ctx, func(_ string, r *Result, err error) {
		if err != nil || r.Machine.ID != here.ID || r.Kind != KindBench && r.Kind != KindQuantize {
			return
		}
		entries, err := entriesOf(r)
		if err != nil {
			return
		}
		for _, e := range slices.Backward(entries) {
			m := r.Models[e.model]
			if known, ok := found[m.Absolute]; e.P50 == nil || m.Absolute == "" || m.On != "" || ok && known.Time.After(e.Time) {
				continue
			}
			found[m.Absolute] = Latest{e.Entry, m.Structure}
		}
	})
	return found, err
}
