package reduce

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// all are the units up to n.
func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// holds reports whether a set has all of some units.
func holds(set []int, units ...int) bool {
	return !slices.ContainsFunc(units, func(u int) bool { return !slices.Contains(set, u) })
}

// run minimizes all of n units and counts the tries.
func run(t *testing.T, n int, fails func(set []int) bool) (best []int, tries int) {
	t.Helper()
	s := &search{fails: func(set []int) (bool, error) {
		if tries++; !slices.IsSorted(set) {
			t.Errorf("asked about %v, which is in no order", set)
		}
		return fails(set), nil
	}}
	if err := s.minimize(all(n)); err != nil {
		t.Fatal(err)
	}
	if !fails(s.best) {
		t.Errorf("the result %v does not fail", s.best)
	}
	for i := range s.best {
		if less := slices.Delete(slices.Clone(s.best), i, i+1); len(less) > 0 && fails(less) {
			t.Errorf("%v is not minimal: %v fails", s.best, less)
		}
	}
	return s.best, tries
}

func TestMinimize(t *testing.T) {
	for name, c := range map[string]struct {
		n     int
		fails func(set []int) bool
		want  []int
		tries int // at most
	}{
		"one unit there is":      {1, func([]int) bool { return true }, []int{0}, 0},
		"any":                    {1000, func([]int) bool { return true }, []int{0}, 12},
		"a single culprit":       {1000, func(s []int) bool { return holds(s, 617) }, []int{617}, 2*10 + 1},
		"the first":              {1000, func(s []int) bool { return holds(s, 0) }, []int{0}, 2*10 + 1},
		"the last":               {1000, func(s []int) bool { return holds(s, 999) }, []int{999}, 2*10 + 1},
		"two neighbours":         {1000, func(s []int) bool { return holds(s, 400, 401) }, []int{400, 401}, 26},
		"two far apart":          {1000, func(s []int) bool { return holds(s, 3, 990) }, []int{3, 990}, 30},
		"three":                  {1000, func(s []int) bool { return holds(s, 3, 500, 990) }, []int{3, 500, 990}, 50},
		"ten":                    {1000, func(s []int) bool { return holds(s, 1, 99, 200, 300, 301, 302, 500, 700, 800, 990) }, []int{1, 99, 200, 300, 301, 302, 500, 700, 800, 990}, 10*2*10 + 60},
		"one of two":             {1000, func(s []int) bool { return holds(s, 100) || holds(s, 900) }, []int{100}, 2*10 + 1},
		"a pair or another":      {64, func(s []int) bool { return holds(s, 3, 9) || holds(s, 20, 60) }, []int{3, 9}, 40},
		"a run of five":          {500, func(s []int) bool { return holds(s, 250, 251, 252, 253, 254) }, []int{250, 251, 252, 253, 254}, 60},
		"hidden by another":      {64, func(s []int) bool { return holds(s, 10, 30) && (!holds(s, 20) || holds(s, 21)) }, []int{10, 30}, 120},
		"an even number of them": {16, func(s []int) bool { return holds(s, 8) && len(s)%2 == 0 }, nil, 200},
	} {
		t.Run(name, func(t *testing.T) {
			got, tries := run(t, c.n, c.fails)
			if c.want != nil && !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if tries > c.tries {
				t.Errorf("%d tries, %d allowed", tries, c.tries)
			}
		})
	}
}

// A culprit anywhere takes tries that grow with the logarithm, and the order of the units
// changes nothing about the size.
func TestMinimizeShuffled(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + rng.IntN(3000)
		k := min(n, 1+rng.IntN(3))
		culprits := rng.Perm(n)[:k]
		order := rng.Perm(n)
		got, tries := run(t, n, func(set []int) bool {
			return !slices.ContainsFunc(culprits, func(c int) bool { return !slices.Contains(set, order[c]) })
		})
		if len(got) != k {
			t.Errorf("%d culprits among %d: %d are left", k, n, len(got))
		}
		if most := (2*k+1)*(bits.Len(uint(n))+1) + k; tries > most {
			t.Errorf("%d culprits among %d: %d tries, %d allowed", k, n, tries, most)
		}
	}
}

// A search that is cut short keeps what it has.
func TestMinimizeStops(t *testing.T) {
	enough := errors.New("enough")
	for stop := range 20 {
		tries := 0
		s := &search{fails: func(set []int) (bool, error) {
			if tries++; tries > stop {
				return false, enough
			}
			return holds(set, 70), nil
		}}
		err := s.minimize(all(128))
		if !holds(s.best, 70) || err == nil && len(s.best) > 1 || err != nil && !errors.Is(err, enough) {
			t.Errorf("after %d tries: %v, %v", stop, s.best, err)
		}
	}
}
