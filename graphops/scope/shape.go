package scope

import (
	"encoding/binary"
	"hash/maphash"

	"lathe/graphops"
)

// shapes returns hashes of the structure of scopes, equal for two scopes with the same operators in
// the same order, children with the same names except for numbers, and equal structures. Constants
// are left out, because exporters share them between modules, so that the first of many copies
// would have some that the others do not have. Nodes whose scope is a guess are left out too. The
// seed is random, so that no file can be constructed in which different scopes are folded.
func (t *Tree) shapes(g *graphops.Graph) []uint64 {
	seed := maphash.MakeSeed()
	nodes := g.Nodes()
	out := make([]uint64, len(t.Scopes))
	var h maphash.Hash
	h.SetSeed(seed)
	for s := len(t.Scopes) - 1; s > 0; s-- { // children come after their parent
		h.Reset()
		writeName(&h, t.Scopes[s].Class)
		for _, i := range t.Own(ID(s)) {
			if n := nodes[i]; t.source[i] != Around && (n.OpType() != "Constant" || n.Domain() != graphops.DefaultDomain) {
				writeName(&h, n.Domain())
				writeName(&h, n.OpType())
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

// writeName hashes a name so that different lists of names give different input.
func writeName(h *maphash.Hash, s string) {
	writeNumber(h, uint64(len(s)))
	h.WriteString(s)
}

func writeNumber(h *maphash.Hash, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

// writeSkeleton hashes a name with all numbers replaced by the same one.
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
