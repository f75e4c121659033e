package graph

import (
	"strings"
	"unicode/utf8"

	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// DetailLine is a line of text in a pane, safe to print.
type DetailLine struct {
	Text  string
	Looks theme.Looks
}

// Page is text for a pane, wrapped to lines of w cells.
type Page struct {
	W     int
	Lines []DetailLine
}

// Add appends a text. If it is too long for a line it is wrapped, and the further lines get the
// indentation of the first.
func (p *Page) Add(l theme.Looks, s string) {
	body := strings.TrimLeft(s, " ")
	indent := cells.Blanks(min(len(s)-len(body), p.W/2))
	for _, line := range cells.Wrap(body, p.W-len(indent)) {
		p.Lines = append(p.Lines, DetailLine{indent + line, l})
	}
}

// Head begins a section.
func (p *Page) Head(s string) {
	p.Lines = append(p.Lines, DetailLine{}, DetailLine{s, theme.Heading})
}

// maxText is the largest part of a piece of metadata or documentation that is shown, in bytes. A
// note says how much is left out.
const maxText = 1 << 20

// chunk is how much of a line is cleaned and wrapped at a time.
const chunk = 8 << 10

// Prose appends a text of several lines from a model.
func (p *Page) Prose(s, indent string) {
	s = cells.Abridge(s, maxText)
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		for len(line) > chunk {
			at := chunk
			for at > chunk-utf8.UTFMax && !utf8.RuneStart(line[at]) {
				at--
			}
			p.Add(theme.Plain, indent+text.CleanLine(line[:at]))
			line = line[at:]
		}
		p.Add(theme.Plain, indent+text.CleanLine(line))
	}
}

// Doc appends documentation if there is any.
func (p *Page) Doc(s string) {
	if s != "" {
		p.Head("doc")
		p.Prose(s, "")
	}
}

// Table appends rows in aligned columns. A row that is wider than the page takes two lines.
func (p *Page) Table(rows [][]string) {
	if len(rows) == 0 {
		return
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, s := range row {
			widths[i] = min(max(widths[i], cells.Width(s)), p.W/2)
		}
	}
	for _, row := range rows {
		p.row(row, widths)
	}
}

func (p *Page) row(row []string, widths []int) {
	var line string
	for i, s := range row {
		if over := cells.Width(s) > widths[i]; over || cells.Width(line)+widths[i] > p.W {
			p.Add(theme.Plain, row[0])
			p.Add(theme.Plain, "  "+strings.Join(Present(row[1:]), "  "))
			return
		}
		line += s + cells.Blanks(widths[i]-cells.Width(s)+2)
	}
	p.Add(theme.Plain, strings.TrimRight(line, " "))
}
