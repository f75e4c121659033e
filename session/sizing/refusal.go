package sizing

import (
	"errors"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Refusal is the reason why a model does not run at some sizes.
type Refusal struct {
	// Place and Node are the node that rejected the sizes. Place is nil if the node is not known.
	Place *graphops.Place
	Node  int
	Words string
}

// String returns the node that rejected the sizes, and the message.
func (r Refusal) String() string {
	if r.Place == nil || r.Node >= len(r.Place.Graph.Nodes()) {
		return r.Words
	}
	return shape.NodeName(r.Node, r.Place.Graph.Nodes()[r.Node]) + ": " + r.Words
}

// RefusalOf returns the Refusal of an error of a run. ok is false if the error says nothing about
// sizes, for example because the model could not be loaded. Errors of a run implement the method
// RefusedSizes. Errors that name a node implement the method Place.
func RefusalOf(err error) (r Refusal, ok bool) {
	var refused interface {
		error
		RefusedSizes() (words string, ok bool)
	}
	if !errors.As(err, &refused) {
		return r, false
	}
	if r.Words, ok = refused.RefusedSizes(); !ok {
		return Refusal{}, false
	}
	var placed interface {
		error
		Place() (place *graphops.Place, node int)
	}
	if errors.As(err, &placed) {
		r.Place, r.Node = placed.Place()
	}
	return r, true
}
