// Package lanes draws a graph beside the list of its rows, like the history of commits in a version
// control program. A lane is a vertical line for one value. It begins at the row that makes the
// value and ends at the last row that reads it. Lanes are assigned in one pass over the rows, as a
// compiler assigns registers to live ranges. Time and memory are proportional to the size of the
// graph.
package lanes

import "math/bits"

// maxLanes is how many values can have lanes beside the same row, because a row has one bit for
// each lane. Typical models need 2 to 12.
const maxLanes = 16

// A value that is needed for more than longSpan rows, or that more than manyReads rows read, gets
// no lane. Its line would run through everything, as that of an attention mask. Instead, the rows
// that read it show its name.
const (
	longSpan  = 100
	manyReads = 24
)

// Flow is the graph for which lanes are drawn: which values each row makes and reads. The list of
// values that a row reads has no duplicates.
type Flow struct {
	Makes, Reads Lists   // for each row, the values
	From, Last   []int32 // for each value, the row that makes it and the last row that reads it, or -1
	Uses         []int32 // for each value, how many rows read it
	// Hides says which rows are not shown, nil for none. They make and read nothing here.
	Hides func(row int) bool
}

// Lists is a list of short lists of numbers, stored in one block of memory.
type Lists struct {
	start []int32 // where each list begins, and where the last one ends; nil if no list was added
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

// Row says what is drawn beside one row. above, below and joins are sets of lanes, with bit i for
// lane i.
type Row struct {
	above, below uint16 // lanes with a line to the row above, and to the row below
	joins        uint16 // lanes of the values that the row reads, and further lanes of those that it makes
	at           uint8  // the lane with the sign of the row
	crowded      bool   // a value had no free lane
}

// Chart holds the lanes of a graph.
type Chart struct {
	Rows []Row
	// Laneless says for each value whether it is read but has no lane, so that the rows that read
	// it show its name.
	Laneless []bool
	Widest   int // the number of lanes in use
}

// noLane marks a value without a lane.
const noLane = -1

// Lay assigns a lane to every value whose readers are few and only a few rows below its producer.
// Other values get no lane.
func Lay(f Flow) Chart {
	s := scan{Flow: f, laneOf: make([]int8, len(f.From))}
	for i := range s.laneOf {
		s.laneOf[i] = noLane
	}
	c := Chart{Rows: make([]Row, max(len(f.Makes.start)-1, 0)), Laneless: make([]bool, len(f.From))}
	for row := range c.Rows {
		r := s.row(row, c.Laneless)
		c.Rows[row] = r
		if f.Hides != nil && f.Hides(row) {
			continue
		}
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

// place returns the lane for the sign of a row. It is a lane that ends at this row, so that a chain
// of nodes is a straight line. If none ends here, it is the first free lane to the right of the
// lanes that the row reads. crowded is true if no lane is free.
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

// open assigns lanes to the values that a row makes. The first one gets the lane of the row's own
// sign.
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

// freeLane returns the first free lane at or to the right of from, or else the first free lane. It
// returns false if none is free.
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
