package diff

import "lathe/graphops"

// anchors joins the nodes whose hashes prove that they are the same. It begins with nodes that are
// both computed in the same way and used in the same way. It continues with one of the two hashes,
// or, if weights is set, with the constants that the nodes read.
func (p *pairing) anchors(weights bool) {
	a, b := p.a, p.b
	p.joinUnique(both(a.downFull, a.up), both(b.downFull, b.up))
	p.joinUnique(both(a.down, a.up), both(b.down, b.up))
	if weights {
		p.joinReaders()
		return
	}
	p.joinUnique(a.downFull, b.downFull)
	p.joinUnique(a.up, b.up)
	p.joinUnique(a.down, b.down)
}

// both combines two hashes of each node.
func both(x, y []hash) []hash {
	out := make([]hash, len(x))
	for i := range x {
		out[i] = mixAll(x[i], y[i])
	}
	return out
}

// joinReaders joins two nodes with the same operator if each is the only node on its side that
// reads constants with the same elements. The weights of a trained model are unique, so this is
// reliable.
func (p *pairing) joinReaders() {
	key := func(s *side) []hash {
		out := make([]hash, len(s.inputs))
		for _, i := range s.order {
			for j, v := range s.inputs[i] {
				if c := s.constant(s.behind(v)); c != nil && c.isWeight() {
					out[i] = mixAll(out[i], s.ops[i], hash(j), c.full)
				}
			}
		}
		return out
	}
	p.joinUnique(key(p.a), key(p.b))
}

// joinUnique joins two open nodes with the same key if no other open node on either side has that
// key. Nodes with the key 0 are ignored.
func (p *pairing) joinUnique(a, b []hash) { p.joinAlike(a, b, true, ByStructure) }

// joinAlike joins open nodes with the same key, in topological order.
func (p *pairing) joinAlike(a, b []hash, once bool, how How) {
	if p.isDone() {
		return
	}
	alike(open(p.a.order, p.nodeA, a), open(p.b.order, p.nodeB, b), once, func(i, j int32) { p.join(i, j, how) })
}

// open returns those of some nodes or values that have no partner, with their keys.
func open(list, partner []int32, keys []hash) []keyed {
	out := make([]keyed, 0, len(list))
	for _, i := range list {
		if partner[i] == none && keys[i] != 0 {
			out = append(out, keyed{i, keys[i]})
		}
	}
	return out
}

// keyed is a node or value with the key by which it is found on the other side.
type keyed struct {
	item int32
	key  hash
}

// alike calls join for items with the same key on both sides, in order. If once is set, it leaves
// out keys that several items on one side have.
func alike(as, bs []keyed, once bool, join func(i, j int32)) {
	inB, count := make(map[hash][]int32, len(bs)), map[hash]int{}
	for _, y := range bs {
		inB[y.key] = append(inB[y.key], y.item)
	}
	if once {
		for _, x := range as {
			count[x.key]++
		}
	}
	for _, x := range as {
		list := inB[x.key]
		if len(list) == 0 || once && (len(list) > 1 || count[x.key] > 1) {
			continue
		}
		inB[x.key] = list[1:]
		join(x.item, list[0])
	}
}

// joinInOrder joins nodes that cannot be distinguished, because they are computed and used in the
// same way. It first joins those with the same name, and then the rest in order.
func (p *pairing) joinInOrder() error {
	a, b := p.a, p.b
	x, y := both(a.downFull, a.up), both(b.downFull, b.up)
	name := (*graphops.Node).Name
	for _, keys := range [][2][]hash{{both(x, a.nameKeys(name)), both(y, b.nameKeys(name))}, {x, y}, {both(a.down, a.up), both(b.down, b.up)}} {
		p.joinAlike(keys[0], keys[1], false, ByOrder)
		if err := p.spread(levelGuess); err != nil {
			return err
		}
	}
	return nil
}

// sameName reports whether two nodes have the same name, or first outputs with the same name.
func (p *pairing) sameName(i, j int32) bool {
	n, m := p.a.graph.Nodes()[i], p.b.graph.Nodes()[j]
	if n.Name() != "" && n.Name() == m.Name() {
		return true
	}
	output := firstOutput(n)
	return output != "" && output == firstOutput(m)
}

// These limit how many of the pairs joined so far may have different names if names are to count as
// evidence: otherNames pairs, because a change can shift a few names, plus the fraction
// otherNamesShare of all. Two exports that number values differently agree in few names. An
// optimizer keeps nearly all of them.
const (
	otherNames      = 2
	otherNamesShare = 0.1
)

// namesAgree reports whether equal names mean the same in both places. Generated names such as
// "123" occur in any two exports, but mean different nodes. A pair that was joined counts against
// names if the two names differ and one of them also occurs in the other place. If as many pairs
// agree as not, the decision is made by shareNames.
func (p *pairing) namesAgree() bool {
	agree, against := 0, 0
	for i, j := range p.nodeA {
		if j == none {
			continue
		}
		inB := p.b.numberOf(firstOutput(p.a.graph.Nodes()[i])) >= 0
		inA := p.a.numberOf(firstOutput(p.b.graph.Nodes()[j])) >= 0
		switch {
		case p.sameName(int32(i), j):
			agree++
		case inA || inB:
			against++
		}
	}
	if agree != against {
		return agree > against && float64(against) <= otherNames+otherNamesShare*float64(agree+against)
	}
	return p.shareNames()
}

// shareNames reports whether for at least half of the nodes of the smaller side a node of the other
// side has a first output with the same name.
func (p *pairing) shareNames() bool {
	both := 0
	for _, i := range p.a.order {
		if w := p.b.numberOf(firstOutput(p.a.graph.Nodes()[i])); w >= 0 && p.b.producer[w] >= 0 {
			both++
		}
	}
	return 2*both >= min(len(p.a.order), len(p.b.order))
}

// proposeNames makes pairs of open nodes with the same name and operator candidates. A name alone
// is not enough to join them: one more node in a layer shifts the numbers in the names of all later
// nodes.
func (p *pairing) proposeNames() {
	p.named(func(i, j int32) { p.propose(i, j, false) })
}

// named calls visit for open nodes with the same operator that have the same first output or the
// same name, which no other open node with that operator on either side has.
func (p *pairing) named(visit func(i, j int32)) {
	for _, name := range []func(n *graphops.Node) string{firstOutput, (*graphops.Node).Name} {
		alike(open(p.a.order, p.nodeA, p.a.nameKeys(name)), open(p.b.order, p.nodeB, p.b.nameKeys(name)), true, visit)
	}
}

// nameKeys returns a hash of the operator and a name of each node, or 0 if it does not have one.
func (s *side) nameKeys(name func(n *graphops.Node) string) []hash {
	out := make([]hash, len(s.inputs))
	for i, n := range s.graph.Nodes() {
		if text := name(n); text != "" {
			out[i] = mix(s.ops[i], hashText(text))
		}
	}
	return out
}

func firstOutput(n *graphops.Node) string {
	if len(n.Outputs()) == 0 {
		return ""
	}
	return n.Output(0)
}
