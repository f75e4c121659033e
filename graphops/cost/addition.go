package cost

import (
	"lathe/graphops"
	"lathe/graphops/dim"
)

// addition computes the totals of a Result from its frames, for given sizes of symbols.
type addition struct {
	result *Result
	size   func(symbol string) (dim.Dim, bool)
	sized  map[string]dim.Dim // by expression, because the same expressions occur often
}

// at returns an expression in which the symbols with a given size are replaced.
func (a *addition) at(d dim.Dim) dim.Dim {
	if _, number := d.Number(); number || a.size == nil || !d.Known() {
		return d
	}
	key := d.String()
	out, done := a.sized[key]
	if !done {
		out = d.Subst(a.size)
		a.sized[key] = out
	}
	return out
}

func (a *addition) nodeAt(n Node) Node {
	return Node{MACs: a.at(n.MACs), Read: a.at(n.Read), Written: a.at(n.Written)}
}

// frame adds the costs of the nodes in a frame to result.nodes. It returns the cost of the frame,
// including the bodies and functions that its nodes run.
func (a *addition) frame(f *frame) Total {
	var t tally
	nodes := a.result.nodes[f.place.ID]
	for _, e := range f.entries {
		own := a.nodeAt(e.cost)
		t.addNode(own)
		nodes[e.node] = nodes[e.node].plus(own)
		if len(e.inner) > 0 {
			inner, at := a.inner(f, e), spot{f.place.ID, int(e.node)}
			t.addTotal(inner)
			a.result.held[at] = a.result.held[at].plus(inner)
		}
	}
	return t.total()
}

// inner returns the cost of the bodies or the function that a node runs: for an If that of one
// branch, otherwise the sum.
func (a *addition) inner(f *frame, e entry) Total {
	totals := make([]Total, len(e.inner))
	for i, g := range e.inner {
		totals[i] = a.frame(g)
	}
	if branching()[operatorOf(f, e)] {
		return a.larger(spot{f.place.ID, int(e.node)}, e.inner, totals)
	}
	sum := totals[0]
	for _, t := range totals[1:] {
		sum = sum.plus(t)
	}
	return sum
}

// larger returns the cost of the more expensive branch of an If. Of the other branches, only the
// numbers of nodes with unknown cost count. If it depends on sizes which branch is more expensive,
// no branch counts, and all their nodes are reported as left out.
func (a *addition) larger(at spot, frames []*frame, totals []Total) Total {
	best := 0
	for i := 1; i < len(totals); i++ {
		switch larger, ok := totals[i].largerThan(totals[best]); {
		case !ok:
			a.result.undecided[at] = true
			return leftOut(frames)
		case larger:
			best = i
		}
	}
	out := totals[best]
	for i, t := range totals {
		if i != best {
			out.MACs.Left += t.MACs.Left
			out.Read.Left += t.Read.Left
			out.Written.Left += t.Written.Left
		}
	}
	return out
}

func leftOut(frames []*frame) Total {
	n := 0
	for _, f := range frames {
		n += f.size()
	}
	left := Sum{Left: n}
	return Total{left, left, left}
}

// size returns the number of nodes in a frame, including the bodies and functions that they run.
func (f *frame) size() int {
	n := len(f.entries)
	for _, e := range f.entries {
		for _, g := range e.inner {
			n += g.size()
		}
	}
	return n
}

func operatorOf(f *frame, e entry) graphops.Op {
	n := f.place.Graph.Nodes()[e.node]
	return n.Op()
}

func (n Node) plus(m Node) Node {
	return Node{MACs: n.MACs.Add(m.MACs), Read: n.Read.Add(m.Read), Written: n.Written.Add(m.Written)}
}

func (s Sum) plus(t Sum) Sum { return Sum{s.Known.Add(t.Known), s.Left + t.Left} }

func (t Total) plus(u Total) Total {
	return Total{t.MACs.plus(u.MACs), t.Read.plus(u.Read), t.Written.plus(u.Written)}
}
