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

// functions are the functions that the template of the page uses. Their results are inserted
// without escaping, because this package generates them. All other text is escaped by the template.
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

// A table cell with at least longCell bytes may be broken into several lines. One with at most
// shortCell characters is never broken.
const (
	longCell  = 60
	shortCell = 28
)

// titled returns a column's title without the leading ">" that marks a numeric column.
func titled(title string) string { return strings.TrimPrefix(title, ">") }

// writeHTML writes the report as an HTML page that loads no other files.
func (r *Report) writeHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(functions).Parse(layout)
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}
