package architecture

import "lathe/graphops"

// normNodes marks the nodes of normalizations, also of those that several nodes make.
func (f *finder) normNodes() []bool {
	out := make([]bool, len(f.nodes))
	for i, n := range f.nodes {
		if _, ok := norms[n.OpType()]; ok {
			out[i] = true
			continue
		}
		l := layer{finder: f}
		if l.writtenNorm(n); l.Norm != "" {
			f.markNorm(out, int32(i))
		}
	}
	return out
}

// The nodes of a normalization before and after the root.
var (
	beforeRoot = map[string]bool{"Add": true, "ReduceMean": true, "Pow": true, "Mul": true, "Sub": true, "Cast": true}
	afterRoot  = map[string]bool{"Div": true, "Reciprocal": true, "Mul": true, "Cast": true}
)

// markNorm marks the nodes around the root of a normalization: back to the mean of squares and what
// is subtracted, and forward as long as stored weights are multiplied or added.
func (f *finder) markNorm(out []bool, root int32) {
	out[root] = true
	at := root
	for range 6 {
		made := f.makers(at)
		if len(made) == 0 || !beforeRoot[f.nodes[made[0]].OpType()] {
			break
		}
		square := f.nodes[at].Is("ReduceMean")
		at = made[0]
		out[at] = true
		if square && !f.nodes[at].Is("Cast") {
			f.markCentre(out, at)
			break
		}
	}
	next := []int32{root}
	for visited := 0; len(next) > 0 && visited < maxNorm; visited++ {
		for _, r := range f.readers(next[0]) {
			if !out[r] && f.endsNorm(out, f.nodes[r]) {
				out[r] = true
				next = append(next, r)
			}
		}
		next = next[1:]
	}
}

// maxNorm limits how many nodes after the root of a normalization are followed.
const maxNorm = 8

// endsNorm reports whether a node after the root belongs to the normalization: it scales, or it adds
// or subtracts stored weights and what belongs to it.
func (f *finder) endsNorm(norm []bool, n *graphops.Node) bool {
	if n.Is("Add") || n.Is("Sub") {
		for i := range n.Inputs() {
			id := f.in(n, i)
			if p := f.producerOf(id); f.stored(id) == nil && (p < 0 || !norm[p]) {
				return false
			}
		}
		return true
	}
	return afterRoot[n.OpType()]
}

// markCentre marks the subtraction of the mean, if there is one before the square.
func (f *finder) markCentre(out []bool, square int32) {
	for _, i := range f.makers(square) {
		for range 2 {
			switch n := f.nodes[i]; {
			case n.Is("Cast"):
				if made := f.makers(i); len(made) > 0 {
					i = made[0]
				}
			case n.Is("Sub"):
				out[i] = true
				for _, m := range f.makers(i) {
					out[m] = out[m] || f.nodes[m].Is("ReduceMean")
				}
			}
		}
	}
}
