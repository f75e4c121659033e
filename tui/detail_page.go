package tui

import (
	"strings"
	"unicode/utf8"

	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// detailLine is a line of text in a pane, safe to print.
type detailLine struct {
	text  string
	looks theme.Looks
}

// page is text for a pane, wrapped to lines of w cells.
type page struct {
	w     int
	lines []detailLine
}

// add appends a text. If it is too long for a line it is wrapped, and the further lines get the
// indentation of the first.
func (p *page) add(l theme.Looks, s string) {
	body := strings.TrimLeft(s, " ")
	indent := cells.Blanks(min(len(s)-len(body), p.w/2))
	for _, line := range cells.Wrap(body, p.w-len(indent)) {
		p.lines = append(p.lines, detailLine{indent + line, l})
	}
}

// head begins a section.
func (p *page) head(s string) {
	p.lines = append(p.lines, detailLine{}, detailLine{s, theme.Heading})
}

// maxText is the largest part of a piece of metadata or documentation that is shown, in bytes. A
// note says how much is left out.
const maxText = 1 << 20

// chunk is how much of a line is cleaned and wrapped at a time.
const chunk = 8 << 10

// prose appends a text of several lines from a model.
func (p *page) prose(s, indent string) {
	s = cells.Abridge(s, maxText)
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		for len(line) > chunk {
			at := chunk
			for at > chunk-utf8.UTFMax && !utf8.RuneStart(line[at]) {
				at--
			}
			p.add(theme.Plain, indent+text.CleanLine(line[:at]))
			line = line[at:]
		}
		p.add(theme.Plain, indent+text.CleanLine(line))
	}
}

// doc appends documentation if there is any.
func (p *page) doc(s string) {
	if s != "" {
		p.head("doc")
		p.prose(s, "")
	}
}

// table appends rows in aligned columns. A row that is wider than the page takes two lines.
func (p *page) table(rows [][]string) {
	if len(rows) == 0 {
		return
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, s := range row {
			widths[i] = min(max(widths[i], cells.Width(s)), p.w/2)
		}
	}
	for _, row := range rows {
		p.row(row, widths)
	}
}

func (p *page) row(row []string, widths []int) {
	var line string
	for i, s := range row {
		if over := cells.Width(s) > widths[i]; over || cells.Width(line)+widths[i] > p.w {
			p.add(theme.Plain, row[0])
			p.add(theme.Plain, "  "+strings.Join(present(row[1:]), "  "))
			return
		}
		line += s + cells.Blanks(widths[i]-cells.Width(s)+2)
	}
	p.add(theme.Plain, strings.TrimRight(line, " "))
}
