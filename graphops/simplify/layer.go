package simplify

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// maxChannels is the maximum number of channels of a layer into whose weights factors are
// merged, because the factors are in memory.
const maxChannels = 1 << 20

// layer is a Conv, ConvTranspose, Gemm, MatMul or BatchNormalization with constant weights. A
// factor or summand for each channel of its output can be merged into its weights and bias.
type layer struct {
	node   *rewrite.Node // the node that reads the weights
	weight int           // index of the weights among its inputs
	out    *rewrite.Value
	// biased is the node whose input number bias is the bias: node itself, or the Add after it. It
	// is nil if the layer cannot have a bias.
	biased *rewrite.Node
	bias   int
	beta   float64 // factor of the bias
	// channels is the number of channels of the output, and axis their axis, counted from the
	// end with 1 for the last. rank is the rank of the output, 0 if unknown.
	channels, axis, rank int
	parts                tensor.ChannelGroups // of the weights
}

// weights returns the constant factor of the layer.
func (l *layer) weights() *rewrite.Value { return l.node.In(l.weight) }

// addend returns the bias, or nil.
func (l *layer) addend() *rewrite.Value {
	if l.biased == nil {
		return nil
	}
	return l.biased.In(l.bias)
}

// layerOf returns the layer that produces a value, or nil.
func layerOf(v *rewrite.Value) *layer {
	n := v.Producer()
	if n == nil || n.Out(0) != v {
		return nil
	}
	var l *layer
	switch {
	case n.Is("Conv"):
		l = convOf(n)
	case n.Is("ConvTranspose"):
		l = convTransposeOf(n)
	case n.Is("Gemm"):
		l = gemmOf(n)
	case n.Is("MatMul"):
		l = matMulOf(n)
	case n.Is("BatchNormalization"):
		l = batchNormOf(n)
	case n.Is("Add"):
		return biasedMatMulOf(n)
	}
	if l == nil || l.channels > maxChannels {
		return nil
	}
	l.out = v
	return l
}

// kernel returns the sizes of a node's weight. It returns nil unless the weight is a float constant
// with elements and with a rank in the given range.
func kernel(n *rewrite.Node, least, most int) []int64 {
	c := n.In(1).Constant()
	if c == nil || len(c.Dims()) < least || len(c.Dims()) > most || slices.Contains(c.Dims(), 0) {
		return nil
	}
	switch c.DType() {
	case tensor.F16, tensor.BF16, tensor.F32, tensor.F64:
	default:
		return nil
	}
	if _, err := c.Elements(); err != nil {
		return nil
	}
	return c.Dims()
}

// maxRank is above the rank of any kernel that a runtime supports.
const maxRank = 16

func product(dims []int64) int64 {
	out := int64(1)
	for _, d := range dims {
		out *= d
	}
	return out
}

// convOf returns a Conv as a layer. Its weights are M×C/group×kernel.
func convOf(n *rewrite.Node) *layer {
	d := kernel(n, 3, maxRank)
	if d == nil || d[0] > maxChannels {
		return nil
	}
	return &layer{
		node: n, weight: 1, biased: n, bias: 2, beta: 1,
		channels: int(d[0]), axis: len(d) - 1, rank: len(d),
		parts: tensor.OneGroup(tensor.ChannelsAlong(d, 0), product(d)),
	}
}

// convTransposeOf returns a ConvTranspose as a layer. Its weights are C×M/group×kernel. The input
// channels of a group are a part of C.
func convTransposeOf(n *rewrite.Node) *layer {
	d, groups := kernel(n, 3, maxRank), n.Int("group", 1)
	if d == nil || groups < 1 || groups > d[0] || d[0]%groups != 0 || groups > maxChannels || d[1] > maxChannels {
		return nil
	}
	return &layer{
		node: n, weight: 1, biased: n, bias: 2, beta: 1,
		channels: int(groups * d[1]), axis: len(d) - 1, rank: len(d),
		parts: tensor.ChannelGroups{Channels: tensor.ChannelsAlong(d, 1), Size: product(d) / groups},
	}
}

// gemmOf returns a Gemm with constant B as a layer. B is K×N, or N×K with transB. Before version 7,
// broadcasting C was optional.
func gemmOf(n *rewrite.Node) *layer {
	d := kernel(n, 2, 2)
	if d == nil || n.Graph().Opset(graphops.DefaultDomain) < 7 {
		return nil
	}
	axis := 1
	if n.Int("transB", 0) != 0 {
		axis = 0
	}
	if d[axis] > maxChannels {
		return nil
	}
	return &layer{
		node: n, weight: 1, biased: n, bias: 2, beta: float64(n.Float("beta", 1)),
		channels: int(d[axis]), axis: 1, rank: 2,
		parts: tensor.OneGroup(tensor.ChannelsAlong(d, axis), product(d)),
	}
}

// matMulOf returns a MatMul as a layer if its second factor is a constant matrix.
func matMulOf(n *rewrite.Node) *layer {
	d := kernel(n, 2, 2)
	if d == nil || d[1] > maxChannels {
		return nil
	}
	return &layer{
		node: n, weight: 1, channels: int(d[1]), axis: 1, rank: len(n.Out(0).Type().Dims),
		parts: tensor.OneGroup(tensor.ChannelsAlong(d, 1), product(d)),
	}
}

// biasedMatMulOf returns a MatMul and the Add of a constant after it as one layer.
func biasedMatMulOf(add *rewrite.Node) *layer {
	for i := range 2 {
		product, bias := add.In(i), add.In(1-i)
		if bias.Constant() == nil || !product.Producer().Is("MatMul") || product.Reader() != add || product.Producer().Graph() != add.Graph() {
			continue
		}
		l := layerOf(product)
		if l == nil || l.perChannel(bias) == nil {
			continue
		}
		l.out, l.biased, l.bias, l.beta = add.Out(0), add, 1-i, 1
		return l
	}
	return nil
}

// batchNormOf returns a BatchNormalization as a layer. Its scale counts as the weights.
func batchNormOf(n *rewrite.Node) *layer {
	d, rank := kernel(n, 1, 1), len(n.In(0).Type().Dims)
	if d == nil || d[0] > maxChannels || rank < 2 || n.In(2).Constant() == nil || trains(n) != "" {
		return nil
	}
	return &layer{
		node: n, weight: 1, biased: n, bias: 2, beta: 1,
		channels: int(d[0]), axis: rank - 1, rank: rank,
		parts: tensor.OneGroup(tensor.ChannelsAlong(d, 0), d[0]),
	}
}

// perChannel returns the numbers of a constant that has one number for all channels of the
// layer's output, or one for each. It returns nil for other constants, including those with more
// axes than the output, which would add axes to it.
func (l *layer) perChannel(v *rewrite.Value) []float64 {
	c := v.Constant()
	if c == nil || c.DType().Kind() != tensor.KindFloat || len(c.Dims()) > max(l.rank, 1) {
		return nil
	}
	n := 1
	for i, d := range c.Dims() {
		switch {
		case d == 1:
		case len(c.Dims())-i == l.axis && d == int64(l.channels):
			n = l.channels
		default:
			return nil
		}
	}
	t, ok := v.Small(int64(n))
	if !ok {
		return nil
	}
	list, err := t.Float64s()
	if err != nil {
		return nil
	}
	return list
}
