package cost

import (
	"maps"
	"slices"

	"lathe/graphops/dim"
)

// Sum is a sum of sizes of which some may not be known.
type Sum struct {
	// Known is the sum of those that are. It is itself not Known where the
	// expression would be too long (package dim's limits) or does not fit into 64 bits.
	Known dim.Dim
	// Left is how many nodes are left out, because theirs is not known.
	Left int
}

// Whole is the sum if nothing is left out and it can be written down.
func (s Sum) Whole() (dim.Dim, bool) { return s.Known, s.Left == 0 && s.Known.Known() }

// Total is what several nodes cost, all that they enter counted in.
type Total struct {
	MACs, Read, Written Sum
}

// largerThan reports whether a total is never below another one: by its
// multiply-accumulates, then by its traffic. ok is false where that depends on sizes.
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

// adder sums many sizes: numbers in one, and equal expressions as one.
type adder struct {
	number dim.Dim
	terms  map[string]*repeated
	left   int
}

// repeated is an expression, and how often it is in a sum.
type repeated struct {
	size  dim.Dim
	times int64
}

// add takes the size of one node.
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

// tally sums what nodes cost.
type tally struct{ macs, read, written adder }

func (t *tally) addNode(n Node) {
	t.macs.add(n.MACs)
	t.read.add(n.Read)
	t.written.add(n.Written)
}

// addTotal takes a total in; it may be of parts of which none is known.
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
