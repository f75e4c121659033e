package wire

import (
	"fmt"
	"math"

	"github.com/fxamacker/cbor/v2"

	"lathe/graphops/execution"
)

// The encoding of parts is CBOR. It preserves NaN, infinities and text that is not UTF-8. A value
// needs no description of its type, so that it costs microseconds: calibration and validation
// send one for each value of each run.
var (
	partsEncoding = must(cbor.EncOptions{NaNConvert: cbor.NaNConvertPreserveSignal}.EncMode())
	partsDecoding = must(cbor.DecOptions{
		UTF8: cbor.UTF8DecodeInvalid,
		// The announcement of a value limits its bytes, and a list has at most one element per byte.
		MaxArrayElements: math.MaxInt32,
	}.DecMode())
)

// must returns a mode of the library. Its error is one of the options above.
func must[T any](mode T, err error) T {
	if err != nil {
		panic(err)
	}
	return mode
}

// EncodeParts encodes the results about a value that were requested besides its elements. Both
// ends are the same version of Lathe, otherwise the greeting has failed.
func EncodeParts(parts []execution.Part) ([]byte, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	return partsEncoding.Marshal(parts)
}

// DecodeParts reads the result of EncodeParts.
func DecodeParts(data []byte) ([]execution.Part, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var parts []execution.Part
	if err := partsDecoding.Unmarshal(data, &parts); err != nil {
		return nil, fmt.Errorf("results about a value: %w", err)
	}
	return parts, nil
}
