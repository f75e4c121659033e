package cost

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
)

// Timeline is the memory that the activations of a run take while its nodes run,
// one after the other in the order of the graph.
//
// A value lives from the node that makes it to the last one that reads it, an
// output of the model to the end. The model's inputs, which belong to the caller,
// live as long as the run; initializers and constants are not counted. No buffer is
// taken to be used again before its value has died, in place or as a view.
type Timeline struct {
	// Nodes are the positions of the nodes of the main graph as they run, Bytes the
	// most that is alive while each of them does.
	Nodes []int32
	Bytes []int64
	// Peak is the largest of Bytes, or the inputs alone in a graph without nodes.
	Peak int64
	// At is the node that runs at the peak, innermost last: a node of the main
	// graph, and where that enters a body or function the one in there.
	At []At
	// Alive are the values at the peak, the largest first.
	Alive []Alive
	// Unknown is how many values have an unknown size, those of branches and calls
	// that are entered more than once counted as often. If it is not 0 the bytes are
	// the least that is needed.
	Unknown int
}

// At is a node of a place.
type At struct {
	Place *graphops.Place
	Node  int
}

// Alive is a value that takes memory.
type Alive struct {
	Place *graphops.Place
	Value graphops.ValueID
	Bytes int64
}

// MissingError tells the symbols that have no size.
type MissingError struct{ Symbols []string }

// Error implements error.
func (e *MissingError) Error() string {
	quoted := make([]string, len(e.Symbols))
	for i, s := range e.Symbols {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	if len(quoted) == 1 {
		return fmt.Sprintf("symbol %s has no size", quoted[0])
	}
	return fmt.Sprintf("symbols %s have no size", strings.Join(quoted, ", "))
}

// Memory follows the activations of a run with these sizes of the symbols. Symbols
// without a size are a *MissingError.
func Memory(r *Result, sizes map[string]int64) (Timeline, error) {
	k := &keeper{sizes: sizes, missing: map[string]bool{}}
	main := r.root
	if main == nil {
		main = &frame{place: r.model.Places()[0]}
	}
	l := k.life(main)
	for _, v := range main.place.Graph.FeedInputs() {
		if id, ok := l.index.Value(v.Name()); ok {
			l.given(id, k.number(l.name(id), bytes(r.Shapes.Value(main.place, id))))
			l.last[id] = len(main.entries)
		}
	}
	var t Timeline
	top := k.follow(l, func(node int32, bytes int64) {
		t.Nodes, t.Bytes = append(t.Nodes, node), append(t.Bytes, bytes)
	})
	switch {
	case len(k.missing) > 0:
		return Timeline{}, &MissingError{slices.Sorted(maps.Keys(k.missing))}
	case k.err != nil:
		return Timeline{}, k.err
	}
	t.Peak, t.Unknown = top.bytes, k.unknown
	for p := top; p != nil; p = p.inner {
		if p.entry >= 0 {
			t.At = append(t.At, At{p.life.frame.place, int(p.life.frame.entries[p.entry].node)})
		}
		t.Alive = p.alive(t.Alive)
	}
	slices.SortStableFunc(t.Alive, func(a, b Alive) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return t, nil
}
