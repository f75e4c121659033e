package simplify

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// absorb merges node n into the weights and bias of the layer before it. n scales or shifts the
// layer's channels, as a describes. If it cannot be merged, absorb changes nothing and returns the
// reason.
func (j *job) absorb(l *layer, n *rewrite.Node, a affine) (why string) {
	if l.out.Reader() != n || l.node.Graph() != n.Graph() {
		return "other nodes also read its input"
	}
	if crowded(l.node) {
		return tooMany
	}
	bias, why := l.shifted(a)
	if why != "" {
		return why
	}
	growth := -freed(n)
	if a.scale != nil {
		growth += cost(l.weights(), l.weights().Constant(), n)
	}
	if bias != nil {
		growth += cost(l.addend(), bias, n)
	}
	if !j.grow(growth) {
		return tooLarge(growth)
	}
	var weight *scaledWeight
	if a.scale != nil {
		weight, why = j.scaled(l.weights(), l.parts, all(a.scale, l.channels, 1))
	}
	if why == "" && !n.Out(0).ReplaceWith(l.out) {
		why = "its output is an output of the graph that cannot be replaced"
	}
	if why != "" {
		j.grow(-growth)
		return why
	}
	l.node.Stands(n)
	n.Remove()
	if weight != nil {
		l.node.SetInput(l.weight, j.putScaled(l.weights(), weight))
	}
	if bias != nil {
		l.setBias(bias)
	}
	return ""
}

// maxStands is the maximum number of original nodes that one node may stand for after others were
// merged into it. Each change lists all of them, so the time for longer chains, which do not occur
// in real models, would grow with the square of their length.
const maxStands = 256

const tooMany = "the neighbouring node already replaces the maximum number of nodes"

// crowded reports whether a node already stands for the maximum number of original nodes
// (maxStands).
func crowded(n *rewrite.Node) bool { return n.From().AtLeast(maxStands) }

// tooLarge returns the reason for not changing a node if constants must not grow by this number of
// bytes.
func tooLarge(growth int64) string {
	return fmt.Sprintf("constants that are also read elsewhere would be stored twice, or become larger: %d bytes more than allowed", growth)
}

// cost returns by how many bytes constants grow if t replaces old and node gone is removed. old
// may be nil, or a constant that other nodes read too.
func cost(old *rewrite.Value, t *graphops.Tensor, gone *rewrite.Node) int64 {
	size, _ := t.ByteLen()
	if c := old.Constant(); c != nil && old.Uses() == 1+gone.Reads(old) {
		was, _ := c.ByteLen()
		size -= was
	}
	return size
}

// freed returns the size of the constants that nothing reads after node n is removed.
func freed(n *rewrite.Node) int64 {
	total := int64(0)
	for i, v := range n.Inputs() {
		if c := v.Constant(); c != nil && v.Uses() == n.Reads(v) && !slices.Contains(n.Inputs()[:i], v) {
			size, _ := c.ByteLen()
			total += size
		}
	}
	return total
}

// put replaces the constant old by the tensor t, and returns the new value. If nothing else reads
// old, it is changed itself, so that the name is kept.
func put(old *rewrite.Value, t *graphops.Tensor) *rewrite.Value {
	if old.Uses() == 1 && !old.IsInput() {
		old.Put(t)
		return old
	}
	return old.Graph().NewStored(t.WithName(old.Name()))
}

// scaledWeight is a constant multiplied by one factor for each of its channels.
type scaledWeight struct {
	source     graphops.Payload
	dtype      tensor.DType
	dims       []int64
	parts      tensor.ChannelGroups
	magnitudes []float64 // of the source's channels
	by         []float64
}

// scaled multiplies the channels of a constant, or returns the reason why it cannot. A constant
// that was already scaled is computed again from its source, so that elements are rounded only
// once.
func (j *job) scaled(v *rewrite.Value, parts tensor.ChannelGroups, by []float64) (w *scaledWeight, why string) {
	before, err := j.measured(v.Constant(), parts, len(by))
	if err != nil {
		return nil, "its weights cannot be read: " + err.Error()
	}
	copied := *before
	copied.by = make([]float64, len(by))
	for i := range by {
		copied.by[i] = before.by[i] * by[i]
	}
	if err := tensor.CheckScaled(copied.dtype, copied.magnitudes, copied.by); err != nil {
		return nil, "it cannot be merged into the weights: " + err.Error()
	}
	return &copied, ""
}

// measured returns a constant as a scaledWeight with its magnitudes. It reads the constant only
// once, even if several changes of it are tried.
func (j *job) measured(c *graphops.Tensor, parts tensor.ChannelGroups, channels int) (*scaledWeight, error) {
	if w := j.scaledWeights[c]; w != nil && w.parts == parts {
		return w, nil
	}
	data, err := c.Data()
	if err != nil {
		return nil, err
	}
	w := unscaled(c, data, parts, channels)
	if m := j.measuring[c]; m != nil && m.weight.parts == parts && m.channels == int64(channels) {
		w.magnitudes, err = m.read(j.ctx)
	} else {
		w.magnitudes, err = magnitudes(j.ctx, w, int64(channels))
	}
	if err != nil {
		return nil, err
	}
	j.remember(c, w)
	return w, nil
}

// unscaled returns a constant as a scaledWeight with factors of 1. Its magnitudes are not yet
// known.
func unscaled(c *graphops.Tensor, data graphops.Payload, parts tensor.ChannelGroups, channels int) *scaledWeight {
	return &scaledWeight{source: data, dtype: c.DType(), dims: c.Dims(), parts: parts, by: all(nil, channels, 1)}
}

