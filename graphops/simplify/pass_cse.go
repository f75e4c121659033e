package simplify

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

var commonSubexpressions = &pass{
	name:   "common-subexpressions",
	title:  "a node that computes what an earlier one does is removed",
	reason: "the same operator with the same attributes gives the same result for the same inputs",
	model: func(j *job) error {
		c := &commons{job: j, ids: map[*rewrite.Value]int{}, texts: map[*rewrite.Node]string{}}
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
	ids   map[*rewrite.Value]int
	texts map[*rewrite.Node]string
}

// commonSeen has the earlier nodes of a graph and of the graphs that enclose it, by operator and
// inputs, in order to find a node that computes the same.
type commonSeen struct {
	around *commonSeen
	nodes  map[string][]*rewrite.Node
}

// maxAlike is the maximum number of nodes with the same operator and inputs that a node is
// compared with.
const maxAlike = 64

func (c *commons) graph(g *rewrite.Graph, around *commonSeen) {
	seen := &commonSeen{around, map[string][]*rewrite.Node{}}
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
		if len(seen.nodes[key]) < maxAlike {
			seen.nodes[key] = append(seen.nodes[key], n)
		}
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

// key is the operator, the inputs and the number of outputs.
func (c *commons) key(n *rewrite.Node) string {
	var b strings.Builder
	b.WriteString(n.Domain() + "\n" + n.Op())
	for _, v := range n.Inputs() {
		fmt.Fprintf(&b, " %d", c.id(v))
	}
	fmt.Fprintf(&b, "\n%d", len(n.Outputs()))
	return b.String()
}

// id numbers values. An omitted input is 0.
func (c *commons) id(v *rewrite.Value) int {
	if v == nil {
		return 0
	}
	if c.ids[v] == 0 {
		c.ids[v] = len(c.ids) + 1
	}
	return c.ids[v]
}

// find returns an earlier node with the same key and attributes that produces all needed
// outputs.
func (c *commons) find(seen *commonSeen, key string, n *rewrite.Node) *rewrite.Node {
	for ; seen != nil; seen = seen.around {
		for _, first := range seen.nodes[key] {
			if makesAsMuch(first, n) && c.attributes(first) == c.attributes(n) && c.attributes(n) != "" {
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
