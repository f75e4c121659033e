package page

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"lathe/session/text"
)

// writeMarkdown writes the report without its figures, whose numbers are in the tables.
func (r *Report) writeMarkdown(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("# %s", quoted(r.Title))
	p.Line("")
	for _, f := range r.Findings {
		p.Line("- %s", quoted(f))
	}
	for _, s := range r.Sections {
		p.Line("")
		p.Line("## %s", quoted(s.Title))
		p.Line("")
		for _, f := range s.Facts {
			p.Line("- %s: %s", quoted(f.Name), quoted(f.Value))
		}
		for _, part := range s.Parts {
			p.Line("")
			p.Line("### %s", quoted(part.Title))
			for _, n := range part.Notes {
				p.Line("")
				p.Line("%s", quoted(n))
			}
			part.Table.markdown(p)
		}
	}
	return p.Err()
}

func (t Table) markdown(p *text.Printer) {
	if len(t.Rows) == 0 {
		return
	}
	titles, rules := make([]string, len(t.Titles)), make([]string, len(t.Titles))
	for i, title := range t.Titles {
		titles[i], rules[i] = quoted(titled(title)), "---"
		if title != titled(title) {
			rules[i] = "---:"
		}
	}
	p.Line("")
	p.Line("| %s |", strings.Join(titles, " | "))
	p.Line("| %s |", strings.Join(rules, " | "))
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = quoted(c)
		}
		p.Line("| %s |", strings.Join(cells, " | "))
	}
	if t.LeftOut != "" {
		p.Line("")
		p.Line("%s", quoted(t.LeftOut))
	}
}

// marks matches the characters that Markdown interprets at any position. link matches text that
// renderers turn into links even without markup. list matches text that starts a list or another
// block at the beginning of a line.
var (
	marks = regexp.MustCompile("[\\\\`*_{}\\[\\]#|~$]")
	link  = regexp.MustCompile(`(?i)(://|www\.|@)`)
	list  = regexp.MustCompile(`^(\s*)([-+=:>]|\d+[.)])`)
)

// quoted escapes text so that Markdown shows it unchanged.
func quoted(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = marks.ReplaceAllString(s, `\$0`)
	s = html.EscapeString(s)
	s = strings.NewReplacer("&#34;", `"`, "&#39;", "'").Replace(s)
	s = link.ReplaceAllStringFunc(s, func(m string) string { return fmt.Sprintf("&#%d;%s", m[0], m[1:]) })
	return list.ReplaceAllStringFunc(s, func(m string) string { return m[:len(m)-1] + fmt.Sprintf("&#%d;", m[len(m)-1]) })
}

// writeCSV writes each value as one row.
func (r *Report) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	// out.Error returns the first error of all writes
	_ = out.Write([]string{"file", "kind", "time", "machine", "model", "subject", "metric", "value", "unit"})
	for _, v := range r.Values {
		_ = out.Write([]string{asText(v.File), v.Kind, v.Time, asText(v.Machine), asText(v.Model), asText(v.Subject), asText(v.Metric), v.Number, v.Unit})
	}
	out.Flush()
	return out.Error()
}

// asText returns a name in a form that spreadsheets do not take for a formula. If the name begins
// with a character such as "=", it gets a leading apostrophe, which spreadsheets do not show.
func asText(s string) string {
	if strings.IndexAny(strings.TrimLeft(s, " \t\r\n"), "=+-@|%＝＋－＠") == 0 {
		return "'" + s
	}
	return s
}
