package simplify

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// isComputed reports whether a node may be folded: its result depends only on its inputs, it
// produces tensors, and storing its results is better than storing its inputs.
func isComputed(n *rewrite.Node) bool {
	for i := range n.OutputCount() {
		if v := n.Out(i); v != nil && v.Type().Kind != graphops.TypeTensor {
			return false
		}
	}
	return mayBeComputed(n)
}

// mayBeComputed is the part of isComputed that can be decided before types are known.
func mayBeComputed(n *rewrite.Node) bool {
	if !n.Is(n.Op()) && !n.IsOf("ai.onnx.ml", n.Op()) || n.Schema() == nil || len(n.Bodies()) > 0 || n.Op() == "Constant" || isRandom(n) || departs(n) {
		return false
	}
	if !n.IsUsed() || n.Op() == "DequantizeLinear" {
		return false
	}
	for i := range n.InputCount() {
		if isPacked(n.In(i)) {
			return false
		}
	}
	return true
}

// isPacked reports whether a value's elements are smaller than one byte. Every node that reads
// them makes them larger.
func isPacked(v *rewrite.Value) bool {
	bits := v.Type().Elem.Bits()
	return bits > 0 && bits < 8
}

// isRandom reports whether two runs of a node may give different results, even if it has
// attributes that would prevent this.
func isRandom(n *rewrite.Node) bool {
	switch n.Op() {
	case "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli", "Dropout":
		return true
	}
	return false
}

const (
	// maxComputed is the maximum size of an intermediate value in bytes.
	maxComputed = 512 << 20
	// maxTogether is the maximum total size of the values of a run in bytes.
	maxTogether = 8 << 30
	// maxAtOnce is the size of inputs and outputs from which no more nodes are added to a run,
	// because the runtime keeps all of them in memory.
	maxAtOnce = 32 << 20
	// maxKept is the maximum size in bytes of a value that becomes a constant. One value at a
	// time is in memory.
	maxKept = 128 << 20
)

// shrinking are operators whose result has an unknown size before they run, but at most 8 bytes
// per axis for each element that they read.
var shrinking = []string{"NonZero", "Unique", "Compress", "NonMaxSuppression", "StringSplit"}

// bounded reports whether the sizes of a node's outputs are known and not too large. If staged is
// set, some inputs come from other nodes that will be folded. An unknown size is then accepted,
// because it may become known when these are constants.
func (f *folding) bounded(n *rewrite.Node, staged bool) bool {
	total := f.computed
	most := int64(maxTogether)
	if f.exact {
		most = maxExact - f.exactBytes
	}
	for _, v := range n.Outputs() {
		if v == nil {
			continue
		}
		bytes, ok := bytesOf(v)
		switch {
		case !ok && !staged && slices.Contains(shrinking, n.Op()):
		case !ok && !staged:
			f.leave(n, "the size of its result is not known before it is computed")
			return false
		case !ok:
			return false
		case bytes > maxComputed && !f.exact:
			f.refuse(n, fmt.Sprintf("its result has %d bytes; at most %d are computed in advance", bytes, maxComputed))
			return false
		case total > most-bytes:
			f.leave(n, fmt.Sprintf("with its %d bytes, what is computed in advance would exceed the limit of %d bytes", bytes, most))
			return false
		default:
			total += bytes
		}
	}
	f.computed = total
	return true
}

// bytesOf returns the size of a tensor. A string counts as 16 bytes.
func bytesOf(v *rewrite.Value) (int64, bool) {
	dims, ok := fixedDims(v)
	if !ok {
		return 0, false
	}
	n, err := tensor.Elements(dims)
	if err != nil {
		return 0, false
	}
	if v.Type().Elem == tensor.String {
		return min(n, 1<<50) * 16, true
	}
	size, err := v.Type().Elem.ByteLen(n)
	return size, err == nil && v.Type().Elem != tensor.Undefined
}
