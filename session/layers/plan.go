package layers

import (
	"lathe/graphops"
	"lathe/graphops/region"
)

// valueCopies is how many copies of a value are in memory at most: one in this process, two in the
// worker (the output of one part of the model, and the input of the next), and one that the garbage
// collector has not removed yet.
const (
	valueCopies = 4
	// storedPart is the fraction of the memory above which a value is stored in a file and
	// streamed. It is then in the worker only.
	storedPart = 64
	heldCopies = 3 // copies of a held value: A's and B's here, and one in the worker
	// fraction of the memory; the rest is for held values and for the nodes' own memory
	segmentPart = 0.6
	// besideValues is the memory for parts of graphs, here and in the runtime, independent of
	// values. It matters if little memory is allowed.
	besideValues = 24 << 20
	// each side may hold 1/heldPart of the memory between segments; the rest is stored in a file
	heldPart = 12
)

// segmentEnd returns the position after the last node whose values still fit into the segment.
func (c *comparison) segmentEnd(start int) int {
	g := c.m.A.Graph()
	x := g.Index()
	limit := c.segmentMemory()
	used := int64(0)
	read := map[graphops.ValueID]bool{}
	compared := map[graphops.ValueID]bool{}
	for _, l := range c.layers {
		compared[l.Pair.A] = true
	}
	for at := start; at < len(c.orderA); at++ {
		i := c.orderA[at]
		if !c.neededA[i] || isConstantNode(g.Nodes()[i]) {
			continue
		}
		for _, name := range g.Nodes()[i].Outputs() {
			if v, ok := x.Value(name); ok && name != "" && (compared[v] || c.until[v] > at) {
				used += c.copies(c.bytesOf(v), valueCopies) + temporaries(g.Nodes()[i], c.bytesOf(v))
			}
		}
		for v := range region.Reads(g, i) {
			if read[v] {
				continue
			}
			read[v] = true
			if t := x.Initializer(v); t != nil {
				if n, err := t.ByteLen(); err == nil {
					used += n
				}
			} else if p := x.Producer(v); p >= 0 && c.placeA[p] < start {
				used += c.copies(c.bytesOf(v), heldCopies)
			}
		}
		if used > limit && at > start {
			return at
		}
		if used > limit {
			c.large++
			c.largest = max(c.largest, used)
		}
	}
	return len(c.orderA)
}

// segmentMemory returns how much memory the values of a segment may use.
func (c *comparison) segmentMemory() int64 {
	return int64(segmentPart * float64(max(c.memory()-besideValues, c.memory()/2)))
}

// copies returns the memory of n copies of a value. A value that is stored in a file counts once.
func (c *comparison) copies(bytes, n int64) int64 {
	if bytes >= c.storedFrom() {
		return bytes
	}
	return n * bytes
}
