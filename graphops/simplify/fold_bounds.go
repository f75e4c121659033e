package simplify

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// isComputed reports whether a node is one of an operator whose result depends on
// its inputs alone, that makes tensors, and whose constants are better kept as its
// results than as its inputs.
func isComputed(n *rewrite.Node) bool {
	for _, v := range n.Outputs() {
		if v != nil && v.Type().Kind != graphops.TypeTensor {
			return false
		}
	}
	return mayBeComputed(n)
}

// mayBeComputed is isComputed as far as it can be told before types are known.
func mayBeComputed(n *rewrite.Node) bool {
	if !n.Is(n.Op()) && !n.IsOf("ai.onnx.ml", n.Op()) || n.Schema() == nil || len(n.Bodies()) > 0 || n.Op() == "Constant" || isRandom(n) || departs(n) {
		return false
	}
	used := slices.ContainsFunc(n.Outputs(), func(v *rewrite.Value) bool { return v != nil && v.Uses() > 0 })
	return used && n.Op() != "DequantizeLinear" && !slices.ContainsFunc(n.Inputs(), isPacked)
}

// isPacked reports whether elements of a value are smaller than a byte: whatever
// reads them makes them larger.
func isPacked(v *rewrite.Value) bool {
	bits := v.Type().Elem.Bits()
	return bits > 0 && bits < 8
}

// isRandom reports whether two runs of a node may give different results, though
// there are attributes with which they would not.
func isRandom(n *rewrite.Node) bool {
	switch n.Op() {
	case "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli", "Dropout":
		return true
	}
	return false
}

const (
	// maxComputed is how many bytes a value may have that is made on the way.
	maxComputed = 512 << 20
	// maxTogether is how many bytes all values of a run may have.
	maxTogether = 8 << 30
	// maxAtOnce is from how many bytes on, read and made, nodes are no more added to a
	// run: the runtime holds all of them.
	maxAtOnce = 32 << 20
	// maxKept is how many bytes a value may have that becomes a constant: one is in
	// memory at a time.
	maxKept = 128 << 20
)

// shrinking are operators of which it is not known how large their result is before
// they have run, but never is it larger than 8 bytes for each axis of each element
// that they read.
var shrinking = []string{"NonZero", "Unique", "Compress", "NonMaxSuppression", "StringSplit"}

// bounded reports whether what a node makes is known to fit into memory. A size that
// is not known may be known when its inputs, which other nodes make (staged), are
// constants.
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
			f.leave(n, "how large its result is cannot be told before it is computed")
			return false
		case !ok:
			return false
		case bytes > maxComputed && !f.exact:
			f.refuse(n, fmt.Sprintf("its result has %d bytes; up to %d are computed ahead", bytes, maxComputed))
			return false
		case total > most-bytes:
			f.leave(n, fmt.Sprintf("with its %d bytes there would be more than the %d that are computed ahead together", bytes, most))
			return false
		default:
			total += bytes
		}
	}
	f.computed = total
	return true
}

// bytesOf is the size of a tensor; strings are taken to have 16 bytes.
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
