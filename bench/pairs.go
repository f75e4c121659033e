package bench

// Place is the position of a subject in a sweep, which measures all combinations of several models,
// execution providers, machines, batches and numbers of threads. Each field is the index of the subject's value in the
// list of values of that option. Test is the index of what is measured of it; only equal tests are compared.
type Place struct{ Model, EP, On, Batch, Threads, Test int }

// The options along which subjects are compared.
const (
	alongModel = "model"
	alongEP    = "ep"
	alongOn    = "on"
	// shows how a model scales: if the time grows less than the batch, the larger batch is more
	// efficient
	alongBatch   = "batch"
	alongThreads = "threads"
)

// compared are the indices of two subjects that differ only in the option along.
type compared struct {
	a, b  int
	along string
}

// pairs returns the pairs of subjects to compare. The subjects of a pair differ in only one option.
// A subject is compared with the first model for its own provider, machine, batch and threads; with
// the first provider and the first machine for its own model; and with its own first batch and its
// own first number of threads.
func (e *engine) pairs() []compared {
	var out []compared
	at := make(map[Place]int, len(e.tracks))
	places := e.places()
	for i, p := range places {
		at[p] = i
	}
	for _, of := range []struct {
		along string
		first func(Place) Place
	}{
		{alongModel, func(p Place) Place { p.Model = 0; return p }},
		{alongEP, func(p Place) Place { p.EP = 0; return p }},
		{alongOn, func(p Place) Place { p.On = 0; return p }},
		{alongBatch, func(p Place) Place { p.Batch = 0; return p }},
		{alongThreads, func(p Place) Place { p.Threads = 0; return p }},
	} {
		for i, p := range places {
			if first, ok := at[of.first(p)]; ok && first != i {
				out = append(out, compared{first, i, of.along})
			}
		}
	}
	return out
}

// places returns the places of all subjects. If several subjects have the same place, because the
// caller did not set it, they get different values of Model, so that they are compared as different
// models.
func (e *engine) places() []Place {
	taken := map[Place]bool{}
	out := make([]Place, len(e.tracks))
	for i, t := range e.tracks {
		p := t.subject.Place
		for taken[p] {
			p.Model++
		}
		taken[p], out[i] = true, p
	}
	return out
}