// magnitudes reads a weight and returns the largest magnitude of each channel.
func magnitudes(ctx context.Context, w *scaledWeight, channels int64) ([]float64, error) {
	n := product(w.dims)
	if _, _, inFile := w.source.Location(); inFile {
		if anywhere, ok := w.source.Reader().(io.ReaderAt); ok {
			width := int64(w.dtype.Bits() / 8)
			return tensor.ChannelMagnitudesIn(func(at, n int64) io.Reader {
				return contextReader{ctx, io.NewSectionReader(anywhere, at*width, n*width)}
			}, w.dtype, n, w.parts, channels)
		}
	}
	src := streamed(w.source)
	defer src.Close()
	return tensor.ChannelMagnitudes(contextReader{ctx, src}, w.dtype, n, w.parts, channels)
}

func (j *job) remember(c *graphops.Tensor, w *scaledWeight) {
	if j.scaledWeights == nil {
		j.scaledWeights = map[*graphops.Tensor]*scaledWeight{}
	}
	j.scaledWeights[c] = w
}

// putScaled replaces a constant by the scaled weight that was made from it.
func (j *job) putScaled(old *rewrite.Value, w *scaledWeight) *rewrite.Value {
	v := put(old, graphops.NewTensor(old.Name(), w.dtype, w.dims, w.payload()))
	j.remember(v.Constant(), w)
	return v
}

// payload returns the elements, which are computed each time they are read.
func (w *scaledWeight) payload() graphops.Payload {
	return graphops.TransformPayload(w.source.Len(), func(to io.Writer) error {
		return ahead(to, w.source.Len(), func(to io.Writer) error {
			src := streamed(w.source)
			defer src.Close()
			return tensor.Scale(to, src, w.dtype, product(w.dims), w.parts, w.by)
		})
	})
}

// streamed reads a payload, which may be computed, without keeping it in memory. Close ends the
// computation.
func streamed(p graphops.Payload) io.ReadCloser {
	if _, _, inFile := p.Location(); inFile {
		return io.NopCloser(p.Reader())
	}
	if _, held := p.InMemory(); held {
		return io.NopCloser(p.Reader())
	}
	r, w := io.Pipe()
	go func() {
		_, err := p.WriteTo(w)
		w.CloseWithError(err)
	}()
	return r
}

// contextReader fails if its context is cancelled, because reading a weight can take seconds.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// shifted returns the layer's bias after a is merged into it, or nil if the bias does not change.
// If a cannot be merged, it returns the reason.
func (l *layer) shifted(a affine) (bias *graphops.Tensor, why string) {
	old := l.addend()
	if old == nil && a.shift == nil {
		return nil, ""
	}
	if l.biased == nil && !l.canBeGemm() {
		return nil, "there is no bias to add it to"
	}
	list, d := all(a.shift, l.channels, 0), l.weights().Constant().DType()
	if old != nil {
		had := l.biasNumbers()
		if had == nil {
			return nil, "its bias is not a constant with a number for each channel"
		}
		d = old.Constant().DType()
		for i := range list {
			list[i] += l.beta * at(had, i, 0) * at(a.scale, i, 1)
		}
	}
	t, err := tensor.FromFloat64s(d, list, int64(l.channels))
	if err != nil {
		return nil, "it cannot be merged into the bias: " + err.Error()
	}
	held, err := t.Float64s()
	if err != nil {
		return nil, "it cannot be merged into the bias: " + err.Error()
	}
	for i, x := range held {
		if x-x != 0 {
			return nil, fmt.Sprintf("its bias would be %v in channel %d", list[i], i)
		}
	}
	return graphops.NewTensorOf(l.biasName(), t), ""
}

// biasNumbers returns the numbers of the bias, one for all channels or one for each.
func (l *layer) biasNumbers() []float64 {
	if l.biased.Is("Gemm", "Add") {
		return l.perChannel(l.addend())
	}
	t, ok := l.addend().Small(int64(l.channels))
	if !ok || len(t.Shape) != 1 || t.Shape[0] != int64(l.channels) || t.DType.Kind() != tensor.KindFloat {
		return nil
	}
	list, err := t.Float64s()
	if err != nil {
		return nil
	}
	return list
}

// biasName returns a name for a new bias.
func (l *layer) biasName() string {
	name := l.weights().Name()
	if stem, ok := strings.CutSuffix(name, "weight"); ok {
		return stem + "bias"
	}
	return name + "_bias"
}

// setBias sets the layer's bias. A MatMul becomes a Gemm, which has an input for it.
func (l *layer) setBias(t *graphops.Tensor) {
	if l.biased == nil {
		l.becomeGemm()
	}
	var v *rewrite.Value
	if old := l.addend(); old != nil {
		v = put(old, t)
	} else {
		v = l.weights().Graph().NewStored(t)
	}
	l.biased.SetInput(l.bias, v)
	if l.beta != 1 {
		l.biased.SetAttribute(graphops.FloatAttribute("beta", 1))
	}
}

// canBeGemm reports whether the layer is a product of two matrices, which a Gemm can compute.
func (l *layer) canBeGemm() bool {
	return l.node.Is("MatMul") && l.rank == 2 && gemmTakes(l.node)
}

// becomeGemm replaces a MatMul by a Gemm.
func (l *layer) becomeGemm() {
	old := l.node
	n := old.Graph().Insert(old, rewrite.Spec{Op: "Gemm", Inputs: old.Inputs(), Types: typesOf(old), For: []*rewrite.Node{old}})
	old.Out(0).ReplaceWith(n.Out(0))
	old.Remove()
	l.node, l.out, l.biased, l.bias, l.beta = n, n.Out(0), n, 2, 1
}
