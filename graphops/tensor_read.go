package graphops

import "lathe/graphops/tensor"

// Read reads all elements into memory. The caller must check the size (ByteLen) first.
func (t *Tensor) Read() (tensor.Tensor, error) {
	v := tensor.Tensor{DType: t.dtype, Shape: t.dims}
	if v.Shape == nil {
		v.Shape = []int64{}
	}
	var err error
	if t.dtype == tensor.String {
		v.Strings, err = t.Strings()
		return v, err
	}
	p, err := t.Data()
	if err != nil {
		return v, err
	}
	v.Data, err = p.Bytes()
	return v, err
}
