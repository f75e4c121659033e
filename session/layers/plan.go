package layers

import (
	"lathe/graphops"
	"lathe/graphops/region"
)

// valueCopies is how many copies of a value are in memory at most. One is in this process. Two are
// in the worker: the output of one part of the model, and the input of the next one. One more may
// be garbage that has not been collected yet.
const (
	valueCopies = 4
	// storedPart is a denominator: a value that takes more than 1/storedPart of the memory is
	// stored in a file and read in chunks. It is then in memory only in the worker.
	storedPart = 64
	heldCopies = 3 // copies of a held value: A's and B's here, and one in the worker
	// segmentPart is the fraction of the memory for the values of a segment. The rest is for values
	// from earlier segments, and for what nodes need while they run.
	segmentPart = 0.6
	// besideValues is the memory that is needed for the graphs, in this process and in the runtime.
	// It does not depend on the values, and it matters only if little memory is allowed.
	besideValues = 24 << 20
	// heldPart is a denominator: the values of each model that are needed in later segments may
	// take 1/heldPart of the memory. The rest of them is stored in a file.
	heldPart = 12
)

// segmentEnd returns where the segment that begins at start ends: before the first node whose
// values do not fit into the memory any more. A segment has at least one node.
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
		if !c.neededA[i] || g.Nodes()[i].IsConstant() {
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

// segmentMemory returns how many bytes the values of a segment may take.
func (c *comparison) segmentMemory() int64 {
	return int64(segmentPart * float64(max(c.memory()-besideValues, c.memory()/2)))
}

// copies returns how many bytes n copies of a value take. A value that is stored in a file is in
// memory only once.
func (c *comparison) copies(bytes, n int64) int64 {
	if bytes >= c.storedFrom() {
		return bytes
	}
	return n * bytes
}
