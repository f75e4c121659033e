package graphops

import (
	"fmt"

	"lathe/graphops/tensor"
)

// Dense returns the tensor of a Constant node's value under a name: the tensor of a TENSOR
// attribute, or a tensor made of a scalar or a list. It loads a deferred attribute. Other kinds are
// an error.
func (a *Attribute) Dense(name string) (*Tensor, error) {
	if t := a.Tensor(); t != nil {
		return t.WithName(name), nil
	}
	a, err := a.Load()
	if err != nil {
		return nil, err
	}
	var v tensor.Tensor
	switch a.Kind() {
	case AttrFloat:
		v = tensor.FromSlice([]float32{a.Float()})
	case AttrFloats:
		v = tensor.FromSlice(a.Floats(), int64(len(a.Floats())))
	case AttrInt:
		v = tensor.FromSlice([]int64{a.Int()})
	case AttrInts:
		v = tensor.FromSlice(a.Ints(), int64(len(a.Ints())))
	case AttrString:
		v = tensor.FromStrings([]string{a.Text()})
	case AttrStrings:
		v = tensor.FromStrings(a.Texts(), int64(len(a.Texts())))
	default:
		return nil, fmt.Errorf("attribute %q of kind %s holds no elements", a.name, a.Kind())
	}
	return NewTensorOf(name, v), nil
}
