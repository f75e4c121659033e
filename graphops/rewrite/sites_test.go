package rewrite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lathe/graphops"
)

// TestSites compares sets that are joined at random with plain lists.
func TestSites(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	p := &graphops.Place{}
	site := func(i int) Site { return Site{p, i} }
	sets, lists := []*Sites{nil, NewSites()}, [][]Site{nil, nil}
	for i := range 300 {
		if i%3 == 0 {
			s := site(random.IntN(40))
			sets, lists = append(sets, NewSites(s)), append(lists, []Site{s})
			continue
		}
		var parts []*Sites
		var want []Site
		for range random.IntN(4) {
			k := random.IntN(len(sets))
			parts = append(parts, sets[k])
			for _, s := range lists[k] {
				if !slices.Contains(want, s) {
					want = append(want, s)
				}
			}
		}
		sets, lists = append(sets, JoinSites(parts...)), append(lists, want)
	}
	for i, s := range sets {
		if got := s.List(); !slices.Equal(got, lists[i]) {
			t.Fatalf("set %d: %v, want %v", i, got, lists[i])
		}
		first, ok := s.First()
		if ok != (len(lists[i]) > 0) || ok && first != lists[i][0] {
			t.Fatalf("set %d: first %v, %t; want that of %v", i, first, ok, lists[i])
		}
		for n := range len(lists[i]) + 3 {
			if s.AtLeast(n) != (len(lists[i]) >= n) {
				t.Fatalf("set %d of %d: at least %d is %t", i, len(lists[i]), n, s.AtLeast(n))
			}
		}
	}
}

// TestSitesOfLongChains joins sets so that each has all earlier ones, which takes time by the square
// unless they share parts.
func TestSitesOfLongChains(t *testing.T) {
	p := &graphops.Place{}
	all := NewSites(Site{p, 0})
	var each []*Sites
	const n = 200_000
	for i := range n {
		all = JoinSites(NewSites(Site{p, i}), all)
		each = append(each, all)
	}
	if got := len(JoinSites(each...).List()); got != n {
		t.Error(fmt.Sprint(got, " sites, want ", n))
	}
}
