// Package inputs provides the values that a model is run on: generated ones, which are equal for
// equal seeds, and the user's own from files. It treats files as hostile: no memory is allocated
// only because a file claims a size.
package inputs

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Spec is an input of a model that takes a dense tensor.
type Spec struct {
	Name  string
	DType tensor.DType
	Shape graphops.Shape // nil if the rank is unknown
}

// Specs lists the inputs of a model. It returns an error if an input is not a dense tensor, because
// numpy's files cannot contain anything else.
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
