package reduce

import (
	"slices"
	"strconv"
	"strings"
)

// search finds a small set of units that fails. Units are numbers in an order in which related
// units are close together.
type search struct {
	// fails reports whether a set, in ascending order, shows the symptom. An error ends the search.
	fails func(set []int) (bool, error)
	// best is the smallest set that is known to fail.
	best  []int
	known map[string]bool
}

// minimize shrinks a failing set until no single unit can be removed. For one culprit among n units
// it takes about 2 log2 n attempts. For k culprits it takes about 2 k log2 n if more units never
// hide the symptom, and otherwise at most about n². After an error, best is the result so far.
func (s *search) minimize(set []int) error {
	s.best, s.known = slices.Clone(set), map[string]bool{}
	for _, step := range []func() error{s.trimEnds, s.divide, s.ddmin} {
		if len(s.best) < 2 {
			return nil
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// try tests a set, each set only once, and remembers the smallest that fails.
func (s *search) try(set []int) (bool, error) {
	if len(set) == 0 {
		return false, nil
	}
	key := keyOf(set)
	if fails, asked := s.known[key]; asked {
		return fails, nil
	}
	fails, err := s.fails(set)
	if err != nil {
		return false, err
	}
	s.known[key] = fails
	if fails && len(set) < len(s.best) {
		s.best = slices.Clone(set)
	}
	return fails, nil
}

// keyOf writes a set as a text, with runs of consecutive units shortened.
func keyOf(set []int) string {
	var b strings.Builder
	for i, u := range set {
		if i == 0 || set[i-1] != u-1 {
			b.WriteString(strconv.Itoa(u))
			b.WriteByte('-')
		}
		if i == len(set)-1 || set[i+1] != u+1 {
			b.WriteString(strconv.Itoa(u))
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// trimEnds removes, by binary search, what is behind the last culprit and then what is before the
// first.
func (s *search) trimEnds() error {
	set := s.best
	end, err := halve(len(set), func(n int) (bool, error) { return s.try(set[:n]) })
	if err != nil {
		return err
	}
	set = set[:end]
	_, err = halve(len(set), func(n int) (bool, error) { return s.try(set[len(set)-n:]) })
	return err
}

// halve finds a small n that fails, given that most fails and 0 does not.
func halve(most int, fails func(n int) (bool, error)) (int, error) {
	sound := 0
	for most-sound > 1 {
		n := sound + (most-sound)/2
		bad, err := fails(n)
		switch {
		case err != nil:
			return 0, err
		case bad:
			most = n
		default:
			sound = n
		}
	}
	return most, nil
}

// divide searches for the culprits between the ends, which are culprits themselves, with the
// QuickXplain algorithm (Junker 2004). It is correct if more units never hide the symptom. If they
// do, best stays as it was or becomes a smaller set that fails anyway.
func (s *search) divide() error {
	set := s.best
	ends := []int{set[0], set[len(set)-1]}
	need, err := s.needed(ends, set[1:len(set)-1], true)
	if err != nil || len(need)+len(ends) >= len(s.best) {
		return err
	}
	_, err = s.try(join(ends, need))
	return err
}

// needed returns the units that have to be added to others so that these fail.
func (s *search) needed(beside, units []int, changed bool) ([]int, error) {
	if changed {
		if fails, err := s.try(beside); fails || err != nil {
			return nil, err
		}
	}
	if len(units) <= 1 {
		return units, nil
	}
	first, second := units[:len(units)/2], units[len(units)/2:]
	of2, err := s.needed(join(beside, first), second, true)
	if err != nil {
		return nil, err
	}
	of1, err := s.needed(join(beside, of2), first, len(of2) > 0)
	return join(of1, of2), err
}

// ddmin removes smaller and smaller chunks, down to single units (Zeller and Hildebrandt 2002).
func (s *search) ddmin() error {
	for chunks := 2; len(s.best) >= 2; {
		set := s.best
		chunks = min(chunks, len(set))
		found, err := s.without(set, chunks)
		switch {
		case err != nil:
			return err
		case found:
			chunks = max(chunks-1, 2)
		case chunks == len(set):
			return nil
		default:
			chunks *= 2
		}
	}
	return nil
}

// without tries the set without each of its chunks, the last one first, because later units read
// from earlier ones.
func (s *search) without(set []int, chunks int) (bool, error) {
	for i := chunks - 1; i >= 0; i-- {
		from, to := i*len(set)/chunks, (i+1)*len(set)/chunks
		fails, err := s.try(slices.Concat(set[:from], set[to:]))
		if fails || err != nil {
			return fails, err
		}
	}
	return false, nil
}

// join is the union of two sets, in ascending order.
func join(a, b []int) []int {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
