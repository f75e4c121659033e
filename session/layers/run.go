package layers

import (
	"fmt"
	"runtime/debug"

	"lathe/graphops"
)

// run compares the models, one segment of A's nodes after the other.
func (c *comparison) run() error {
	if err := c.compareConstants(); err != nil {
		return err
	}
	for start := 0; start < len(c.orderA) || start == 0; {
		end := c.segmentEnd(start)
		if err := c.segment(start, end); err != nil {
			return err
		}
		if start = end; start >= len(c.orderA) {
			break
		}
	}
	return nil
}

// segment compares the values that are computed by A's nodes at positions start to end-1.
func (c *comparison) segment(start, end int) error {
	c.segments++
	if err := c.runA(start, end); err != nil {
		return fmt.Errorf("a does not run: %w", err)
	}
	if err := c.accumulate(end); err != nil {
		return err
	}
	if err := c.remap(end); err != nil {
		return err
	}
	if err := c.isolate(end); err != nil {
		return err
	}
	c.drop(end)
	c.tell()
	return c.store.failed()
}

func (c *comparison) tell() {
	if c.o.Progress == nil {
		return
	}
	done := 0
	for _, l := range c.layers {
		if l.done {
			done++
		}
	}
	c.o.Progress(done, len(c.layers))
}

// runA runs A's nodes of a segment. It keeps the values that are compared in this segment and those
// that later segments need.
func (c *comparison) runA(start, end int) error {
	nodes := map[int]bool{}
	for _, i := range c.orderA[start:end] {
		if c.neededA[i] && !c.m.A.Graph().Nodes()[i].IsConstant() {
			nodes[i] = true
		}
	}
	compared := map[graphops.ValueID]bool{}
	for _, l := range c.layers {
		if l.at >= start && l.at < end {
			compared[l.Pair.A] = true
			for _, v := range c.m.Alternates(l.Pair) {
				compared[v] = true
			}
		}
	}
	wants := func(v graphops.ValueID) bool { return compared[v] || c.until[v] >= end }
	s := newSlice(c.m.A, nodes, wants, c.values)
	planned, came := int64(0), int64(0)
	err := s.run(c, c.a, nil, func(v graphops.ValueID, value graphops.Value) {
		planned += c.bytesOf(v)
		came += bytesIn(value)
		c.values.put(v, value)
	})
	if err == nil && planned > 0 && came > 2*planned && came > c.memory()/16 {
		c.guess = c.guess * came / planned
	}
	return err
}

// drop releases the values that are not needed after position end.
func (c *comparison) drop(end int) {
	c.took.look()
	c.values.settle(func(v graphops.ValueID) bool { return c.until[v] >= end })
	c.valuesB.settle(c.needsB)
	needed := map[*extent]bool{}
	c.values.extents(needed)
	c.valuesB.extents(needed)
	c.store.keep(needed)
	debug.FreeOSMemory() // otherwise the garbage of one segment is still in memory during the next
}
