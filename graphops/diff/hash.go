package diff

import (
	"hash/maphash"
	"math/bits"
)

// hash is a fingerprint that groups similar nodes and values. Equal hashes decide what is compared
// with what, never that two things are equal.
type hash uint64

var seed = maphash.MakeSeed()

func hashText(s string) hash { return hash(maphash.String(seed, s)) }

func hashBytes(b []byte) hash { return hash(maphash.Bytes(seed, b)) }

// secrets make the hashes unpredictable, so that nobody can construct a model in which different
// parts have the same hash.
var secrets = [2]uint64{maphash.String(seed, "first"), maphash.String(seed, "second")}

// mix returns a hash of h followed by x, so that the order matters.
func mix(h, x hash) hash {
	high, low := bits.Mul64(uint64(h)^secrets[0], uint64(x)^secrets[1])
	return hash(high ^ low)
}

func mixAll(list ...hash) hash {
	h := hash(len(list))
	for _, x := range list {
		h = mix(h, x)
	}
	return h
}

// These are mixed into hashes, so that different kinds of things have different hashes.
const (
	markAbsent hash = iota + 1
	markInput
	markOutput
	markConstant
	markCapture
	markUnknown
	markAttribute
	markBody
	markFunction
	markCycle
)
