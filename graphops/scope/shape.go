package scope

import (
	"encoding/binary"
	"hash/maphash"

	"lathe/graphops"
)

// shapes returns a hash of the structure of each scope. Two scopes have the same hash if they have
// the same operators in the same order, and if their children have the same names, apart from
// numbers, and the same structures. Constants are left out. Exporters share them between modules,
// so the first of many equal modules has constants that the others do not have. Nodes with the
// source Around are left out too. The seed of the hash is random, so that nobody can create a file
// in which different scopes have the same hash.
func (t *Tree) shapes(g *graphops.Graph) []uint64 {
	seed := maphash.MakeSeed()
	x := g.Index()
	operators := hashesOf(x.Operators(), seed)
	constant := make([]bool, len(operators))
	for i, op := range x.Operators() {
		constant[i] = op.Domain == graphops.DefaultDomain && op.Name == "Constant"
	}
	out := make([]uint64, len(t.Scopes))
	var h maphash.Hash
	h.SetSeed(seed)
	for s := len(t.Scopes) - 1; s > 0; s-- { // children come after their parent
		h.Reset()
		writeName(&h, t.Scopes[s].Class)
		for _, i := range t.Own(ID(s)) {
			if op := x.Operator(int(i)); t.source[i] != Around && !constant[op] {
				writeNumber(&h, operators[op])
			}
		}
		for c := ID(s) + 1; c < t.Scopes[s].End; c = t.Scopes[c].End {
			writeSkeleton(&h, t.Scopes[c].Name)
			writeNumber(&h, out[c])
		}
		out[s] = h.Sum64()
	}
	return out
}

// hashesOf returns the hash of each operator. Overloads of a function have the same.
func hashesOf(list []graphops.FunctionKey, seed maphash.Seed) []uint64 {
	out := make([]uint64, len(list))
	var h maphash.Hash
	h.SetSeed(seed)
	for i, op := range list {
		h.Reset()
		writeName(&h, op.Domain)
		writeName(&h, op.Name)
		out[i] = h.Sum64()
	}
	return out
}

// writeName adds a name to a hash. It adds the length first, so that different lists of names never
// give the same input.
func writeName(h *maphash.Hash, s string) {
	writeNumber(h, uint64(len(s)))
	h.WriteString(s)
}

func writeNumber(h *maphash.Hash, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

// writeSkeleton adds a name to a hash without its numbers. It only adds that there is a number.
func writeSkeleton(h *maphash.Hash, s string) {
	start := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && !isDigit(s[i]) {
			continue
		}
		if i > start || i == len(s) {
			writeName(h, s[start:i])
		}
		start = i + 1
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
