package layers

import (
	"lathe/graphops"
	"lathe/graphops/region"
)

// The parts of a segment's memory: its values are once in this process, twice in the
// worker where regions run, as what is fed and what comes, and once more as garbage.
const (
	valueCopies = 4
	// storedPart is the part of the memory that a value may take before it goes to a file
	// and is streamed: then it is in the worker alone, as what is fed or as what comes.
	storedPart  = 64
	heldCopies  = 3   // of what was held: A's and B's here, one of them in the worker
	segmentPart = 0.6 // of the memory; the rest is for what is held and for the nodes' own
	// besideValues is what parts of graphs take here and in the runtime, whatever their
	// values: it counts where little memory is asked for.
	besideValues = 24 << 20
	heldPart     = 12 // of the memory each side may hold between segments; the rest goes to a file
)

// segmentEnd is the place behind the last node whose values fit with those before it.
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

// segmentMemory is how much the values of a segment may take.
func (c *comparison) segmentMemory() int64 {
	return int64(segmentPart * float64(max(c.memory()-besideValues, c.memory()/2)))
}

// copies is the memory that a value takes of which so many copies would be made.
func (c *comparison) copies(bytes, n int64) int64 {
	if bytes >= c.storedFrom() {
		return bytes
	}
	return n * bytes
}
