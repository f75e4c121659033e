package graphops

// WithName returns the tensor with another name. ONNX stores the name of a sparse tensor as that of
// its values.
func (s *SparseTensor) WithName(name string) *SparseTensor {
	c := *s
	values := &Tensor{}
	if s.values != nil {
		values = s.values
	}
	c.values = values.WithName(name)
	return &c
}

// Sparse returns the value of a SPARSE_TENSOR attribute, or nil.
func (a *Attribute) Sparse() *SparseTensor { return a.sparse }

// SparseTensors returns all sparse tensors of the attribute.
func (a *Attribute) SparseTensors() []*SparseTensor {
	if a.sparse == nil {
		return a.sparses
	}
	return append([]*SparseTensor{a.sparse}, a.sparses...)
}

// SparseAttribute returns a new SPARSE_TENSOR attribute.
func SparseAttribute(name string, s *SparseTensor) *Attribute {
	a := newAttribute(name, AttrSparseTensor, func(b []byte) []byte { return b })
	a.sparse = s
	return a
}

// halves returns the tensors with the values and the indices. A missing one is left out.
func (s *SparseTensor) halves() []*Tensor {
	var out []*Tensor
	if s == nil {
		return nil
	}
	for _, t := range []*Tensor{s.values, s.indices} {
		if t != nil {
			out = append(out, t)
		}
	}
	return out
}
