package scope

import (
	"encoding/binary"
	"hash/maphash"

	"lathe/graphops"
)

// shapes are hashes of what scopes look like, by scope: equal for two that hold the
// same operators in the same order and children of the same names, numbers apart, and
// shapes. Constants are left out: exporters share them between modules, so that the
// first of many copies would hold some that the others lack. So are nodes that stand
// in a scope by a guess. The seed is random, so that no file can be made to fold what
// differs.
func (t *Tree) shapes(g *graphops.Graph) []uint64 {
	seed := maphash.MakeSeed()
	nodes := g.Nodes()
	out := make([]uint64, len(t.Scopes))
	var h maphash.Hash
	h.SetSeed(seed)
	for s := len(t.Scopes) - 1; s > 0; s-- { // children stand behind their parent
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

// writeName hashes a name such that no two lists of names are alike.
func writeName(h *maphash.Hash, s string) {
	writeNumber(h, uint64(len(s)))
	h.WriteString(s)
}

func writeNumber(h *maphash.Hash, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

// writeSkeleton hashes a name with its numbers made alike.
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
