package lanes

import (
	"strings"

	"lathe/tui/cells"
)

// Draw returns the row's lanes before and after its mark, in width lanes of two cells each, except
// that the last has one cell. Lanes that do not fit are shown as "…"; a mark that does not fit is
// put into the last lane.
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

// cell returns what is drawn in a lane other than the row's own. A line that only passes is drawn
// over the row's horizontal line, so that it does not look joined.
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
