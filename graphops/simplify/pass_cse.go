package simplify

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"strings"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

var commonSubexpressions = &pass{
	name:   "common-subexpressions",
	title:  "a node that computes what an earlier one does is removed",
	reason: "the same operator with the same attributes gives the same result for the same inputs",
	model: func(j *job) error {
		c := &commons{job: j, seed: maphash.MakeSeed(), texts: map[*rewrite.Node]string{}}
		for _, g := range j.m.Graphs() {
			if g.Holder() == nil {
				c.graph(g, nil)
			}
		}
		return nil
	},
}

// commons finds nodes that compute the same, for one run of the pass.
type commons struct {
	*job
	seed  maphash.Seed
	texts map[*rewrite.Node]string
	// entries are the earlier nodes of all graphs.
	entries []commonEntry
}

// commonEntry is an earlier node, with the index of the next one that looks the same, or -1.
type commonEntry struct {
	node *rewrite.Node
	next int32
}

// commonSeen has the earlier nodes of a graph and of the graphs that enclose it, by a checksum of
// operator and inputs, in order to find a node that computes the same.
type commonSeen struct {
	around *commonSeen
	nodes  map[uint64]commonRow
}

// commonRow are nodes with the same checksum, as indices into the entries.
type commonRow struct{ first, last, count int32 }

// maxAlike is the maximum number of nodes with the same operator and inputs that a node is
// compared with.
const maxAlike = 64

func (c *commons) graph(g *rewrite.Graph, around *commonSeen) {
	seen := &commonSeen{around, map[uint64]commonRow{}}
	for n := range g.Nodes() {
		for _, b := range n.Bodies() {
			c.graph(b, seen)
		}
		if !isRepeatable(n) {
			continue
		}
		key := c.key(n)
		if first := c.find(seen, key, n); first != nil {
			c.merge(n, first)
			continue
		}
		c.add(seen, key, n)
	}
}

// merge makes all readers use the earlier node's values and removes the later node.
func (c *commons) merge(n, first *rewrite.Node) {
	changed := false
	for i, v := range n.Outputs() {
		if v.IsUsed() {
			changed = v.ReplaceWith(first.Out(i)) || changed
		}
	}
	if !changed {
		return
	}
	if !n.IsUsed() {
		n.Remove()
	}
	c.did(fmt.Sprintf("it computes the same as %q", first.Out(0).Name()))
}

// isRepeatable reports whether running a node twice gives the same result: its operator is known
// and not random.
func isRepeatable(n *rewrite.Node) bool {
	return !n.IsCall() && n.Schema() != nil && len(n.Bodies()) == 0 && !isRandom(n) && n.Out(0) != nil &&
		(n.Domain() == graphops.DefaultDomain || n.Domain() == "ai.onnx.ml" || n.Domain() == microsoft && !drawsAtRandom(n.Op()))
}

// drawsAtRandom reports whether an operator of com.microsoft may be random, or may modify a cache
// that is its input. Such nodes must not be merged.
func drawsAtRandom(op string) bool {
	for _, part := range []string{"Dropout", "Sampling", "Search", "PagedAttention", "EPContext", "Snpe"} {
		if strings.Contains(op, part) {
			return true
		}
	}
	return false
}

// add adds a node to those that later ones are compared with.
func (c *commons) add(seen *commonSeen, key uint64, n *rewrite.Node) {
	row, ok := seen.nodes[key]
	if row.count >= maxAlike {
		return
	}
	at := int32(len(c.entries))
	c.entries = append(c.entries, commonEntry{n, -1})
	if ok {
		c.entries[row.last].next = at
	} else {
		row.first = at
	}
	row.last = at
	row.count++
	seen.nodes[key] = row
}

// key is a checksum of the operator, the inputs and the number of outputs.
func (c *commons) key(n *rewrite.Node) uint64 {
	key := maphash.String(c.seed, n.Op()) ^ maphash.String(c.seed, n.Domain())<<1
	mix := func(x int) { key = bits.RotateLeft64(key^uint64(x), 29) * 0x9e3779b97f4a7c15 }
	mix(n.OutputCount())
	for i := range n.InputCount() {
		if v := n.In(i); v != nil {
			mix(v.ID() + 1)
		} else {
			mix(0)
		}
	}
	return key
}

// looksLike reports whether two nodes have the same operator, inputs and number of outputs.
func looksLike(a, b *rewrite.Node) bool {
	if a.Op() != b.Op() || a.Domain() != b.Domain() || a.InputCount() != b.InputCount() || a.OutputCount() != b.OutputCount() {
		return false
	}
	for i := range a.InputCount() {
		if a.In(i) != b.In(i) {
			return false
		}
	}
	return true
}

// find returns an earlier node with the same key and attributes that produces all needed
// outputs.
func (c *commons) find(seen *commonSeen, key uint64, n *rewrite.Node) *rewrite.Node {
	for ; seen != nil; seen = seen.around {
		row, ok := seen.nodes[key]
		if !ok {
			continue
		}
		for at := row.first; at >= 0; at = c.entries[at].next {
			first := c.entries[at].node
			if looksLike(first, n) && makesAsMuch(first, n) && c.attributes(first) == c.attributes(n) && c.attributes(n) != "" {
				return first
			}
		}
	}
	return nil
}

func makesAsMuch(first, n *rewrite.Node) bool {
	for i, v := range n.Outputs() {
		if v.IsUsed() && (first.Out(i) == nil || !v.CanBecome(first.Out(i))) {
			return false
		}
	}
	return true
}

// attributes returns the canonical text of a node's attributes, or an empty string if they
// cannot be compared.
func (c *commons) attributes(n *rewrite.Node) string {
	text, ok := c.texts[n]
	if !ok {
		text = attributesText(n)
		c.texts[n] = text
	}
	return text
}
