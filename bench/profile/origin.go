package profile

import (
	"lathe/graphops"
)

// By says how a node that ran was mapped to the model.
type By string

// The ways in which a node can be mapped, the most reliable first.
const (
	ByName   By = "name"   // the node's name is unchanged, or derived by an optimization
	ByValues By = "values" // it computes the values that the node computed
	ByNone   By = "none"
)

// origin says which node of the model a node that ran comes from, and which nodes' work it does.
type origin struct {
	By    By
	Place *graphops.Place // in the model; nil for ByNone
	Node  int             // the node of the place that it comes from mainly; -1 if none
	// Members are the positions of all nodes of the place whose work this node does, including
	// Node. It is empty if another node that ran does the work of Node, for example if this node
	// was inserted.
	Members []int
}

// nowhere is the origin of a node that cannot be mapped to a node of the model.
var nowhere = origin{By: ByNone, Node: -1}

// at identifies a node of the graph that ran by its place and its position there.
type at struct {
	place *graphops.Place
	node  int
}

// join maps the nodes of an optimized model to those of the original.
//
// A value of the optimized graph equals a value of the original if they have the same name, because
// an optimization gives a new node the output of the nodes that it replaces. A value of the
// optimized graph without such a counterpart is inside a part that an optimization has rewritten.
// In this package, a region is a group of nodes of the optimized graph that are connected by such
// values. The region replaces the nodes of the original that compute its outputs from its inputs;
// these are its members.
//
// Most regions are a single node. In a larger region each node is mapped to the member that its
// name or its operator suggests. A node that an optimization inserted is mapped to the same member
// as its neighbour.
type join struct {
	// weight returns the multiply-accumulates of a node of the original. It decides which of several
	// members a node mainly comes from.
	weight func(p *graphops.Place, node int) int64
	origin map[at]origin
}

// joinModels maps the nodes in all places of an optimized model to those of the original. Nodes
// from an inlined function are mapped to the node that calls the function.
func joinModels(original, optimized *graphops.Model, weight func(p *graphops.Place, node int) int64) *join {
	j := &join{weight: weight, origin: map[at]origin{}}
	from, to := original.Places(), optimized.Places()
	if len(from) == 0 || len(to) == 0 {
		return j
	}
	type both struct{ original, made *graphops.Place }
	for work := []both{{from[0], to[0]}}; len(work) > 0; {
		pair := work[0]
		work = work[1:]
		j.places(pair.original, pair.made)
		for _, body := range pair.made.Bodies {
			o := j.origin[at{pair.made, body.Node}]
			if b := bodyOf(pair.original, o, body); b != nil {
				work = append(work, both{b, body})
			}
		}
	}
	return j
}

// bodyOf returns the body in place p of the original that corresponds to the body made of the
// optimized model, or nil. o is the origin of the node that has the body made.
func bodyOf(p *graphops.Place, o origin, made *graphops.Place) *graphops.Place {
	for _, b := range p.Bodies {
		if o.Place == p && b.Node == o.Node && b.Attribute == made.Attribute && b.Nth == made.Nth {
			return b
		}
	}
	return nil
}

// places maps the nodes of one place of the optimized model, made, to those of the corresponding
// place original.
func (j *join) places(original, made *graphops.Place) {
	p := newPairing(j, original, made)
	for _, nodes := range p.regions() {
		for k, o := range p.region(nodes) {
			j.origin[at{made, nodes[k]}] = o
		}
	}
}
