package filter

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"lathe/graphops"
)

// vocabulary has the texts that occur in a place with their counts, which completions offer.
type vocabulary struct {
	ops, domains, attributes, metadata, types, shapes, ranks, files lazy[[]counted]
}

// count returns the texts for which of calls its argument, with the sums of the numbers. The most
// frequent come first.
func count(of func(add func(string, int))) []counted {
	counts := map[string]int{}
	of(func(s string, n int) { counts[s] += n })
	out := make([]counted, 0, len(counts))
	for _, s := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, counted{s, counts[s]})
	}
	slices.SortStableFunc(out, func(a, b counted) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// countNodes returns the texts that of adds for the nodes of the place. l keeps the result.
func (f *Facts) countNodes(l *lazy[[]counted], of func(n *graphops.Node, add func(string, int))) []counted {
	return l.get(func() []counted {
		return count(func(add func(string, int)) {
			for _, n := range f.graph.Nodes() {
				of(n, add)
			}
		})
	})
}

func (f *Facts) opCounts() []counted {
	return f.countNodes(&f.known.ops, func(n *graphops.Node, add func(string, int)) { add(n.OpType(), 1) })
}

func (f *Facts) domainCounts() []counted {
	return f.countNodes(&f.known.domains, func(n *graphops.Node, add func(string, int)) { add(domainOf(n), 1) })
}

func (f *Facts) attributeCounts() []counted {
	return f.countNodes(&f.known.attributes, func(n *graphops.Node, add func(string, int)) {
		for _, a := range n.Attributes() {
			add(a.Name(), 1)
		}
	})
}

func (f *Facts) metadataCounts() []counted {
	return f.countNodes(&f.known.metadata, func(n *graphops.Node, add func(string, int)) {
		for _, e := range n.Metadata() {
			add(e.Key, 1)
		}
	})
}

// countTypes returns the texts that of gives for the types of the values, with the number of
// values. l keeps the result.
func (f *Facts) countTypes(l *lazy[[]counted], of func(k *typeFact) string) []counted {
	return l.get(func() []counted {
		types := f.types()
		values := make([]int, len(types.kinds))
		for _, k := range types.of {
			values[k]++
		}
		return count(func(add func(string, int)) {
			for i := range types.kinds {
				if s := of(&types.kinds[i]); s != "" && s != "?" {
					add(s, values[i])
				}
			}
		})
	})
}

func (f *Facts) typeCounts() []counted {
	return f.countTypes(&f.known.types, func(k *typeFact) string { return k.name })
}

func (f *Facts) shapeCounts() []counted {
	return f.countTypes(&f.known.shapes, func(k *typeFact) string { return k.shape })
}

func (f *Facts) rankCounts() []counted {
	return f.countTypes(&f.known.ranks, func(k *typeFact) string {
		if k.rank < 0 {
			return ""
		}
		return strconv.Itoa(k.rank)
	})
}

func (f *Facts) fileCounts() []counted {
	return f.known.files.get(func() []counted {
		return count(func(add func(string, int)) {
			for _, t := range f.constants() {
				if t == nil {
					continue
				}
				if location, ok := fileOf(t); ok {
					add(location, 1)
				}
			}
		})
	})
}
