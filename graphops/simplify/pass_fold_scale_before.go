package simplify

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

var foldScaleBefore = &pass{
	name:   "fold-scale-before",
	title:  "a Mul or Div by a constant before a convolution becomes part of its weights",
	reason: "scaling an input channel is the same as scaling all weights that it is multiplied with, and the zeros around the image stay zeros; only rounding differs",
	after:  []string{"fold-scale"},
	ops:    []string{"Conv", "ConvTranspose"},
	node: func(j *job, n *rewrite.Node) string {
		if !n.Is("Conv", "ConvTranspose") || n.Out(0) == nil || n.In(0) == nil {
			return ""
		}
		count := 0
		for j.scaleBefore(n) {
			count++
		}
		if count == 0 {
			return ""
		}
		return "into " + n.Op()
	},
}

// scaleBefore merges one multiplication before a convolution into its weights.
func (j *job) scaleBefore(n *rewrite.Node) bool {
	m := n.In(0).Producer()
	if !m.Is("Mul", "Div") || len(m.Inputs()) != 2 || m.Graph() != n.Graph() || m.Graph().Opset(graphops.DefaultDomain) < 7 {
		return false
	}
	l := layerOf(n.Out(0))
	if l == nil {
		return false
	}
	x, c := m.In(0), m.In(1)
	if m.Op() == "Mul" && c.Constant() == nil {
		x, c = c, x
	}
	if x == nil || c.Constant() == nil {
		return false
	}
	parts, by := l.perInputChannel(x, c)
	if by == nil {
		j.refuse(m, "its constant is not one number for each channel of the image")
		return false
	}
	if m.Op() == "Div" {
		for i, f := range by {
			by[i] = 1 / f
		}
	}
	if why := j.absorbBefore(l, m, x, parts, by); why != "" {
		j.refuse(m, why)
		return false
	}
	return true
}

// absorbBefore makes a convolution read x instead of m's output and scales its weights.
func (j *job) absorbBefore(l *layer, m *rewrite.Node, x *rewrite.Value, parts tensor.ChannelGroups, by []float64) (why string) {
	if m.Out(0).Reader() != l.node {
		return "its output is also read elsewhere"
	}
	if crowded(l.node) {
		return tooMany
	}
	growth := cost(l.weights(), l.weights().Constant(), m) - freed(m)
	if !j.grow(growth) {
		return tooLarge(growth)
	}
	w, why := j.scaled(l.weights(), parts, by)
	if why != "" {
		j.grow(-growth)
		return why
	}
	l.node.SetInput(0, x)
	l.node.Stands(m)
	m.Remove()
	l.node.SetInput(l.weight, j.putScaled(l.weights(), w))
	return ""
}

// perInputChannel returns the numbers of a constant that has one number for each channel of the
// image x, and the parts of the weights that are multiplied with them. It returns nil for a
// constant that does anything else or could change the shape of x.
func (l *layer) perInputChannel(x, v *rewrite.Value) (tensor.ChannelGroups, []float64) {
	d := l.weights().Constant().Dims()
	groups := l.node.Int("group", 1)
	inner, channels := product(d[2:]), d[0]
	parts := tensor.ChannelGroups{Channels: tensor.Channels{Count: d[0], Inner: d[1] * inner}, Size: product(d)}
	if l.node.Op() == "Conv" {
		if groups < 1 || d[0]%groups != 0 || d[1] > maxChannels/min(groups, maxChannels) {
			return parts, nil
		}
		channels = d[1] * groups
		parts = tensor.ChannelGroups{Channels: tensor.Channels{Count: d[1], Inner: inner}, Size: product(d) / groups}
	}
	image := &layer{channels: int(channels), axis: l.axis, rank: l.rank}
	list := image.perChannel(v)
	shape := x.Type().Dims
	if list == nil || len(shape) != l.rank || channels > maxChannels {
		return parts, nil
	}
	if len(list) == 1 {
		return l.parts, all(list, l.channels, 1)
	}
	if !shape[1].Is(channels) {
		return parts, nil
	}
	return parts, slices.Clone(list)
}
