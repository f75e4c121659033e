// Package inputs makes the values that a model is run on: generated ones, the
// same for the same seed, and the user's own from files. Files are hostile: nothing
// is allocated from a size that one only claims.
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
	Shape graphops.Shape // nil where the rank is unknown
}

// Specs lists the inputs of a model. An input that takes no dense tensor is an
// error: numpy's files hold nothing else.
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
