package diff

import "lathe/graphops"

// How tells by what two nodes or values were found to belong together.
type How uint8

// The ways to match, surest first.
const (
	ByInterface  How = iota // an input or output of its name, or of its position
	ByStructure             // the same computation, or the same use of the result
	ByContent               // a constant of the same elements
	ByName                  // the same name, where names proved to mean the same, and connected to what is matched
	ByNeighbours            // connected to what is matched
	ByOrder                 // one of several that nothing tells apart
)

// String is the way in one word.
func (h How) String() string {
	return [...]string{"interface", "structure", "content", "name", "neighbours", "order"}[h]
}

// NodePair is a node of A and a node of B, by their positions.
type NodePair struct {
	A, B int
	How  How
}

// ValuePair is a value of A and a value of B.
type ValuePair struct {
	A, B graphops.ValueID
	How  How
}

// PlaceMatch is two places that belong together, or one that has no partner.
type PlaceMatch struct {
	A, B *graphops.Place // one of them may be nil

	// Nodes are the matched nodes in the order of A. Constant nodes are among them
	// where the constant of the other model is a Constant node as well.
	Nodes []NodePair
	// Values are the matched values in the order of A's index. A value has one
	// partner; where a model stores copies of a constant, the others have none.
	Values []ValuePair

	nodeOfA, nodeOfB []int32 // the partner by position, -1 for none
	valueOfA         []int32 // the partner by value, -1 for none
	valueOfB         []int32
	a, b             *side
	outer            *PlaceMatch // of the places around bodies
}

// NodeOfA is the position in B of the partner of a node of A, -1 for none.
func (p *PlaceMatch) NodeOfA(i int) int { return partner(p.nodeOfA, i) }

// NodeOfB is the position in A of the partner of a node of B, -1 for none.
func (p *PlaceMatch) NodeOfB(i int) int { return partner(p.nodeOfB, i) }

// ValueOfA is the partner in B of a value of A, -1 for none.
func (p *PlaceMatch) ValueOfA(v graphops.ValueID) graphops.ValueID {
	return graphops.ValueID(partner(p.valueOfA, int(v)))
}

// ValueOfB is the partner in A of a value of B, -1 for none.
func (p *PlaceMatch) ValueOfB(v graphops.ValueID) graphops.ValueID {
	return graphops.ValueID(partner(p.valueOfB, int(v)))
}

func partner(list []int32, i int) int {
	if i < 0 || i >= len(list) {
		return -1
	}
	return int(list[i])
}

// Matching is what in B is what in A.
type Matching struct {
	// Places are the pairs of places, outer before inner, the main graphs first;
	// those without a partner come last.
	Places []*PlaceMatch
}

// Of finds the match of a place of either model, nil for none.
func (m *Matching) Of(p *graphops.Place) *PlaceMatch {
	for _, q := range m.Places {
		if p != nil && (q.A == p || q.B == p) {
			return q
		}
	}
	return nil
}
