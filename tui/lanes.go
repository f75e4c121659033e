package tui

import "math/bits"

// A lane is a column beside the rows that carries one value from the row that
// makes it to the last row that reads it, as in a drawing of commits. Lanes are
// given out by a linear scan over the rows, as registers are over live ranges:
// time and memory are proportional to the graph, whatever it looks like.

// maxLanes bounds how many values are drawn side by side; a row's masks have a
// bit for each. Real models need 2 to 12.
const maxLanes = 16

// A value that lives longer than longSpan rows or is read more than manyReads
// times, such as an attention mask, would only be a line through everything. It
// has no lane; its readers name it.
const (
	longSpan  = 100
	manyReads = 24
)

// flow is a graph as the lanes see it: values, and rows that make and read
// them. A row reads a value once at most.
type flow struct {
	makes, reads lists   // by row: values
	from, last   []int32 // by value: the row that makes it, the last that reads it; -1 for none
	uses         []int32 // by value: how many rows read it
}

// lists are short lists of numbers in one piece of memory.
type lists struct {
	start []int32 // one longer than there are lists
	items []int32
}

func (l lists) at(i int) []int32 { return l.items[l.start[i]:l.start[i+1]] }

func (l *lists) add(items ...int32) {
	if len(l.start) == 0 {
		l.start = append(l.start, 0)
	}
	l.items = append(l.items, items...)
	l.start = append(l.start, int32(len(l.items)))
}

// laneRow is what is drawn beside one row. Bit i of a mask is lane i.
type laneRow struct {
	above, below uint16 // lanes that come in from above, that go on below
	joins        uint16 // lanes that the row reads, or opens for what it makes
	at           uint8  // the lane where the row's own mark stands
	crowded      bool   // a value had no free lane
}

// laneChart is the lanes of a graph.
type laneChart struct {
	rows []laneRow
	// laneless tells of every value that is read whether it is drawn without a
	// lane, so that its readers must name it.
	laneless []bool
	widest   int // lanes used
}

// noLane marks a value that has no lane, or none yet.
const noLane = -1

// layLanes gives every value that is short-lived enough a lane.
func layLanes(f flow) laneChart {
	s := laneScan{flow: f, laneOf: make([]int8, len(f.from))}
	for i := range s.laneOf {
		s.laneOf[i] = noLane
	}
	c := laneChart{rows: make([]laneRow, len(f.makes.start)-1), laneless: make([]bool, len(f.from))}
	for row := range c.rows {
		r := s.row(row, c.laneless)
		c.rows[row] = r
		c.widest = max(c.widest, bits.Len16(r.above|r.below|r.joins), int(r.at)+1)
	}
	return c
}

// laneScan is the state of the scan between two rows.
type laneScan struct {
	flow
	laneOf []int8 // by value
	live   uint16
}

func (s *laneScan) row(row int, laneless []bool) laneRow {
	r := laneRow{above: s.live}
	var ending uint16
	for _, v := range s.reads.at(row) {
		lane := s.laneOf[v]
		if lane == noLane {
			laneless[v] = true
			continue
		}
		r.joins |= 1 << lane
		if s.last[v] == int32(row) {
			ending |= 1 << lane
		}
	}
	s.live &^= ending
	r.at, r.crowded = s.place(r, ending)
	s.open(row, &r)
	r.below = s.live
	return r
}

// place finds the lane of the row's own mark: one that ends here, so that a
// chain stays straight, else a free one, to the right of what it reads.
func (s *laneScan) place(r laneRow, ending uint16) (at uint8, crowded bool) {
	if ending != 0 {
		return uint8(bits.TrailingZeros16(ending)), false
	}
	lane, ok := freeLane(s.live|r.above, bits.TrailingZeros16(r.joins)+1)
	if !ok {
		return maxLanes - 1, true
	}
	return lane, false
}

// open gives lanes to what the row makes: the first goes on below the row's own
// mark.
func (s *laneScan) open(row int, r *laneRow) {
	own := uint16(1) << r.at
	for _, v := range s.makes.at(row) {
		if s.last[v] <= int32(row) || s.last[v]-int32(row) > longSpan || s.uses[v] > manyReads {
			continue
		}
		lane := r.at
		if s.live&own != 0 {
			var ok bool
			// A lane that ends here is not taken again at once: its line from above
			// would look as if it went on.
			if lane, ok = freeLane(s.live|r.above|own, int(r.at)); !ok {
				r.crowded = true
				continue
			}
			r.joins |= 1 << lane
		}
		s.laneOf[v] = int8(lane)
		s.live |= 1 << lane
	}
}

// freeLane is the first free lane from the given one on, else the first of all.
func freeLane(taken uint16, from int) (uint8, bool) {
	free := ^taken
	if free == 0 {
		return 0, false
	}
	if from < maxLanes && free>>from != 0 {
		free = free >> from << from
	}
	return uint8(bits.TrailingZeros16(free)), true
}
