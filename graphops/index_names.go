package graphops

import "hash/maphash"

// numbering gives every name a number, from 0 and in the order in which the names are added. It
// takes the place of a map from names to numbers: it has no pointers besides the names, so that a
// garbage collection does not look at it, and a lookup reads a few neighbouring bytes.
type numbering struct {
	names []string
	slots []slot // a power of two of them, at most three quarters used
}

// slot has the number of a name and a part of the hash of this name, so that most other names are
// ruled out without reading them.
type slot struct {
	hash uint32
	next int32 // the number + 1; 0 for an unused slot
}

// numberingSeed makes hashes differ from process to process, so that no file can contain names that
// all have the same hash.
var numberingSeed = maphash.MakeSeed()

// newNumbering returns a numbering with room for n names.
func newNumbering(n int) numbering {
	size := 8
	for size*3/4 < n {
		size *= 2
	}
	return numbering{names: make([]string, 0, n), slots: make([]slot, size)}
}

// find returns the number of a name. ok is false if the name was not added; the number is then 0.
func (t *numbering) find(name string) (n int32, ok bool) {
	s := t.at(uint32(maphash.String(numberingSeed, name)), name)
	return max(s.next-1, 0), s.next > 0
}

// add returns the number of a name, which is new if the name was not added before.
func (t *numbering) add(name string) int32 {
	hash := uint32(maphash.String(numberingSeed, name))
	if len(t.names) >= len(t.slots)*3/4 {
		t.grow()
	}
	s := t.at(hash, name)
	if s.next == 0 {
		t.names = append(t.names, name)
		*s = slot{hash, int32(len(t.names))}
	}
	return s.next - 1
}

// at returns the slot of a name, or the unused one where it belongs.
func (t *numbering) at(hash uint32, name string) *slot {
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.next == 0 || s.hash == hash && t.names[s.next-1] == name {
			return s
		}
	}
}

func (t *numbering) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.next == 0 {
			continue
		}
		i := s.hash & mask
		for t.slots[i].next != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}
