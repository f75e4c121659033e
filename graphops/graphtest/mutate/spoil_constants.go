package mutate

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

// constantRead returns a random constant of any place, and the nodes that read it. The constant is
// an initializer, or the value of a Constant node, which is then the last of these nodes.
func (s *spoiler) constantRead() (*onnxpb.TensorProto, []Site) {
	type known struct {
		t  *onnxpb.TensorProto
		at []Site
	}
	var all []known
	for _, sc := range s.scopes {
		if sc.graph != nil {
			for _, t := range sc.graph.GetInitializer() {
				all = append(all, known{t, s.readers(t.GetName())})
			}
		}
		for i, n := range sc.nodes {
			for _, a := range n.GetAttribute() {
				if a.GetT() != nil && len(n.GetOutput()) > 0 {
					all = append(all, known{a.GetT(), append(s.readers(n.Output[0]), Site{sc.place, i})})
				}
			}
		}
	}
	k := pick(s.mutator, all)
	if k.t != nil && k.t.GetDataLocation() == onnxpb.TensorProto_EXTERNAL {
		return nil, nil
	}
	s.value = k.t.GetName()
	return k.t, k.at
}

// reshaped changes the dimensions of a tensor and adapts the number of its elements.
func reshaped(t *onnxpb.TensorProto, dims []int64) bool {
	raw(t)
	was, elements := width(t), int64(1)
	for _, d := range dims {
		elements *= d
	}
	if len(t.RawData) == 0 || tensor.DType(t.GetDataType()).Bits() < 8 || elements > maxFilled {
		return false
	}
	filled := make([]byte, int(elements)*was)
	for i := range filled {
		filled[i] = t.RawData[i%len(t.RawData)]
	}
	t.RawData, t.Dims = filled, dims
	return true
}

// cutConstant removes a row from a constant, or adds one.
func (s *spoiler) cutConstant() (string, []Site) {
	t, at := s.constantRead()
	if t == nil || len(t.GetDims()) == 0 {
		return "", nil
	}
	dims := append([]int64(nil), t.Dims...)
	i := s.rng.IntN(len(dims))
	if dims[i] += int64(1 - 2*s.rng.IntN(2)); dims[i] < 0 || !reshaped(t, dims) {
		return "", nil
	}
	return fmt.Sprintf("%q has dimensions %v", t.GetName(), dims), at
}

// reshapeConstant adds an axis to a constant or removes one.
func (s *spoiler) reshapeConstant() (string, []Site) {
	t, at := s.constantRead()
	if t == nil {
		return "", nil
	}
	dims := append([]int64{2}, t.GetDims()...)
	if len(t.GetDims()) > 0 && s.rng.IntN(2) == 0 {
		dims = append([]int64(nil), t.Dims[1:]...)
	}
	if !reshaped(t, dims) {
		return "", nil
	}
	return fmt.Sprintf("%q has dimensions %v", t.GetName(), dims), at
}

// retypeConstant replaces a constant by zeros of another type.
func (s *spoiler) retypeConstant() (string, []Site) {
	t, at := s.constantRead()
	d := pick(s.mutator, []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.I32, tensor.I64, tensor.U8, tensor.Bool})
	if t == nil || tensor.DType(t.GetDataType()) == d {
		return "", nil
	}
	elements := 1
	for _, size := range t.GetDims() {
		elements *= int(size)
	}
	if elements < 0 || elements > maxFilled {
		return "", nil
	}
	fresh := &onnxpb.TensorProto{Name: t.Name, Dims: t.Dims, DataType: proto.Int32(int32(d)), RawData: make([]byte, elements*d.Bits()/8)}
	proto.Reset(t)
	proto.Merge(t, fresh)
	return fmt.Sprintf("%q is of type %v", t.GetName(), d), at
}

// damageConstant removes bytes from a constant without changing its dimensions.
func (s *spoiler) damageConstant() (string, []Site) {
	t, at := s.constantRead()
	if t == nil {
		return "", nil
	}
	raw(t)
	if len(t.RawData) == 0 {
		return "", nil
	}
	t.RawData = t.RawData[:s.rng.IntN(len(t.RawData))]
	return fmt.Sprintf("%q has %d bytes", t.GetName(), len(t.RawData)), at
}

// changeElement changes one integer of a short constant: an axis or a size.
func (s *spoiler) changeElement() (string, []Site) {
	t, at := s.constantRead()
	if t == nil || tensor.DType(t.GetDataType()) != tensor.I64 {
		return "", nil
	}
	raw(t)
	if len(t.RawData) == 0 || len(t.RawData) > 128 {
		return "", nil
	}
	i := s.rng.IntN(len(t.RawData) / 8)
	return fmt.Sprintf("element %d of %q is %s", i, t.GetName(), s.put(t, t.RawData[8*i:8*i+8])), at
}
