package diff

import (
	"slices"

	"lathe/graphops"
)

// Weights of the evidence for and against a pair of nodes. Their sum is the score of a candidate.
const (
	forComputation = 6 // they are computed from the same
	forElements    = 3 // and constants have the same elements
	forUse         = 6 // their results are used in the same way
	forInput       = 2 // they read partners; but a value may have many readers
	forReader      = 4 // partners read the result as the same input, which is only one value
	againstEdge    = 3 // an edge leads to nodes with other partners
	openEdge       = 2 // an edge leads to nodes of which one has another partner
	forName        = 1
	forTrustedName = 6
)

// maxEdges is the maximum number of inputs, readers and outputs that are considered as evidence, so
// that a value with very many readers does not take too long.
const maxEdges = 32

// judge weighs the evidence that node i of A and node j of B are the same. guess reports that other
// pairs with one of the nodes are equally likely.
func (p *pairing) judge(i, j int32, guess bool) candidate {
	c := candidate{i: i, j: j, guess: guess}
	sameDown, sameUp := p.a.down[i] == p.b.down[j], p.a.up[i] == p.b.up[j]
	if sameDown {
		c.score += forComputation
		if p.a.downFull[i] == p.b.downFull[j] {
			c.score += forElements
		}
	}
	if sameUp {
		c.score += forUse
	}
	below, above := p.inputEdges(i, j), p.outputEdges(i, j)
	c.score += forInput*below.with + forReader*above.with - againstEdge*(below.against+above.against) - openEdge*(below.open+above.open)
	named := p.sameName(i, j)
	if named {
		if c.score += forName; p.trusted {
			c.score += forTrustedName - forName
		}
	}
	switch {
	case p.a.label[i] == p.b.label[j] && (sameDown || sameUp):
		c.level = levelSame
	case p.a.label[i] == p.b.label[j] && below.with+above.with >= below.against+above.against:
		c.level = levelLabel
	case p.a.label[i] == p.b.label[j]:
		c.level = levelGuess
	case p.a.ops[i] == p.b.ops[j] && below.with+above.with > below.against+above.against,
		p.a.base[i] == p.b.base[j] && (below.with+above.with > 0 || named && p.trusted) && below.with+above.with >= below.against+above.against:
		c.level = levelOperator
	case p.a.ops[i] != p.b.ops[j] && (p.inPlace(below, above, named) || p.isKin(i, j) && below.with+above.with > 0 && below.against+above.against == 0):
		c.level = levelPlace
	default:
		c.level = levelNever
	}
	if guess {
		c.level = max(c.level, levelGuess)
	}
	return c
}

// inPlace reports whether the neighbours of two nodes with different operators show that one node
// replaced the other.
func (p *pairing) inPlace(below, above edges, named bool) bool {
	with, against := below.with+above.with, below.against+above.against
	if named && p.trusted {
		return with > 0 && with >= against
	}
	return below.with > 0 && above.with > 0 && against == 0
}

// kin groups operators that exporters use for the same purpose, such as ReduceMean and
// GlobalAveragePool.
var kin = map[string]string{
	"GlobalAveragePool": "mean", "ReduceMean": "mean", "AveragePool": "mean",
	"Flatten": "reshape", "Reshape": "reshape", "Squeeze": "reshape", "Unsqueeze": "reshape",
}

func (p *pairing) isKin(i, j int32) bool {
	n, m := p.a.graph.Nodes()[i], p.b.graph.Nodes()[j]
	does := kin[n.OpType()]
	return does != "" && does == kin[m.OpType()] && n.Domain() == graphops.DefaultDomain && m.Domain() == graphops.DefaultDomain
}

// edges counts the edges of two nodes: those that support the pair, those that contradict it, and
// those that contradict it only weakly (open), because an inserted node without a partner may be
// the reason.
type edges struct{ with, against, open int32 }

