// Package inputs provides the values that a model is run on: generated ones, which are the same for
// the same seed, and the user's own from files. A file may claim any size, so memory is allocated
// only as its content is actually read.
package inputs

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Spec describes an input that takes a dense tensor.
type Spec struct {
	Name  string
	DType tensor.DType
	Shape graphops.Shape // nil if the rank is unknown
}

// Specs lists the inputs of a model. It returns an error if one of them is not a dense tensor. It
// is for numpy's files, which can contain nothing else.
func Specs(types []graphops.NamedType) ([]Spec, error) {
	specs := make([]Spec, len(types))
	for i, t := range types {
		if t.Type.Kind != graphops.TypeTensor || !t.Type.Elem.Valid() {
			return nil, fmt.Errorf("input %q takes %s; only dense tensors can be fed", t.Name, t.Type)
		}
		specs[i] = Spec{Name: t.Name, DType: t.Type.Elem, Shape: t.Type.Shape}
	}
	return specs, nil
}
