package page

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

//go:embed style.css
var style string

// policy forbids the page to load anything or to run scripts, whatever a result contains.
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

// writeHTML writes the report as an HTML page that loads no other files. Text and attributes escape
// what they contain; only the style and the drawings, which this package generates, are Raw.
func (r *Report) writeHTML(w io.Writer) error {
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("generator"), h.Content("lathe report")),
			h.Meta(g.Attr("http-equiv", "Content-Security-Policy"), h.Content(policy)),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("referrer"), h.Content("no-referrer")),
			h.TitleEl(g.Text(r.Title)),
			h.StyleEl(g.Raw(style)),
		),
		h.Body(
			r.header(),
			r.contents(),
			h.Main(g.Map(r.Sections, Section.html)),
		),
	)).Render(w)
}

func (r *Report) header() g.Node {
	return h.Header(
		h.H1(g.Text(r.Title)),
		g.If(len(r.Findings) > 0, h.Div(h.Class("findings"), g.Map(r.Findings, func(s string) g.Node { return h.P(g.Text(s)) }))),
	)
}

// contents returns links to the sections, if there are several.
func (r *Report) contents() g.Node {
	return g.If(len(r.Sections) > 1, h.Nav(h.Aria("label", "Results"),
		h.Ol(g.Map(r.Sections, func(s Section) g.Node { return h.Li(h.A(h.Href("#"+s.ID), g.Text(s.Title))) })),
	))
}

func (s Section) html() g.Node {
	parts := g.Group{}
	for i, p := range s.Parts {
		parts = append(parts, p.html(fmt.Sprintf("%s-%d", s.ID, i)))
	}
	title := s.ID + "-title"
	return h.Section(h.ID(s.ID), h.Aria("labelledby", title),
		h.H2(h.ID(title), g.Text(s.Title)),
		h.Dl(g.Map(s.Facts, func(f Fact) g.Node { return h.Div(h.Dt(g.Text(f.Name)), h.Dd(g.Text(f.Value))) })),
		parts,
	)
}

func (p Part) html(id string) g.Node {
	figures := g.Group{}
	for i, f := range p.Figures {
		figures = append(figures, f.html(fmt.Sprintf("%s-%d", id, i)))
	}
	return g.Group{
		h.H3(h.ID(id), g.Text(p.Title)),
		g.Map(p.Notes, note),
		g.If(len(figures) > 0, h.Div(h.Class("figures"), figures)),
		g.If(len(p.Table.Rows) > 0, p.Table.html(p.Title)),
		g.If(p.Table.LeftOut != "", note(p.Table.LeftOut)),
	}
}

func note(s string) g.Node { return h.P(h.Class("note"), g.Text(s)) }

func (f Figure) html(id string) g.Node {
	return h.Figure(h.Role("group"), h.Aria("labelledby", id),
		h.FigCaption(h.ID(id), g.Text(f.Title)),
		h.Div(h.Role("img"), h.Aria("label", f.Alt), g.Raw(f.SVG)),
	)
}

func (t Table) html(title string) g.Node {
	return h.Div(h.Class("wide"), h.TabIndex("0"), h.Role("region"), h.Aria("label", title+", table"),
		h.Table(
			h.Caption(h.Class("hidden"), g.Text(title)),
			h.THead(h.Tr(g.Map(t.Titles, func(s string) g.Node {
				return h.Th(h.Scope("col"), g.If(isNumber(s), h.Class("number")), g.Text(titled(s)))
			}))),
			h.TBody(g.Map(t.Rows, t.row)),
		),
	)
}

func (t Table) row(cells []string) g.Node {
	tr := g.Group{}
	for i, cell := range cells {
		tr = append(tr, h.Td(h.Class(classOf(t.Titles[i], cell)), g.Text(cell)))
	}
	return h.Tr(tr)
}

// A table cell with at least longCell bytes may be broken into several lines. One with at most
// shortCell characters is never broken.
const (
	longCell  = 60
	shortCell = 28
)

// classOf returns the class of a cell in the column with this title.
func classOf(title, cell string) string {
	switch {
	case isNumber(title):
		return "number"
	case len(cell) > longCell:
		return "text long"
	case utf8.RuneCountInString(cell) <= shortCell:
		return "text short"
	}
	return "text"
}

func isNumber(title string) bool { return strings.HasPrefix(title, ">") }

// titled returns a column's title without the leading ">" that marks a numeric column.
func titled(title string) string { return strings.TrimPrefix(title, ">") }
