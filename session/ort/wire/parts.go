package wire

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"lathe/graphops"
)

// EncodeParts writes what was wanted of a value beside its elements. The form is
// Go's own: both ends are the same Lathe, or the greeting has refused.
func EncodeParts(parts []graphops.Part) ([]byte, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	var buf bytes.Buffer
	err := gob.NewEncoder(&buf).Encode(parts)
	return buf.Bytes(), err
}

// DecodeParts reads what EncodeParts wrote.
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
