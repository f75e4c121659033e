package diff

import (
	"hash/maphash"
	"math/bits"
)

// hash is a fingerprint by which nodes and values are grouped. It is never taken for
// equality.
type hash uint64

var seed = maphash.MakeSeed()

func hashText(s string) hash { return hash(maphash.String(seed, s)) }

func hashBytes(b []byte) hash { return hash(maphash.Bytes(seed, b)) }

// secrets keep who writes a model from choosing what has one hash.
var secrets = [2]uint64{maphash.String(seed, "first"), maphash.String(seed, "second")}

// mix folds one hash into another; the order matters.
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

// Marks that begin a hash, so that hashes of different things differ.
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
