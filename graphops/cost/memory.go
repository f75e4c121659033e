package cost

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
)

// Timeline is the memory that activations need during a run, if the nodes run one after the other
// in graph order.
//
// A value exists from the node that produces it until its last reader, or until the end if it is an
// output of the model. The inputs of the model belong to the caller and exist during the whole run.
// Initializers and constants are not counted. Each value has its own buffer: no node writes its
// output into the buffer of an input, even if a runtime could do so.
type Timeline struct {
	// Nodes has the positions of the nodes of the main graph in the order in which they run. Bytes
	// has, for each of them, the maximum memory while it runs.
	Nodes []int32
	Bytes []int64
	// Peak is the maximum of Bytes. If the graph has no nodes, it is the size of the inputs.
	Peak int64
	// At is the node that runs at the peak: a node of the main graph, followed by the node that
	// runs in its body or in the function that it calls, and so on inwards.
	At []At
	// Alive has the values that exist at the peak, the largest first.
	Alive []Alive
	// Unknown is the number of values whose size is unknown. If it is not 0, the bytes are a lower
	// bound. A value of a body or function counts once for each time that the place is entered.
	Unknown int
}

// At is a node, given by its place and position.
type At struct {
	Place *graphops.Place
	Node  int
}

// Alive is a value that needs memory at the peak.
type Alive struct {
	Place *graphops.Place
	Value graphops.ValueID
	Bytes int64
}

// MissingError is the error of Memory if symbols have no size. It lists these symbols.
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

// Memory calculates the memory of activations. sizes has the sizes of the symbols. If some are
// missing, the error is a *MissingError.
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
