package bench

// Place is the position of a subject in a sweep: the index of its value for each option. Two
// subjects with the same place differ only in the model.
type Place struct{ Model, EP, On, Batch int }

// The options along which subjects are compared.
const (
	AlongModel = "model"
	AlongEP    = "ep"
	AlongOn    = "on"
	// how a model scales: if the time grows by less than the batch, the larger batch is better
	AlongBatch = "batch"
)

// compared are two subjects that differ in one option.
type compared struct {
	a, b  int
	along string
}

// pairs decides which subjects are compared, so that only one option differs. A subject is compared
// with the first model for its own provider, machine and batch; with the first provider and the
// first machine for its own model; and with its own first batch.
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
		{AlongModel, func(p Place) Place { p.Model = 0; return p }},
		{AlongEP, func(p Place) Place { p.EP = 0; return p }},
		{AlongOn, func(p Place) Place { p.On = 0; return p }},
		{AlongBatch, func(p Place) Place { p.Batch = 0; return p }},
	} {
		for i, p := range places {
			if first, ok := at[of.first(p)]; ok && first != i {
				out = append(out, compared{first, i, of.along})
			}
		}
	}
	return out
}

// places returns the places of all subjects. Subjects with the same place, as from a caller without
// a sweep, count as different models.
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
