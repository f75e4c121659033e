package page

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
	"unicode/utf8"
)

//go:embed page.html
var layout string

//go:embed style.css
var style string

// functions are what the layout asks of a report. What they give as markup is this package's
// own; all text goes through the template's quoting.
var functions = template.FuncMap{
	"style":    func() template.CSS { return template.CSS(style) },           //nolint:gosec // see above
	"drawing":  func(f Figure) template.HTML { return template.HTML(f.SVG) }, //nolint:gosec // see above
	"isNumber": func(title string) bool { return strings.HasPrefix(title, ">") },
	"titled":   titled,
	"classOf": func(t Table, i int, cell string) string {
		switch {
		case strings.HasPrefix(t.Titles[i], ">"):
			return "number"
		case len(cell) > longCell:
			return "text long"
		case utf8.RuneCountInString(cell) <= shortCell:
			return "text short"
		}
		return "text"
	},
}

// From longCell on a text takes several lines of a table, and up to shortCell it is one.
const (
	longCell  = 60
	shortCell = 28
)

// titled is a title without its mark of numbers.
func titled(title string) string { return strings.TrimPrefix(title, ">") }

// writeHTML writes a page that stands by itself.
func (r *Report) writeHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(functions).Parse(layout)
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}
