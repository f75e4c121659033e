package cost

import (
	"errors"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Reasons why the multiply-accumulates of a node are unknown.
var (
	ErrUncounted = errors.New("what this operator multiplies is not counted")
	ErrSizes     = errors.New("sizes of its inputs or outputs are not known")
	ErrTimes     = errors.New("how often it runs is not known")
	ErrLong      = errors.New("the expression is too long")
	ErrBranches  = errors.New("which of its branches costs more depends on sizes")
)

// UnknownMACs returns the first node whose MACs are not part of the total, and the reason. Nodes
// are searched place by place. ok is false if there is none.
func (r *Result) UnknownMACs() (p *graphops.Place, node int, why error, ok bool) {
	for _, p := range r.model.Places() {
		for i, n := range r.nodes[p.ID] {
			at := spot{p.ID, i}
			switch {
			case n.MACs.Err() != nil:
				return p, i, n.MACs.Err(), true
			case !n.MACs.Known() && r.why[at] != nil:
				return p, i, r.why[at], true
			case !n.MACs.Known():
				return p, i, ErrLong, true // only with the other entries of the place
			case r.undecided[at]:
				return p, i, ErrBranches, true
			}
		}
	}
	return nil, 0, nil, false
}

// unknown returns the reason why the MACs of a node are unknown, or nil if they are known. once are
// the MACs of one execution, and all those of all executions.
func (n node) unknown(once, all dim.Dim) error {
	switch {
	case all.Known() || all.Err() != nil:
		return nil
	case once.Known() && !n.Times.Known():
		return ErrTimes
	case once.Known():
		return ErrLong
	case formulas()[n.Node.Op()] == nil:
		return ErrUncounted
	case !n.sized():
		return ErrSizes
	default:
		return ErrLong
	}
}

// sized reports whether the shapes of all inputs and outputs are known completely.
func (n node) sized() bool {
	known := func(v shape.Value) bool {
		if v.Dims == nil {
			return false
		}
		for _, d := range v.Dims {
			if !d.Known() {
				return false
			}
		}
		return true
	}
	for _, v := range n.In {
		if v != nil && !known(*v) {
			return false
		}
	}
	for _, v := range n.Out {
		if !known(v) {
			return false
		}
	}
	return true
}
