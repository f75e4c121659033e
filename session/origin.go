package session

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"lathe/graphops"
)

// Origin says which model another one was made from, and how.
type Origin struct {
	// Digest returns the digest of the model that was opened.
	Digest func(context.Context) (graphops.Digest, error)
	// Steps are the calls that led from it to the other model, in order.
	Steps []Call
}

// digested computes the digest of a model once, for any number of goroutines.
type digested struct {
	of    *graphops.Model
	mutex sync.Mutex
	known bool
	sum   graphops.Digest
}

// digest returns the digest. If it is cancelled or fails, the next call computes it again.
func (d *digested) digest(ctx context.Context) (graphops.Digest, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.known {
		return d.sum, nil
	}
	var err error
	d.sum, err = graphops.DigestOf(ctx, d.of)
	d.known = err == nil
	return d.sum, err
}

// Digest returns a function that computes the digest of the opened model at its first call. Any
// goroutine may call it.
func (s *Session) Digest() func(context.Context) (graphops.Digest, error) { return s.opened.digest }

// Origins returns a function that reports the origin of a model which this session made, by the path of
// its file or by the model itself. The function describes the session as it is now, and any goroutine may
// call it.
func (s *Session) Origins() func(path string, m *graphops.Model) (Origin, bool) {
	made := map[*graphops.Model][]Call{}
	for _, st := range s.states {
		if st.model != s.Original() {
			made[st.model] = st.calls()
		}
	}
	files := map[string]*graphops.Model{}
	for _, f := range s.files {
		files[filepath.Clean(f.path)] = f.model
	}
	digest := s.Digest()
	return func(path string, m *graphops.Model) (Origin, bool) {
		calls, ok := made[m]
		if !ok {
			calls, ok = made[files[filepath.Clean(path)]]
		}
		return Origin{digest, calls}, ok
	}
}

// calls returns the calls that made the model of a state from the opened one, in order.
func (st *state) calls() (out []Call) {
	for ; st.from != nil; st = st.from {
		out = append(out, st.call)
	}
	slices.Reverse(out)
	return out
}
