package scope

import "lathe/graphops"

// valueLists has the outputs of each node. All lists share one slice.
type valueLists struct {
	start  []int32 // by node, with one more at the end
	values []graphops.ValueID
}

func (l valueLists) of(n int) []graphops.ValueID { return l.values[l.start[n]:l.start[n+1]] }

func (b *builder) valuesByNode() valueLists {
	l := valueLists{start: make([]int32, len(b.of)+1)}
	for v := range b.index.Values() {
		if p := b.index.Producer(graphops.ValueID(v)); p >= 0 {
			l.start[p+1]++
		}
	}
	for i := range b.of {
		l.start[i+1] += l.start[i]
	}
	l.values = make([]graphops.ValueID, l.start[len(b.of)])
	next := append([]int32(nil), l.start...)
	for v := range b.index.Values() {
		if p := b.index.Producer(graphops.ValueID(v)); p >= 0 {
			l.values[next[p]] = graphops.ValueID(v)
			next[p]++
		}
	}
	return l
}

// findLive determines which nodes depend on an input of the graph or on a captured value. If the
// nodes of the graph are not in executable order, it may miss some.
func (b *builder) findLive() []bool {
	out := make([]bool, len(b.of))
	reach := func(v graphops.ValueID) {
		for _, r := range b.index.Readers(v) {
			out[r] = true
		}
	}
	for i := range b.index.Values() {
		if v := graphops.ValueID(i); b.index.Producer(v) < 0 && !b.index.IsInitializer(v) {
			reach(v)
		}
	}
	for n := range b.of {
		if out[n] {
			for _, v := range b.made.of(n) {
				reach(v)
			}
		}
	}
	return out
}
