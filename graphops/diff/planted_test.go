package diff_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/diff"
)

// planted are changes of one thing in a model, and what a comparison has to tell:
// that, and nothing else.
var planted = []struct {
	name  string
	plant func(m *graphops.Model, rng *rand.Rand) (*graphops.Model, bool)
	want  []string // one of these tallies
}{
	{"attribute", plantAttribute, []string{"attribute=1"}},
	{"element", plantElement, []string{"weight=1 elements=1"}},
	{"edge", plantEdge, []string{"input=1"}},
	{"operator", plantOperator, []string{"op=1"}},
	{"removal", plantRemoval, nil},
	{"insertion", plantInsertion, []string{"added=1 follows=1"}},
	{"input name", plantInputName, []string{"io renamed=1"}},
	{"output name", plantOutputName, []string{"io renamed=1"}},
	{"input type", plantInputType, []string{"io retyped=1"}},
	{"opset", plantOpset, []string{"model=1"}},
	{"metadata", plantMetadata, []string{"describes=1"}},
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// tally counts the differences by kind, those of names left out.
func tally(d *diff.Diff) string {
	count := map[string]int{}
	for _, f := range d.Model {
		if f.Describes {
			count["describes"]++
		} else {
			count["model"]++
		}
	}
	for _, c := range d.IO {
		if c.Follows {
			count["io follows"]++
		} else {
			count["io "+string(c.Kind)]++
		}
	}
	for _, p := range d.Places {
		count["added"] += len(p.Added)
		count["removed"] += len(p.Removed)
		count["types"] += len(p.Types)
		count["fields"] += len(p.Fields)
		for _, c := range p.Changed {
			for _, x := range c.Parts {
				if x.Follows {
					count["follows"]++
				} else {
					count[string(x.What)]++
				}
			}
		}
	}
	for _, w := range d.Weights {
		count["weight"]++
		if w.Metrics != nil {
			count["elements"] += int(w.Metrics.Mismatched)
		}
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(count)) {
		if count[k] > 0 {
			out = append(out, fmt.Sprintf("%s=%d", k, count[k]))
		}
	}
	slices.SortStableFunc(out, func(x, y string) int { return strings.Count(y, "weight") - strings.Count(x, "weight") })
	return strings.Join(out, " ")
}

// checkPlanted plants one change of every kind in a model and compares, with names
// and order kept and not.
func checkPlanted(t *testing.T, name string, m *graphops.Model, seed uint64) {
	t.Helper()
	m = m.WithoutOverruled()
	for k, kind := range planted {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		changed, ok := kind.plant(m, rng)
		if !ok {
			continue
		}
		for _, other := range []*graphops.Model{changed, disguised(changed, seed)} {
			d := compare(t, m, other)
			got := tally(d)
			fits := slices.Contains(kind.want, got)
			if kind.want == nil {
				fits = strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(got, "follows="+between(got, "follows=", " ")+" "), "io follows=1 "), "removed=1")
			}
			if !fits {
				t.Errorf("%s: %s, seed %d, in disguise %v: told %q:%s", name, kind.name, seed, other != changed, got, summary(d))
			}
			if back := tally(compare(t, other, m)); mirrored(got) != back {
				t.Errorf("%s: %s, seed %d: one way %q, the other %q", name, kind.name, seed, got, back)
			}
		}
	}
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

// mirrored is the tally of a comparison the other way round.
func mirrored(tally string) string {
	words := strings.Split(tally, " ")
	for i, w := range words {
		switch {
		case strings.HasPrefix(w, "added="):
			words[i] = strings.Replace(w, "added", "removed", 1)
		case strings.HasPrefix(w, "removed="):
			words[i] = strings.Replace(w, "removed", "added", 1)
		}
	}
	return sortedWords(words)
}

func sortedWords(words []string) string {
	// "io renamed=1" is two words; put together what has no sign.
	var parts []string
	for i := 0; i < len(words); i++ {
		if !strings.Contains(words[i], "=") && i+1 < len(words) {
			parts = append(parts, words[i]+" "+words[i+1])
			i++
			continue
		}
		parts = append(parts, words[i])
	}
	slices.Sort(parts)
	slices.SortStableFunc(parts, func(x, y string) int { return strings.Count(y, "weight") - strings.Count(x, "weight") })
	return strings.Join(parts, " ")
}

// sampled is up to how many nodes a model has that is tried at every run; the soak
// test tries all.
const sampled = 600

// TestPlantedInCorpus plants changes in every model at hand.
func TestPlantedInCorpus(t *testing.T) {
	for name, m := range corpus(t) {
		if len(m.Graph().Nodes()) < sampled {
			checkPlanted(t, filepath.Base(name), m, 1)
		}
	}
}
