package search

import "math"

// The load of a loss of accuracy is a count of rows. It does not add: choices that lose no row alone may
// lose many together. So predictions take the noise of the output in its place, relative to the noise that
// the limit seems to allow.

const (
	// plausible is the noise that is taken for tolerable if nothing is known: 20 dB.
	plausible = 0.01
	// apart is how far from the only known side of a limit it is assumed to be: 6 dB.
	apart = 4
	// beyond is the least load of an outcome that exceeds its limit although its noise seems tolerable.
	beyond = 1.01
)

// tolerate finds the noise that a limit on the loss seems to allow, and reports whether it is another one
// than before. With several limits, the strictest one counts.
func (r *run) tolerate() (moved bool) {
	before := r.tolerated
	r.tolerated = math.Inf(1)
	for _, t := range r.Targets {
		if t.Measure == Top1Loss {
			r.tolerated = min(r.tolerated, r.tolerance(t))
		}
	}
	return r.tolerated != before
}

// tolerance is between the largest noise with which a trial met a limit, and the smallest one with which
// one did not. It is so high that what is below the latter is not out of the question.
func (r *run) tolerance(t Target) float64 {
	met, missed := 0.0, math.Inf(1)
	for i := range r.trials {
		o := &r.trials[i].Outcome
		switch {
		case o.Top1 == nil || o.Failed != "":
		case most(t.loads(o)) <= 1:
			met = max(met, o.Top1.noise(o))
		default:
			missed = min(missed, o.Top1.noise(o))
		}
	}
	switch {
	case met > 0 && missed > 0 && !math.IsInf(missed, 0) && !math.IsInf(met, 0):
		return max(math.Sqrt(met*missed), missed/doubt)
	case met > 0 && !math.IsInf(met, 0):
		return apart * met
	case missed > 0 && !math.IsInf(missed, 0):
		return missed / apart
	}
	return plausible
}

// loads returns what an outcome uses of the limits on errors, in terms that add. On which side of 1 that of
// a loss is, its own load decides.
func (r *run) loads(o *Outcome) (out []float64) {
	for _, t := range r.Targets {
		list := loads([]Target{t}, o)
		if t.Measure == Top1Loss && o.Top1 != nil {
			load := o.Top1.noise(o) / r.tolerated
			if most(list) <= 1 {
				load = min(load, 1)
			} else {
				load = max(load, beyond)
			}
			list = []float64{load}
		}
		out = append(out, list...)
	}
	return out
}

// load is the largest of loads, and infinite for a failure.
func (r *run) load(o *Outcome) float64 {
	if o.Failed != "" {
		return math.Inf(1)
	}
	return most(r.loads(o))
}
