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
// sizes, for example because the model could not be loaded. Errors that may be about sizes
// implement the method RefusedSizes.
func RefusalOf(err error) (r Refusal, ok bool) {
	var answer interface {
		error
		RefusedSizes() (Refusal, bool)
	}
	if !errors.As(err, &answer) {
		return r, false
	}
	return answer.RefusedSizes()
}
