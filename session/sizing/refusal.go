package sizing

import (
	"errors"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Refusal is why a model does not run at some sizes.
type Refusal struct {
	// Place and Node are the node that refused, if that is known: Place is nil otherwise.
	Place *graphops.Place
	Node  int
	Words string
}

// String is the node that refused and its words.
func (r Refusal) String() string {
	if r.Place == nil || r.Node >= len(r.Place.Graph.Nodes()) {
		return r.Words
	}
	return shape.NodeName(r.Node, r.Place.Graph.Nodes()[r.Node]) + ": " + r.Words
}

// RefusalOf is what an error says of a run at sizes; ok is false of an error that is no answer
// of the runtime to a run, such as one of loading. An error that can be such an answer has
// the method RefusedSizes.
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
