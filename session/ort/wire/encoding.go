package wire

import (
	"math"

	"github.com/fxamacker/cbor/v2"
)

// maxNesting is how deep arrays and maps may be nested. The deepest message is a request to compare
// with a value. Each level of that value is a map in an array, and worker and client refuse a value
// of more than 8 levels.
const maxNesting = 32

// Everything is encoded as CBOR. It preserves NaN, infinities and text that is not UTF-8: names of
// values come from model files, where they need not be UTF-8.
var (
	encoding = must(cbor.EncOptions{
		NaNConvert:  cbor.NaNConvertPreserveSignal,
		IndefLength: cbor.IndefLengthForbidden,
		TagsMd:      cbor.TagsForbidden,
	}.UserBufferEncMode())
	decoding = must(cbor.DecOptions{
		UTF8:            cbor.UTF8DecodeInvalid,
		DupMapKey:       cbor.DupMapKeyEnforcedAPF,
		IndefLength:     cbor.IndefLengthForbidden,
		TagsMd:          cbor.TagsForbidden,
		MaxNestedLevels: maxNesting,
		// An element takes at least one byte and a pair two. The library looks for all of them
		// before it allocates a list or a map, and whoever calls it limits the bytes.
		MaxArrayElements: math.MaxInt32,
		MaxMapPairs:      math.MaxInt32,
	}.DecMode())
)

// must returns a mode of the library. Its error is one of the options above.
func must[T any](mode T, err error) T {
	if err != nil {
		panic(err)
	}
	return mode
}
