package diff

import "context"

// none in a list of partners means no partner.
const none = int32(-1)

// pairing is the state of matching two places. Two matched nodes or values are called partners, and
// a node without a partner is called open.
type pairing struct {
	ctx  context.Context
	a, b *side

	nodeA, nodeB   []int32 // partners by node
	valueA, valueB []int32 // partners by value; constants are added later, see constants.go
	howNode        []How   // by node of A
	howValue       []How   // by value of A
	joined         int
	trusted        bool // equal names have the same meaning
	quiet          bool // joins propose no neighbours, because many joins follow
	open           candidates
	later          []candidate // candidates of a level that is not considered yet
}

func newPairing(ctx context.Context, a, b *side) *pairing {
	return &pairing{
		ctx: ctx, a: a, b: b,
		nodeA: unmatched(len(a.inputs)), nodeB: unmatched(len(b.inputs)),
		valueA: unmatched(len(a.producer)), valueB: unmatched(len(b.producer)),
		howNode: make([]How, len(a.inputs)), howValue: make([]How, len(a.producer)),
	}
}

func unmatched(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = none
	}
	return out
}

// isOpen reports whether both nodes are open, so that they can be joined.
func (p *pairing) isOpen(i, j int32) bool { return p.nodeA[i] == none && p.nodeB[j] == none }

// join makes two nodes partners, and also their outputs. Unless p.quiet is set, their neighbours
// become candidates.
func (p *pairing) join(i, j int32, how How) {
	p.nodeA[i], p.nodeB[j], p.howNode[i] = j, i, how
	p.joined++
	as, bs := p.a.outputs[i], p.b.outputs[j]
	for k := range min(len(as), len(bs)) {
		if as[k] >= 0 && bs[k] >= 0 && p.a.producer[as[k]] == i && p.b.producer[bs[k]] == j {
			p.joinValues(as[k], bs[k], how)
		}
	}
	if !p.quiet {
		p.proposeProducers(i, j)
	}
}

// joinValues makes two values partners if neither has one. Unless p.quiet is set, their readers
// become candidates.
func (p *pairing) joinValues(v, w int32, how How) {
	if p.valueA[v] != none || p.valueB[w] != none {
		return
	}
	p.valueA[v], p.valueB[w], p.howValue[v] = w, v, how
	if !p.quiet {
		p.proposeReaders(v, w)
	}
}

// run matches the nodes of two places. It begins with the pairs that are certain, and continues with
// ever weaker evidence. weights says which of these comes first after the certain pairs: the edges,
// or the weights that nodes read and the order of the nodes between.
func run(ctx context.Context, a, b *side, weights bool) (*pairing, error) {
	p := newPairing(ctx, a, b)
	p.quiet = true
	p.joinInterface()
	p.anchors(weights)
	p.trusted = p.namesAgree()
	p.quiet = false
	if err := p.proposeAll(); err != nil {
		return nil, err
	}
	if err := p.spread(levelOperator); err != nil {
		return nil, err
	}
	for radius := 3; radius > 0 && !p.isDone(); radius-- {
		p.joinUnique(a.hashNear(radius), b.hashNear(radius))
		if err := p.spread(levelOperator); err != nil {
			return nil, err
		}
	}
	p.joinReadInputs()
	p.joinInputsInPlace()
	if weights {
		if err := p.alignRest(); err != nil {
			return nil, err
		}
	}
	for _, limit := range []level{levelGuess, levelPlace} {
		if err := p.spread(limit); err != nil {
			return nil, err
		}
	}
	p.joinUnique(a.downFull, b.downFull) // even if everything computed from them has changed
	if err := p.spread(levelGuess); err != nil {
		return nil, err
	}
	if err := p.joinInOrder(); err != nil {
		return nil, err
	}
	p.joinOtherInputs()
	return p, nil
}

// isDone reports whether all nodes of one of the sides have a partner.
func (p *pairing) isDone() bool { return p.joined == min(len(p.a.order), len(p.b.order)) }

// proposeAll makes the neighbours of all pairs that were joined so far candidates.
func (p *pairing) proposeAll() error {
	if p.isDone() {
		return nil
	}
	for at, i := range p.a.order {
		if err := p.look(at); err != nil {
			return err
		}
		if j := p.nodeA[i]; j != none {
			p.proposeProducers(i, j)
		}
	}
	for v, w := range p.valueA {
		if err := p.look(v); err != nil {
			return err
		}
		if w != none {
			p.proposeReaders(int32(v), w)
		}
	}
	p.proposeOutputs()
	if p.trusted {
		p.proposeNames()
	}
	return nil
}

// look returns the context's error. It checks the context only once in contextStride turns.
func (p *pairing) look(turn int) error {
	if turn%contextStride != 0 {
		return nil
	}
	return p.ctx.Err()
}

// proposeOutputs makes the nodes that produce the same output of both graphs candidates.
func (p *pairing) proposeOutputs() {
	of := map[hash]int32{}
	for _, w := range p.b.returned() {
		for _, r := range p.b.interfaceOut[w] {
			of[r.as] = w
		}
	}
	proposed := map[[2]int32]bool{}
	for _, v := range p.a.returned() {
		for _, r := range p.a.interfaceOut[v] {
			if w, ok := of[r.as]; ok && !proposed[[2]int32{v, w}] {
				proposed[[2]int32{v, w}] = true
				p.proposeMakers(v, w)
			}
		}
	}
}
