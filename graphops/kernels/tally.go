package kernels

// tally is what the instructions for 16-bit types work with. Each number is there 8 times, once for
// each of the numbers that are handled at once. The generator knows the layout.
type tally [aboveCounts + limits][8]uint32

// The parts of a tally: the bounds, magnitudes that are limits, and how many numbers have a larger
// magnitude than each limit. Each kind of Changes is the difference of two of these counts.
const (
	leastBound  = 0
	mostBound   = 1
	firstLimit  = 2
	aboveCounts = firstLimit + limits
)

// The limits.
const (
	limitZero = iota
	limitRaised
	limitVanished
	limitFinite // numbers above it that are not lowered become infinite
	limitBounds
	limitAll // above it are infinities and NaN
	limits
)

// newTally returns a tally for a conversion. fast is false if only the portable version can do it:
// on other processors, and if the bounds are not in order.
func newTally(b Bounds, f format) (t *tally, fast bool) {
	if !enabled || b.Least > b.Most || b.Most >= Infinity {
		return nil, false
	}
	raised := max(b.Least, 1) - 1
	numbers := [aboveCounts]uint32{
		leastBound:                 b.Least,
		mostBound:                  b.Most,
		firstLimit + limitZero:     0,
		firstLimit + limitRaised:   raised,
		firstLimit + limitVanished: max(raised, min(f.vanishing, b.Most)),
		firstLimit + limitFinite:   min(max(raised, f.infinite-1), b.Most),
		firstLimit + limitBounds:   b.Most,
		firstLimit + limitAll:      Infinity - 1,
	}
	t = &tally{}
	for i, x := range numbers {
		for lane := range t[i] {
			t[i][lane] = x
		}
	}
	return t, true
}

// changes returns what the tally has counted.
func (t *tally) changes() Changes {
	between := func(low, high int) (n int64) {
		for lane := range 8 {
			n += int64(t[aboveCounts+low][lane]) - int64(t[aboveCounts+high][lane])
		}
		return n
	}
	return Changes{
		Raised:   between(limitZero, limitRaised),
		Lowered:  between(limitBounds, limitAll),
		Vanished: between(limitRaised, limitVanished),
		Infinite: between(limitFinite, limitBounds),
	}
}
