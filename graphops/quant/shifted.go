package quant

import (
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// weightPlace has the indices of the weight and of its zero point among the inputs of an integer
// operator.
type weightPlace struct{ weight, zeroPoint int }

// weightPlaces lists the operators that ONNX Runtime computes with uint8 activations and int8
// weights.
var weightPlaces = map[string]weightPlace{
	"MatMulInteger": {1, 3}, "ConvInteger": {1, 3}, "QLinearMatMul": {3, 5}, "QLinearConv": {3, 5},
	"QGemm": {3, 5}, "DynamicQuantizeMatMul": {1, 3}, "MatMulIntegerToFloat": {1, 5},
	"DequantizeLinear": {0, 2},
}

// multiplies lists operators whose second input is a weight and that ONNX Runtime computes on
// integers if their inputs come from DequantizeLinear.
var multiplies = map[string]bool{"MatMul": true, "Gemm": true, "Conv": true}

// maxShifted bounds the size in bytes of the weights that Shifted creates.
const maxShifted = 1 << 30

// Shifted returns the model with int8 weights and their zero points stored as uint8, increased
// by 128, and the number of nodes that read such a weight. Only the difference of weight and zero
// point matters, so that each result is the same. The change helps because some kernels add
// products of uint8 and int8 in 16 bits, where they saturate, while none does so with uint8 alone.
// If the main graph has no such weight, Shifted returns m itself.
func Shifted(m *graphops.Model) (*graphops.Model, int, error) {
	s := &shifter{e: graphops.Edit(m), x: m.Graph().Index(), constants: map[string]*graphops.Tensor{}, left: maxShifted}
	for _, t := range m.Graph().Initializers() {
		s.constants[t.Name()] = t
	}
	nodes := 0
	for i, t := range m.Graph().Initializers() {
		readers := s.readers(t)
		if len(readers) == 0 {
			continue
		}
		shifted, err := s.shift(t)
		if err != nil {
			return nil, 0, err
		}
		s.e.Initializers[i] = shifted
		for _, r := range readers {
			if s.e.Nodes[r], err = s.withZeroPoint(s.e.Nodes[r]); err != nil {
				return nil, 0, err
			}
			nodes++
		}
	}
	if nodes == 0 {
		return m, 0, nil
	}
	return s.e.Model(), nodes, nil
}

// SignedProducts returns the number of nodes of the main graph that multiply with an int8 weight. It
// reads no weights.
func SignedProducts(m *graphops.Model) (nodes int) {
	s := &shifter{e: graphops.Edit(m), x: m.Graph().Index(), constants: map[string]*graphops.Tensor{}, left: math.MaxInt64}
	for _, t := range m.Graph().Initializers() {
		s.constants[t.Name()] = t
	}
	for _, t := range m.Graph().Initializers() {
		nodes += len(s.readers(t))
	}
	return nodes
}

type shifter struct {
	e         *graphops.Editor
	x         *graphops.Index
	constants map[string]*graphops.Tensor // as they were
	left      int64                       // how many more bytes may be created
}

// readers returns the nodes that read a constant as an int8 weight; nil if it is also used in
// another way.
func (s *shifter) readers(t *graphops.Tensor) []int {
	v, ok := s.x.Value(t.Name())
	n, err := t.ByteLen()
	if !ok || err != nil || t.DType() != tensor.I8 || len(t.Dims()) == 0 || n > s.left || s.x.IsInput(v) || s.x.IsOutput(v) {
		return nil
	}
	var out []int
	for _, r := range s.x.Readers(v) {
		if !s.isWeight(s.e.Nodes[r], t.Name()) {
			return nil
		}
		if !slices.Contains(out, int(r)) {
			out = append(out, int(r))
		}
	}
	s.left -= n
	return out
}

// isWeight reports whether a node reads a value only as its weight. The zero point must be a
// constant, or be omitted.
func (s *shifter) isWeight(n *graphops.Node, name string) bool {
	at, ok := weightPlaces[n.OpType()]
	in := n.Inputs()
	if !ok || at.weight >= len(in) || in[at.weight] != name || slices.Index(in, name) != at.weight || slices.Contains(in[at.weight+1:], name) {
		return false
	}
	if n.OpType() == "DequantizeLinear" && !s.isMultiplied(n) {
		return false
	}
	zero, stated := s.zeroPoint(n)
	return zero != nil || !stated && (n.OpType() != "DequantizeLinear" || s.constants[in[1]] != nil)
}

// isMultiplied reports whether all readers of the output of a DequantizeLinear are operators
// that have it as second input and that runtimes turn into operators on integers.
func (s *shifter) isMultiplied(n *graphops.Node) bool {
	v, ok := s.x.Value(n.Output(0))
	if block, has := n.Attribute("block_size"); !ok || s.x.IsOutput(v) || has && block.Int() != 0 {
		return false
	}
	readers := s.x.Readers(v)
	return len(readers) > 0 && !slices.ContainsFunc(readers, func(r int32) bool {
		m := s.e.Nodes[r]
		return !multiplies[m.OpType()] || len(m.Inputs()) < 2 || m.Input(1) != n.Output(0)
	})
}

// zeroPoint returns the constant that is the zero point of the node's weight; nil if it is not a
// constant. stated is false if the node omits the zero point.
func (s *shifter) zeroPoint(n *graphops.Node) (t *graphops.Tensor, stated bool) {
	at := weightPlaces[n.OpType()].zeroPoint
	if at >= len(n.Inputs()) || n.Inputs()[at] == "" {
		return nil, false
	}
	if t = s.constants[n.Inputs()[at]]; t != nil && t.DType() != tensor.I8 {
		return nil, true
	}
	return t, true
}

// shift converts an int8 tensor to uint8 and adds 128 to each element.
func (s *shifter) shift(t *graphops.Tensor) (*graphops.Tensor, error) {
	x, err := t.Read()
	if err != nil {
		return nil, err
	}
	return graphops.NewTensorOf(t.Name(), moved(x)), nil
}

func moved(x tensor.Tensor) tensor.Tensor {
	data := slices.Clone(x.Data)
	for i := range data {
		data[i] ^= 0x80
	}
	return tensor.Tensor{DType: tensor.U8, Shape: x.Shape, Data: data}
}

// withZeroPoint returns the node with a zero point of its own for the weight, increased by 128.
func (s *shifter) withZeroPoint(n *graphops.Node) (*graphops.Node, error) {
	at := weightPlaces[n.OpType()].zeroPoint
	zero := tensor.Tensor{DType: tensor.I8, Data: []byte{0}}
	if t, _ := s.zeroPoint(n); t != nil {
		x, err := t.Read()
		if err != nil {
			return nil, err
		}
		zero = x
	} else if n.OpType() == "DequantizeLinear" {
		zero.Shape = s.constants[n.Input(1)].Dims()
		count, _ := tensor.Elements(zero.Shape)
		zero.Data = make([]byte, count)
	}
	name := s.e.Names().Value(n.Output(0) + "_zero_point")
	s.e.Initializers = append(s.e.Initializers, graphops.NewTensorOf(name, moved(zero)))
	inputs := slices.Clone(n.Inputs())
	for len(inputs) <= at {
		inputs = append(inputs, "")
	}
	inputs[at] = name
	return n.WithInputs(inputs), nil
}
