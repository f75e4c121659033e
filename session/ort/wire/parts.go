package wire

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"lathe/graphops"
)

// EncodeParts encodes the results about a value that were requested besides its elements. The
// encoding is gob: both ends are the same version of Lathe, otherwise the greeting has failed.
func EncodeParts(parts []graphops.Part) ([]byte, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	var buf bytes.Buffer
	err := gob.NewEncoder(&buf).Encode(parts)
	return buf.Bytes(), err
}

// DecodeParts reads the result of EncodeParts.
func DecodeParts(data []byte) ([]graphops.Part, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var parts []graphops.Part
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&parts); err != nil {
		return nil, fmt.Errorf("what was found of a value: %w", err)
	}
	return parts, nil
}
