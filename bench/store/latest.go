package store

import (
	"context"
	"slices"
	"strings"

	"lathe/graphops"
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

// maxProfiles is the maximum number of stored profiles among which one of a model is searched for.
const maxProfiles = 200

// Profile finds the last profile of a model, which is only compared with results for a model of its
// size. digest computes the digest of the model; it is called at most once, and only if there is
// such a result, because it reads the weights. The result is nil if no such profile was found.
func (f Folder) Profile(ctx context.Context, bytes int64, digest func() (graphops.Digest, error)) (*Result, error) {
	var here *Model
	var found *Result
	var fault error
	read := 0
	err := f.eachNamed(ctx, func(name string) bool {
		return found == nil && fault == nil && read < maxProfiles && strings.Contains(name, "-"+KindProfile+"-")
	}, func(_ string, r *Result, err error) {
		read++
		if err != nil || r.Kind != KindProfile || !slices.ContainsFunc(r.Models, func(m Model) bool { return m.Bytes == bytes && m.Structure != "" }) {
			return
		}
		if here == nil {
			d, err := digest()
			if err != nil {
				fault = err
				return
			}
			here = &Model{Digest: d}
		}
		if slices.ContainsFunc(r.Models, here.Same) {
			found = r
		}
	})
	if err == nil {
		err = fault
	}
	return found, err
}
