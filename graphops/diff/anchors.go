package diff

import "lathe/graphops"

// anchors joins the nodes whose hashes prove that they are the same. It begins with nodes that are
// both computed in the same way and used in the same way, first including the elements of constants
// and then without them. It continues with the hashes that the reading r prefers.
func (p *pairing) anchors(r reading) {
	both := func(x, y []hash) []hash {
		out := make([]hash, len(x))
		for i := range x {
			out[i] = mixAll(x[i], y[i])
		}
		return out
	}
	a, b := p.a, p.b
	p.joinUnique(both(a.downFull, a.up), both(b.downFull, b.up))
	p.joinUnique(both(a.down, a.up), both(b.down, b.up))
	switch r {
	case fromInputs:
		p.joinUnique(a.downFull, b.downFull)
		p.joinUnique(a.up, b.up)
		p.joinUnique(a.down, b.down)
	case fromOutputs:
		p.joinUnique(a.up, b.up)
		p.joinUnique(a.downFull, b.downFull)
		p.joinUnique(a.down, b.down)
	case fromEdges:
	case fromWeights:
		p.joinReaders()
	}
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
func (p *pairing) joinUnique(a, b []hash) {
	const several = int32(-2)
	count := func(s *side, keys []hash, partner []int32) map[hash]int32 {
		of := make(map[hash]int32)
		for _, i := range s.order {
			if partner[i] != none || keys[i] == 0 {
				continue
			}
			if _, twice := of[keys[i]]; twice {
				of[keys[i]] = several
				continue
			}
			of[keys[i]] = i
		}
		return of
	}
	if p.isDone() {
		return
	}
	inA, inB := count(p.a, a, p.nodeA), count(p.b, b, p.nodeB)
	for _, i := range p.a.order {
		if p.nodeA[i] != none || a[i] == 0 || inA[a[i]] != i {
			continue
		}
		if j, ok := inB[a[i]]; ok && j != several {
			p.join(i, j, ByStructure)
		}
	}
}

// joinInOrder joins nodes that cannot be distinguished, because they are computed and used in the
// same way. It first joins those with the same name, and then the rest in file order.
func (p *pairing) joinInOrder() error {
	for _, keys := range [][2][]hash{{p.a.downFull, p.b.downFull}, {p.a.down, p.b.down}} {
		of := map[hash][]int32{}
		for _, j := range p.b.order {
			if p.nodeB[j] == none {
				h := mixAll(keys[1][j], p.b.up[j])
				of[h] = append(of[h], j)
			}
		}
		for _, byName := range []bool{true, false} {
			for _, i := range p.a.order {
				h := mixAll(keys[0][i], p.a.up[i])
				if p.nodeA[i] != none || len(of[h]) == 0 {
					continue
				}
				j, ok := p.firstOpen(i, of, h, byName)
				if !ok {
					continue
				}
				p.join(i, j, ByOrder)
				if err := p.spread(levelGuess); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// maxLooked is the maximum number of nodes or inputs that are searched for an equal one.
const maxLooked = 64

func (p *pairing) firstOpen(i int32, of map[hash][]int32, h hash, byName bool) (int32, bool) {
	for len(of[h]) > 0 && p.nodeB[of[h][0]] != none {
		of[h] = of[h][1:]
	}
	list := of[h]
	if !byName {
		if len(list) == 0 {
			return none, false
		}
		return list[0], true
	}
	for _, j := range list[:min(len(list), maxLooked)] {
		if p.nodeB[j] == none && p.sameName(i, j) {
			return j, true
		}
	}
	return none, false
}

// sameName reports whether two nodes have the same name, or first outputs with the same name.
func (p *pairing) sameName(i, j int32) bool {
	n, m := p.a.graph.Nodes()[i], p.b.graph.Nodes()[j]
	if n.Name() != "" && n.Name() == m.Name() {
		return true
	}
	return len(n.Outputs()) > 0 && len(m.Outputs()) > 0 && n.Outputs()[0] != "" && n.Outputs()[0] == m.Outputs()[0]
}

const (
	// trustShare is the percentage of the pairs joined so far that must have equal names. Only then
	// do names count as evidence for other pairs.
	trustShare = 90
	// commonShare applies if no pair has been joined yet. It is the percentage of the nodes of the
	// smaller side whose names must occur on the other side.
	commonShare = 50
)

// namesAgree reports whether equal names mean the same node on both sides. Generated names such as
// "123" occur in any two exports, but mean different nodes.
func (p *pairing) namesAgree() bool {
	pairs, agree := 0, 0
	for i, j := range p.nodeA {
		if j != none {
			pairs++
			if p.sameName(int32(i), j) {
				agree++
			}
		}
	}
	if pairs > 0 {
		return agree*100 >= pairs*trustShare
	}
	common := 0
	names := p.names()
	for _, i := range p.a.order {
		if _, ok := names.find(p, i); ok {
			common++
		}
	}
	return common*100 > min(len(p.a.order), len(p.b.order))*commonShare
}

// proposeNames makes pairs of open nodes with the same name and operator candidates. A name alone
// is not enough to join them: one more node in a layer shifts the numbers in the names of all later
// nodes.
func (p *pairing) proposeNames() {
	names := p.names()
	for _, i := range p.a.order {
		if p.nodeA[i] != none {
			continue
		}
		if j, ok := names.find(p, i); ok {
			p.propose(i, j, false)
		}
	}
}

// nameTable finds nodes of B by their own name and by the name of their first output. The value -2
// means that several nodes have the name.
type nameTable struct{ nodes, values map[string]int32 }

func (p *pairing) names() nameTable {
	t := nameTable{map[string]int32{}, map[string]int32{}}
	for _, j := range p.b.order {
		n := p.b.graph.Nodes()[j]
		t.add(t.nodes, n.Name(), j)
		if len(n.Outputs()) > 0 {
			t.add(t.values, n.Outputs()[0], j)
		}
	}
	return t
}

func (nameTable) add(to map[string]int32, name string, j int32) {
	if _, twice := to[name]; twice || name == "" {
		j = -2
	}
	to[name] = j
}

// find returns the node of B that has the same name, or the same name of the first output, and the
// same operator as node i of A.
func (t nameTable) find(p *pairing, i int32) (int32, bool) {
	n := p.a.graph.Nodes()[i]
	if len(n.Outputs()) > 0 {
		if j, ok := t.values[n.Outputs()[0]]; ok && j >= 0 && p.a.ops[i] == p.b.ops[j] {
			return j, true
		}
	}
	j, ok := t.nodes[n.Name()]
	return j, ok && j >= 0 && p.a.ops[i] == p.b.ops[j]
}

func valueID(v int32) graphops.ValueID { return graphops.ValueID(v) }
