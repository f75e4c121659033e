package wire

import (
	"encoding/binary"
	"fmt"
)

// EncodeStrings writes the elements of a string tensor one after the other: the length in bytes as
// an unsigned varint, then the bytes.
func EncodeStrings(elements []string) []byte {
	size := 0
	for _, s := range elements {
		size += len(s) + binary.MaxVarintLen64
	}
	out := make([]byte, 0, size)
	for _, s := range elements {
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	return out
}

// DecodeStrings reads exactly count elements from data.
func DecodeStrings(data []byte, count int64) ([]string, error) {
	// Each element takes at least one byte, for its length.
	if count < 0 || count > int64(len(data)) {
		return nil, fmt.Errorf("%d bytes cannot hold %d strings", len(data), count)
	}
	elements := make([]string, count)
	for i := range elements {
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return nil, fmt.Errorf("string %d of %d does not fit the %d bytes left", i, count, len(data))
		}
		data = data[n:]
		elements[i], data = string(data[:size]), data[size:]
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%d bytes left after %d strings", len(data), count)
	}
	return elements, nil
}
