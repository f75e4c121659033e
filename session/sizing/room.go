package sizing

import (
	"slices"
	"sort"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// A size of 1 hides errors: a softmax over one position is 1 whatever the scores are, and an axis of
// 1 broadcasts to any other. So the preferred sizes are large enough that sizes inside the model,
// such as floor((samples-80)/320) positions, are not 1 either.

// Room that sizes inside the model get: the number of positions along an axis of a sequence, and along
// each axis of an image.
const (
	roomySequence = 3
	roomyImage    = 2
)

// Sizes are not raised above these numbers to give room.
const (
	mostSequence = 1 << 14
	mostImage    = 256
)

// maxInner is the maximum number of sizes inside the model that are considered for a symbol. The last
// nodes come first, because strides make sizes smaller along a model.
const maxInner = 64

// inner are the sizes inside a model that depend on one symbol of the inputs, by symbol.
type inner [][]dim.Evaluator

// innerOf returns the sizes of values in the main graph that depend on exactly one symbol.
func innerOf(m *graphops.Model, r *shape.Result, set *conditionSet) inner {
	seen, out := make([][]dim.Dim, len(set.index)), make(inner, len(set.index))
	place := m.Places()[0]
	nodes := place.Graph.Nodes()
	for k := len(nodes) - 1; k >= 0; k-- {
		for _, name := range nodes[k].Outputs() {
			v, ok := place.Graph.Index().Value(name)
			if !ok {
				continue
			}
			for _, d := range r.Value(place, v).Type.Dims {
				out.add(seen, set, d)
			}
		}
	}
	return out
}

// add adds a size if it is an expression of exactly one symbol and not known yet.
func (out inner) add(seen [][]dim.Dim, set *conditionSet, d dim.Dim) {
	if _, plain := d.IsSymbol(); plain || !d.Known() {
		return
	}
	at := -1
	d.Symbols(func(name string) {
		i, ok := set.index[name]
		if !ok || at >= 0 && at != i {
			i = len(out)
		}
		at = i
	})
	if at < 0 || at == len(out) || len(out[at]) == maxInner || slices.ContainsFunc(seen[at], d.Equal) {
		return
	}
	e, ok := d.Evaluator(func(name string) int { return set.index[name] })
	if ok {
		out[at], seen[at] = append(out[at], e), append(seen[at], d)
	}
}

// room returns the smallest size of a symbol, at least n, at which sizes inside the model have room.
// It does not consider those that a larger size does not raise. sizes has a place for each symbol,
// whose content does not matter.
func (s *System) room(i int, n int64, sizes []int64) int64 {
	want, most := int64(roomySequence), int64(mostSequence)
	switch s.Symbols[i].Kind {
	case kindBatch, kindChannels:
		return n
	case kindHeight, kindWidth, kindLatent:
		want, most = roomyImage, mostImage
	}
	if i >= len(s.inner) {
		return n
	}
	for _, e := range s.inner[i] {
		has := func(n int64) bool {
			sizes[i] = n
			is, ok := e.At(sizes)
			return ok && is >= want
		}
		if has(n) || !has(most) {
			continue
		}
		n += 1 + int64(sort.Search(int(most-n-1), func(k int) bool { return has(n + 1 + int64(k)) }))
	}
	return n
}

// roomy is a profile with sizes that are raised until sizes inside the model have room.
func roomy(p profile) profile {
	var sizes []int64 // one list for all symbols, because there can be many
	return profile{apart: p.apart, prefer: func(s *System, i int) preference {
		want := p.prefer(s, i)
		if !want.stated {
			if len(sizes) != len(s.Symbols) {
				sizes = make([]int64, len(s.Symbols))
			}
			want.size = s.room(i, want.size, sizes)
		}
		return want
	}}
}
