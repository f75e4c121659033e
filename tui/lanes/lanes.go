// Package lanes draws a graph beside the list of its rows. A lane is a column that carries one
// value from the row that makes it to the last row that reads it, like the drawings of commit
// histories. Lanes are assigned by a linear scan over the rows, as registers are assigned to live
// ranges: time and memory are proportional to the size of the graph, whatever its shape.
package lanes

import "math/bits"

// maxLanes is the maximum number of values drawn side by side; a row's masks have one bit for each.
// Real models need 2 to 12.
const maxLanes = 16

// A value that lives longer than longSpan rows, or is read more than manyReads times, such as an
// attention mask, would only be a line through everything. It has no lane; the rows that read it
// name it instead.
const (
	longSpan  = 100
	manyReads = 24
)

// Flow is the graph as input for the lanes: values, and rows that make and read them. A row reads a
// value at most once.
type Flow struct {
	Makes, Reads Lists   // by row: values
	From, Last   []int32 // by value: the row that makes it, the last that reads it; -1 for none
	Uses         []int32 // by value: how many rows read it
}

// Lists holds short lists of numbers in one block of memory.
type Lists struct {
	start []int32 // one longer than there are lists, empty where there are none
	items []int32
}

// At returns the list at an index.
func (l Lists) At(i int) []int32 { return l.items[l.start[i]:l.start[i+1]] }

// Add appends a list.
func (l *Lists) Add(items ...int32) {
	if len(l.start) == 0 {
		l.start = append(l.start, 0)
	}
	l.items = append(l.items, items...)
	l.start = append(l.start, int32(len(l.items)))
}

// Row holds what is drawn beside one row. Bit i of a mask is lane i.
type Row struct {
	above, below uint16 // lanes that come in from above, that go on below
	joins        uint16 // lanes that the row reads, or opens for what it makes
	at           uint8  // the lane where the row's own mark stands
	crowded      bool   // a value had no free lane
}

// Chart holds the lanes of a graph.
type Chart struct {
	Rows []Row
	// Laneless says for every value that is read whether it is drawn without a lane, so that the
	// rows that read it must name it.
	Laneless []bool
	Widest   int // lanes used
}

// noLane marks a value that has no lane, or none yet.
const noLane = -1

// Lay assigns a lane to every value that is short-lived enough.
func Lay(f Flow) Chart {
	s := scan{Flow: f, laneOf: make([]int8, len(f.From))}
	for i := range s.laneOf {
		s.laneOf[i] = noLane
	}
	c := Chart{Rows: make([]Row, max(len(f.Makes.start)-1, 0)), Laneless: make([]bool, len(f.From))}
	for row := range c.Rows {
		r := s.row(row, c.Laneless)
		c.Rows[row] = r
		c.Widest = max(c.Widest, bits.Len16(r.above|r.below|r.joins), int(r.at)+1)
	}
	return c
}

// scan is the state of the scan between two rows.
type scan struct {
	Flow
	laneOf []int8 // by value
	live   uint16
}

func (s *scan) row(row int, laneless []bool) Row {
	r := Row{above: s.live}
	var ending uint16
	for _, v := range s.Reads.At(row) {
		lane := s.laneOf[v]
		if lane == noLane {
			laneless[v] = true
			continue
		}
		r.joins |= 1 << lane
		if s.Last[v] == int32(row) {
			ending |= 1 << lane
		}
	}
	s.live &^= ending
	r.at, r.crowded = s.place(r, ending)
	s.open(row, &r)
	r.below = s.live
	return r
}

// place returns the lane of the row's own mark: one that ends here, so that a chain stays straight,
// or else a free one to the right of what the row reads.
func (s *scan) place(r Row, ending uint16) (at uint8, crowded bool) {
	if ending != 0 {
		return uint8(bits.TrailingZeros16(ending)), false
	}
	lane, ok := freeLane(s.live|r.above, bits.TrailingZeros16(r.joins)+1)
	if !ok {
		return maxLanes - 1, true
	}
	return lane, false
}

// open assigns lanes to what the row makes; the first continues below the row's own mark.
func (s *scan) open(row int, r *Row) {
	own := uint16(1) << r.at
	for _, v := range s.Makes.At(row) {
		if s.Last[v] <= int32(row) || s.Last[v]-int32(row) > longSpan || s.Uses[v] > manyReads {
			continue
		}
		lane := r.at
		if s.live&own != 0 {
			var ok bool
			// A lane that ends here is not reused immediately: its line from above would seem to
			// continue.
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

// freeLane returns the first free lane from the given one on, or else the first of all.
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
