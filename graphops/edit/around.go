package edit

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// planAround determines where Casts are inserted so that the nodes in Around compute in another
// float type: before the values that they read from other nodes, and after those of their outputs
// that other nodes read or the place returns. Values between the nodes are not cast.
func (e *insertion) planAround(ctx context.Context) error {
	var err error
	if e.inside, err = e.nodes(e.o.Around); err != nil {
		return err
	}
	for _, i := range e.inside {
		if len(e.graph.Nodes()[i].Graphs()) > 0 {
			return fmt.Errorf("node %s: has bodies, which would have to change too; edit a body with --in", nodeLabel(e.graph, i))
		}
	}
	points := slices.Concat(e.entering(), e.leaving())
	var ids []graphops.ValueID
	for _, at := range points {
		ids = append(ids, at.value)
	}
	if err := e.believe(ctx, ids); err != nil {
		return err
	}
	types, err := e.typesOf(ctx, e.o.Typer, ids)
	if err != nil {
		return err
	}
	for _, at := range points {
		at.was = types[at.value]
		switch {
		case at.was.Kind == graphops.TypeUnknown:
			return fmt.Errorf("value %q: its type is unknown, so it is unclear whether it needs a Cast; declare the type first", e.index.Name(at.value))
		case at.was.Kind != graphops.TypeTensor || at.was.Elem.Kind() != tensor.KindFloat || at.was.Elem == e.o.To:
			continue
		}
		at.to = e.o.To
		if at.back {
			at.to = at.was.Elem
		}
		at.is = at.was
		at.is.Elem = at.to
		e.points = append(e.points, at)
	}
	if len(e.points) == 0 {
		return fmt.Errorf("node %s: nothing to cast: its floating-point inputs and outputs are all %s already", nodeLabel(e.graph, e.inside[0]), e.o.To)
	}
	return nil
}

// doubtInside records that the nodes in Around now produce another type. Other nodes are not
// affected, because their inputs are cast back.
func (e *insertion) doubtInside(f *follower) {
	leaving := map[graphops.ValueID]bool{}
	for _, at := range e.points {
		leaving[at.value] = true
	}
	for _, i := range e.inside {
		for _, id := range e.outputsOf(i) {
			if !leaving[id] {
				f.only(e.place, e.index.Name(id))
			}
		}
		f.enter(e.graph.Nodes()[i])
	}
}

// entering returns a point for each value that the nodes in Around read but do not produce. Its
// readers are those of the nodes that read the value.
func (e *insertion) entering() []point {
	var out []point
	seen := map[graphops.ValueID]bool{}
	for _, i := range e.inside {
		for _, id := range e.reads(i) {
			if seen[id] || e.isInside(e.index.Producer(id)) {
				continue
			}
			seen[id] = true
			out = append(out, point{value: id, readers: slices.DeleteFunc(e.readersLeft(id), func(r int) bool { return !e.isInside(r) })})
		}
	}
	return out
}

// leaving returns a point for each output of the nodes in Around that other nodes read or the place
// returns.
func (e *insertion) leaving() []point {
	var out []point
	for _, i := range e.inside {
		for _, id := range e.outputsOf(i) {
			readers := slices.DeleteFunc(e.readersLeft(id), e.isInside)
			if len(readers) > 0 || e.isOutput(id) {
				out = append(out, point{value: id, readers: readers, atOutput: e.isOutput(id), back: true})
			}
		}
	}
	return out
}

// isInside reports whether the node at position i is one of those in Around.
func (e *insertion) isInside(i int) bool {
	_, ok := slices.BinarySearch(e.inside, i)
	return ok
}
