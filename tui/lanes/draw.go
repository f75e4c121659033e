package lanes

import (
	"strings"

	"lathe/tui/cells"
)

// Draw returns the lanes of a row, as the text before and after the sign of the row. There are
// width lanes of two cells each; the last has one cell. If lanes do not fit, the last shows "…". If
// the row's own lane does not fit, the sign is in the last one.
func (r Row) Draw(width int) (before, after string) {
	var b strings.Builder
	lo, hi := r.extent()
	at := min(int(r.at), width-1)
	for lane := range width {
		switch {
		case lane == at:
			before = b.String()
			b.Reset()
		case lane == width-1 && (r.above|r.below)>>width != 0:
			b.WriteString(cells.Ellipsis)
		default:
			b.WriteString(r.cell(lane, lo, hi))
		}
		switch {
		case lane == width-1:
		case lane >= lo && lane < hi:
			b.WriteString(cells.Corners[cells.Left|cells.Right])
		default:
			b.WriteByte(' ')
		}
	}
	return before, b.String()
}

// cell returns what is drawn in a lane that is not the row's own. If the lane only passes the row,
// it interrupts the row's horizontal line, so that the two do not look joined.
func (r Row) cell(lane, lo, hi int) string {
	bit := uint16(1) << lane
	lines := 0
	if r.above&bit != 0 {
		lines |= cells.Up
	}
	if r.below&bit != 0 {
		lines |= cells.Down
	}
	if r.joins&bit == 0 && lines != 0 {
		return cells.Corners[lines]
	}
	if lane > lo && lane <= hi {
		lines |= cells.Left
	}
	if lane >= lo && lane < hi {
		lines |= cells.Right
	}
	return cells.Corners[lines]
}

// extent returns the range of the row's horizontal line.
func (r Row) extent() (lo, hi int) {
	lo, hi = int(r.at), int(r.at)
	for lane := range maxLanes {
		if r.joins>>lane&1 == 1 {
			lo, hi = min(lo, lane), max(hi, lane)
		}
	}
	return lo, hi
}
