package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"lathe/bench"
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
// If a result has several runs of one file, the first of them is used. Measurements that were broken
// off are left out. Results that cannot be read
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
			if known, ok := found[m.Absolute]; e.P50 == nil || e.BrokenOff || m.Absolute == "" || m.On != "" || ok && known.Time.After(e.Time) {
				continue
			}
			found[m.Absolute] = Latest{e.Entry, m.Structure}
		}
	})
	return found, err
}

// maxRead is the maximum number of stored results among which those of a model are searched for.
const maxRead = 200

// Profile finds the last profile of a model. The result is nil if no such profile was found.
func (f Folder) Profile(ctx context.Context, asked Asked) (*Result, error) {
	var found *Result
	err := f.ofModel(ctx, KindProfile, asked, func(r *Result, _ Model) bool {
		found = r
		return false
	})
	return found, err
}

// OfModel calls visit for the stored results of a kind that are about a model, the newest first, until
// it returns false.
func (f Folder) OfModel(ctx context.Context, kind string, m Model, visit func(*Result) bool) error {
	asked := Asked{m.WeightBytes, func() (graphops.Digest, error) { return m.Digest, nil }}
	return f.ofModel(ctx, kind, asked, func(r *Result, _ Model) bool { return visit(r) })
}

// maxBenched is the maximum number of results of measurements that are returned for a model.
const maxBenched = 20

// Benched is what a stored measurement says about a model.
type Benched struct {
	Time  time.Time
	Noise string // why the time may be doubtful, in a few words
	bench.Run
}

// Benches finds the latest measured latencies of a model on a machine, the newest first, and after them
// those that were broken off.
func (f Folder) Benches(ctx context.Context, here Machine, asked Asked) ([]Benched, error) {
	var out, broken []Benched
	err := f.ofModel(ctx, KindBench, asked, func(r *Result, model Model) bool {
		b, err := r.Bench()
		if err != nil || r.Machine.ID != here.ID || len(b.Runs) != len(r.Subjects) {
			return true
		}
		for i, run := range b.Runs {
			if s := r.Subjects[i]; r.Models[s.Model].Same(model) && r.Models[s.Model].On == "" {
				run.Threads = s.Threads()
				list := &out
				if run.Stopped == bench.StoppedShort {
					list = &broken
				}
				*list = append(*list, Benched{r.Time, b.Noise(run.Name), run})
			}
		}
		return len(out) < maxBenched
	})
	return append(out, broken[:min(len(broken), maxBenched)]...), err
}

// Threads returns the number of threads within an operator that a subject was measured with; 0 if the
// runtime chose it.
func (s Subject) Threads() int64 {
	n, err := strconv.ParseInt(s.Settings[SettingThreads], 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// ofModel calls visit for the results of a kind that are about a model, the newest first, until it
// returns false.
func (f Folder) ofModel(ctx context.Context, kind string, asked Asked, visit func(r *Result, here Model) bool) error {
	known := identified{Asked: asked}
	read, more := 0, true
	err := f.eachNamed(ctx, func(name string) bool {
		return more && known.fault == nil && read < maxRead && strings.Contains(name, "-"+kind+"-")
	}, func(_ string, r *Result, err error) {
		read++
		if err == nil && r.Kind == kind && slices.ContainsFunc(r.Models, known.is) {
			more = visit(r, *known.model)
		}
	})
	return cmp.Or(err, known.fault)
}
