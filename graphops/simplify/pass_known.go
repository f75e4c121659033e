package simplify

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

// freeBytes is the size up to which a constant is not larger than the node that it replaces.
const freeBytes = 64

// growFor reserves space for a constant that replaces a node's output.
func (j *job) growFor(bytes int64) bool { return bytes <= freeBytes || j.grow(bytes) }

var knownValues = &pass{
	name:   "known-values",
	title:  "integers and booleans that are the same in every run become constants",
	reason: "they follow from constants and from known sizes",
	node: func(j *job, n *rewrite.Node) string {
		made := 0
		for _, v := range n.Outputs() {
			if !v.IsUsed() {
				continue
			}
			t, ok := v.Known().Constant()
			if !ok {
				continue
			}
			if bytes := int64(len(t.Data)); !j.growFor(bytes) {
				j.refuse(n, fmt.Sprintf("its value is known, but constants may not grow by %d more bytes", bytes))
			} else if v.Become(graphops.NewTensorOf(v.Name(), t)) {
				made++
			}
		}
		return madeConstant(n, made)
	},
}

// madeConstant removes a node that is no longer used after some of its outputs became constants,
// and says what happened.
func madeConstant(n *rewrite.Node, made int) string {
	if made == 0 {
		return ""
	}
	if n.IsUsed() {
		return counted(made, "output became a constant", "outputs became constants")
	}
	n.Remove()
	return "became a constant"
}