// inputEdges counts the inputs of two nodes in the same position. Partners support the pair. If
// both have other partners, they contradict it. If only one has, the edge is open.
func (p *pairing) inputEdges(i, j int32) (e edges) {
	as, bs := p.a.inputs[i], p.b.inputs[j]
	swap := len(as) == 2 && len(bs) == 2 && isCommutative(p.a.graph.Nodes()[i])
	for k := range min(len(as), len(bs), maxEdges) {
		v, w := as[k], bs[k]
		if v < 0 || w < 0 {
			continue
		}
		switch {
		case p.valueA[v] == w, swap && p.valueA[v] != none && p.valueA[v] == bs[1-k]:
			e.with++
		case p.valueA[v] != none && p.valueB[w] != none:
			e.against++
		case p.valueA[v] != none || p.valueB[w] != none:
			e.open++
		}
	}
	for _, v := range p.a.captures[i][:min(len(p.a.captures[i]), maxEdges)] {
		if v >= 0 && p.valueA[v] != none && slices.Contains(p.b.captures[j], p.valueA[v]) {
			e.with++
		}
	}
	return e
}

// outputEdges counts the readers of the outputs in the same way, starting from the readers on
// either side.
func (p *pairing) outputEdges(i, j int32) (e edges) {
	as, bs := p.a.outputs[i], p.b.outputs[j]
	for k := range min(len(as), len(bs)) {
		v, w := as[k], bs[k]
		if v < 0 || w < 0 {
			continue
		}
		e.countReturned(p.a.interfaceOut[v], p.b.interfaceOut[w])
		e.countReaders(p.a, v, p.nodeA, p.b, w, p.valueB, true)
		e.countReaders(p.b, w, p.nodeB, p.a, v, p.valueA, false)
	}
	return e
}

// countReturned counts the outputs of the graph that both values are, as support. It considers only
// the first maxEdges outputs of each value.
func (e *edges) countReturned(as, bs []returned) {
	as, bs = as[:min(len(as), maxEdges)], bs[:min(len(bs), maxEdges)]
	for _, a := range as {
		if slices.ContainsFunc(bs, func(b returned) bool { return b.as == a.as }) {
			e.with++
		}
	}
}

// countReaders checks, for each matched reader of v, whether its partner reads w as the same input.
// If with is set, support is counted; it is set for one of the two sides only, so that no edge
// counts twice.
func (e *edges) countReaders(s *side, v int32, partner []int32, other *side, w int32, matched []int32, with bool) {
	uses := s.usesOf(v)
	for _, u := range uses[:min(len(uses), maxEdges)] {
		r := partner[u.node]
		if r == none || u.position < 0 {
			continue
		}
		in := other.inputs[r]
		switch {
		case other.reads(r, u.position, w):
			if with {
				e.with++
			}
		case int(u.position) < len(in) && in[u.position] >= 0 && matched[in[u.position]] == none:
			e.open++
		default:
			e.against++
		}
	}
}

// reads reports whether a node reads a value as the input at the given position, or as any input if
// the order does not matter.
func (s *side) reads(node, position, value int32) bool {
	in := s.inputs[node]
	if int(position) < len(in) && in[position] == value {
		return true
	}
	return len(in) == 2 && isCommutative(s.graph.Nodes()[node]) && (in[0] == value || in[1] == value)
}

// commutative lists operators for which swapping two inputs changes no bit of the result.
var commutative = map[string]bool{
	"Add": true, "Mul": true, "And": true, "Or": true, "Xor": true, "Equal": true, "Max": true, "Min": true,
	"Sum": true, "Mean": true, "BitwiseAnd": true, "BitwiseOr": true, "BitwiseXor": true,
}

func isCommutative(n *graphops.Node) bool {
	return commutative[n.OpType()] && n.Domain() == graphops.DefaultDomain && len(n.Inputs()) == 2
}

func (s *side) isMain() bool { return s.place.Kind == graphops.MainGraph }
