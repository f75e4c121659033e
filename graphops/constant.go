package graphops

import (
	"fmt"

	"lathe/graphops/tensor"
)

// Dense returns the attribute of a Constant node as a tensor with the given name. A number, a
// string or a list becomes a tensor of rank 0 or 1. Dense loads a deferred attribute. An attribute
// of any other kind is an error.
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
		return nil, fmt.Errorf("attribute %q of kind %s is not a number, a string, a list or a tensor", a.name, a.Kind())
	}
	return NewTensorOf(name, v), nil
}
