package quant

import (
	"errors"
	"fmt"

	"lathe/graphops/tensor"
)

// NotFinite are constants that hold NaN or an infinity, which no integer stands for. They
// are found while weights are read, when it is decided already what becomes of the nodes:
// the quantization begins anew then, and leaves the nodes that read one in float32.
type NotFinite map[stored]*tensor.NotFiniteError

// stored is a constant by its name and the number of the place that holds it.
type stored struct {
	place int
	name  string
}

// Note keeps a constant if err is that it is not finite, and reports whether it is.
func (f NotFinite) Note(place int, name string, err error) bool {
	var found *tensor.NotFiniteError
	if !errors.As(err, &found) {
		return false
	}
	f[stored{place, name}] = found
	return true
}

// Reason says what is wrong with a constant that a node reads, to follow the node; "" if
// nothing is.
func (f NotFinite) Reason(place int, name string) string {
	found := f[stored{place, name}]
	if found == nil {
		return ""
	}
	return fmt.Sprintf("reads %q, whose element %d is %v, and integers have only finite numbers", name, found.Index, found.Value)
}
