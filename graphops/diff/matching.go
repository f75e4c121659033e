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

	nodeOfA, nodeOfB []int32 // the partner by position, -1 for none
	valueOfA         []int32 // the partner by value, -1 for none
	valueOfB         []int32
	a, b             *side
	outer            *PlaceMatch // of the places around bodies
}

// NodeOfA returns the position in B of the partner of a node of A, -1 for none.
func (p *PlaceMatch) NodeOfA(i int) int { return partner(p.nodeOfA, i) }

// NodeOfB returns the position in A of the partner of a node of B, -1 for none.
func (p *PlaceMatch) NodeOfB(i int) int { return partner(p.nodeOfB, i) }

// ValueOfA returns the partner in B of a value of A, -1 for none.
func (p *PlaceMatch) ValueOfA(v graphops.ValueID) graphops.ValueID {
	return graphops.ValueID(partner(p.valueOfA, int(v)))
}

// ValueOfB returns the partner in A of a value of B, -1 for none.
func (p *PlaceMatch) ValueOfB(v graphops.ValueID) graphops.ValueID {
	return graphops.ValueID(partner(p.valueOfB, int(v)))
}

func partner(list []int32, i int) int {
	if i < 0 || i >= len(list) {
		return -1
	}
	return int(list[i])
}

// Matching says which parts of B correspond to which parts of A.
type Matching struct {
	// Places are the pairs of places, outer before inner, first the main graphs. Places without a
	// partner come last.
	Places []*PlaceMatch
}

// Of returns the match of a place of A or of B; nil if it has no match.
func (m *Matching) Of(p *graphops.Place) *PlaceMatch {
	for _, q := range m.Places {
		if p != nil && (q.A == p || q.B == p) {
			return q
		}
	}
	return nil
}
