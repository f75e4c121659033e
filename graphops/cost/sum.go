package cost

import (
	"maps"
	"slices"

	"lathe/graphops/dim"
)

// Sum is the sum of costs of nodes, some of which may be unknown.
type Sum struct {
	// Known is the sum of the known costs. It is unknown itself if it exceeds the limits of package
	// dim, or if a number overflows.
	Known dim.Dim
	// Left is the number of nodes whose cost is unknown and therefore not part of Known.
	Left int
}

// Whole returns the sum. The bool is false if nodes are left out or the sum is unknown.
func (s Sum) Whole() (dim.Dim, bool) { return s.Known, s.Left == 0 && s.Known.Known() }

// Total is the cost of several nodes, including their bodies and the functions that they call.
type Total struct {
	MACs, Read, Written Sum
}

// largerThan reports whether a total is at least as large as another one for all sizes of the
// symbols. It compares MACs, and, if these are equal, the bytes read and written. ok is false if
// the answer depends on the sizes.
func (t Total) largerThan(u Total) (larger, ok bool) {
	for _, pair := range [][2]dim.Dim{
		{t.MACs.Known, u.MACs.Known},
		{t.Read.Known.Add(t.Written.Known), u.Read.Known.Add(u.Written.Known)},
	} {
		switch a, b := pair[0], pair[1]; {
		case a.Equal(b):
		case a.AtLeast(b):
			return true, true
		case b.AtLeast(a):
			return false, true
		default:
			return false, false
		}
	}
	return true, true
}

// adder sums many costs. It adds up numbers directly. It counts equal expressions, so that each of
// them is multiplied and added only once.
type adder struct {
	number dim.Dim
	terms  map[string]*repeated
	left   int
}

// repeated is an expression and how often it occurs in a sum.
type repeated struct {
	size  dim.Dim
	times int64
}

// add adds the cost d of one node. If d is unknown, it counts the node as left out.
func (a *adder) add(d dim.Dim) {
	switch _, number := d.Number(); {
	case number:
		a.number = a.number.Add(d)
	case !d.Known():
		a.left++
	default:
		key := d.String()
		if a.terms == nil {
			a.terms = map[string]*repeated{}
		}
		if a.terms[key] == nil {
			a.terms[key] = &repeated{size: d}
		}
		a.terms[key].times++
	}
}

func (a *adder) sum() Sum {
	out := a.number
	for _, key := range slices.Sorted(maps.Keys(a.terms)) {
		t := a.terms[key]
		out = out.Add(t.size.Mul(dim.Number(t.times)))
	}
	return Sum{out, a.left}
}

// tally adds up the costs of nodes, separately for MACs, bytes read and bytes written.
type tally struct{ macs, read, written adder }

func (t *tally) addNode(n Node) {
	t.macs.add(n.MACs)
	t.read.add(n.Read)
	t.written.add(n.Written)
}

// addTotal adds a total with its number of nodes left out.
func (t *tally) addTotal(u Total) {
	for _, x := range []struct {
		to   *adder
		from Sum
	}{{&t.macs, u.MACs}, {&t.read, u.Read}, {&t.written, u.Written}} {
		x.to.left += x.from.Left
		x.to.add(x.from.Known)
	}
}

func (t *tally) total() Total { return Total{t.macs.sum(), t.read.sum(), t.written.sum()} }
