package bench

// Place is where a subject stands in a sweep: which of the values of each option it has, counted
// from 0. Two of one place are alike in everything but the model.
type Place struct{ Model, EP, On, Batch int }

// The options along which subjects are compared.
const (
	AlongModel = "model"
	AlongEP    = "ep"
	AlongOn    = "on"
	AlongBatch = "batch" // how a model scales: a ratio below that of the batches is a gain
)

// compared are two subjects that differ along one option.
type compared struct {
	a, b  int
	along string
}

// pairs are what is compared with what: like with like. A subject is held against the first
// model at its own provider, machine and batch; against the first provider and the first machine
// with its own model; and against its own first batch.
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

// places are those of all subjects. Subjects that share one, as a caller gives them that sweeps
// nothing, count as models of their own.
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
