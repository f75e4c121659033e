package diff

import "lathe/graphops"

// How says by what evidence a pair of nodes or values was found.
type How uint8

// The ways to match, from most to least certain.
const (
	ByInterface How = iota // an input or output with the same name, or in the same position
	ByStructure            // the same computation, or the same use of the result
	ByContent              // a constant with the same elements
	// connected to partners and with the same name, if names have proved reliable in this place
	ByName
	ByNeighbours // connected to matched nodes
	ByOrder      // one of several that cannot be distinguished
)

// String returns one lower-case word, such as "structure".
func (h How) String() string {
	return [...]string{"interface", "structure", "content", "name", "neighbours", "order"}[h]
}

// NodePair is a node of A and its partner in B, given by their positions in the graphs.
type NodePair struct {
	A, B int
	How  How
}

// ValuePair is a value of A and its partner in B.
type ValuePair struct {
	A, B graphops.ValueID
	How  How
}

// PlaceMatch is a pair of places that match, or a place without a partner.
type PlaceMatch struct {
	A, B *graphops.Place // one of them may be nil

	// Nodes are the matched nodes in the order of A. Constant nodes are included if the constant is
	// stored in a Constant node in both models.
	Nodes []NodePair
	// Values are the matched values, in the order of A. Each value has at most one partner. If one
	// model stores a constant several times and the other once, only one of the copies has a
	// partner.
	Values []ValuePair

	// Names reports that equal names mean the same in both places.
	Names bool

	*pairing             // nil if one of the places is
	outer    *PlaceMatch // of the places around bodies
}
