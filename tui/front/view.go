package front

import (
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
)

// The lines of the chart, if the dialog has room for it, and the cells beside its left edge.
const (
	mostChart = 16
	axisWidth = 10
)

// chart returns how many lines the chart takes; 0 if there is no room for it beside some rows.
func (d *Dialog) chart() int {
	if lines := min(mostChart, d.h/2); lines >= 5 && d.w > 3*axisWidth {
		return lines
	}
	return 0
}

// Sync implements shell.Pane.
func (d *Dialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.Rows.Resize(max(h-d.chart()-1, 1))
	return nil
}

// View implements shell.Pane.
func (d *Dialog) View(bool) []string {
	st := d.WS.Styles
	lines := d.drawn()
	lines = append(lines, st.Faint.On(cells.Fit(d.lines[0], d.w)))
	for row, to := d.Rows.Visible(); row < to; row++ {
		line := cells.Fit(d.lines[row+1], d.w)
		switch {
		case row == d.Rows.Cursor:
			line = st.Selected.On(line)
		case d.points[row].Mark != "":
			line = st.Key.On(line)
		}
		lines = append(lines, line)
	}
	return cells.Block(lines, d.w, d.h)
}

var titles = []string{"size", "of original", "SNR", "KL", "top-1", "", "nodes"}

// cellsOf returns the texts of a point, in the order of titles.
func cellsOf(p *reporting.FrontPoint) []string {
	out := []string{text.Bytes(p.Bytes), fmt.Sprintf("%.1f %%", 100*p.Ratio), graph.Decibels(p.SNR), "", "", p.Mark, p.Made}
	if !math.IsNaN(p.KL) {
		out[3] = fmt.Sprintf("%.3g", p.KL)
	}
	if !math.IsNaN(p.Top1) {
		out[4] = fmt.Sprintf("%.2f %%", 100*p.Top1)
	}
	return out
}

// linesOf returns the line of the titles and that of each point. Columns that are empty for all points are
// left out.
func linesOf(points []reporting.FrontPoint) []string {
	rows, widths := [][]string{titles}, make([]int, len(titles))
	for i := range points {
		rows = append(rows, cellsOf(&points[i]))
		for k, s := range rows[i+1] {
			widths[k] = max(widths[k], cells.Width(s))
		}
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for k, s := range row {
			switch {
			case widths[k] == 0:
			case k == len(titles)-1:
				b.WriteString("  " + s)
			default:
				b.WriteString("  " + cells.FitRight(s, max(widths[k], cells.Width(titles[k]))))
			}
		}
		out[i] = b.String()
	}
	return out
}

// drawn draws the chart: the size to the right, the signal-to-noise ratio upwards. The selected model is
// a full circle, a marked one a diamond.
func (d *Dialog) drawn() []string {
	tall := d.chart() - 1
	if tall < 0 {
		return nil
	}
	st, wide := d.WS.Styles, d.w-axisWidth-1
	grid := make([][]string, tall)
	for y := range grid {
		grid[y] = make([]string, wide)
	}
	low, high := d.span()
	for i := range d.points {
		x, y := d.spot(i, wide, tall, low, high)
		switch {
		case i == d.Rows.Cursor:
			grid[y][x] = st.Selected.On("●")
		case grid[y][x] != "":
		case d.points[i].Mark != "":
			grid[y][x] = st.Key.On("◆")
		default:
			grid[y][x] = "○"
		}
	}
	out := make([]string, 0, tall+1)
	for y, row := range grid {
		label := ""
		switch y {
		case 0:
			label = graph.Decibels(high)
		case tall - 1:
			label = graph.Decibels(low)
		}
		var b strings.Builder
		for _, c := range row {
			if c == "" {
				c = " "
			}
			b.WriteString(c)
		}
		out = append(out, st.Faint.On(cells.FitRight(label, axisWidth)+"│")+b.String())
	}
	first, last := text.Bytes(d.points[0].Bytes), text.Bytes(d.points[len(d.points)-1].Bytes)
	return append(out, st.Faint.On(cells.Blanks(axisWidth)+"└"+cells.Fit(first, wide-cells.Width(last))+last))
}

// span returns the least and the greatest finite ratio of the models in dB.
func (d *Dialog) span() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range d.points {
		if snr := d.points[i].SNR; !math.IsInf(snr, 0) {
			low, high = min(low, snr), max(high, snr)
		}
	}
	if low > high {
		return 0, 0
	}
	return low, high
}

// spot returns the cell of a model in the chart. A model without a difference is at the top.
func (d *Dialog) spot(i, wide, tall int, low, high float64) (x, y int) {
	p, first, last := &d.points[i], d.points[0].Bytes, d.points[len(d.points)-1].Bytes
	share := func(v, low, high float64) float64 {
		if high <= low {
			return 0
		}
		return min(max((v-low)/(high-low), 0), 1)
	}
	x = int(math.Round(share(float64(p.Bytes), float64(first), float64(last)) * float64(wide-1)))
	y = tall - 1 - int(math.Round(share(snrOf(p, high), low, high)*float64(tall-1)))
	return x, y
}

func snrOf(p *reporting.FrontPoint, high float64) float64 {
	if math.IsInf(p.SNR, 1) {
		return high
	}
	return p.SNR
}
