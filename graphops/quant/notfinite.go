package quant

import (
	"errors"
	"fmt"

	"lathe/graphops/tensor"
)

// NotFinite holds constants that contain NaN or an infinity, which integers cannot represent.
// They are found only while weights are read, after the decisions about the nodes. The quantization
// then starts again and leaves the nodes that read such a constant in float32.
type NotFinite map[stored]*tensor.NotFiniteError

// stored identifies a constant by its name and the number of its place.
type stored struct {
	place int
	name  string
}

// Note records a constant if err says that it is not finite, and reports whether it did.
func (f NotFinite) Note(place int, name string, err error) bool {
	var found *tensor.NotFiniteError
	if !errors.As(err, &found) {
		return false
	}
	f[stored{place, name}] = found
	return true
}

// Reason says what is wrong with a constant, as text to follow the node that reads it; "" if
// nothing is.
func (f NotFinite) Reason(place int, name string) string {
	found := f[stored{place, name}]
	if found == nil {
		return ""
	}
	return fmt.Sprintf("reads %q, whose element %d is %v, which integers cannot represent", name, found.Index, found.Value)
}
