package page

import (
	"fmt"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svg returns a plot as an SVG element for a page: without an XML prologue, scaled to the
// available width, with variables instead of colours and without fonts, so that it uses the page's
// font.
func svg(p *plot.Plot, height vg.Length) string {
	canvas := vgsvg.New(figureWidth, height)
	p.Draw(draw.Crop(draw.New(canvas), 2, -10, 2, -4))
	var b strings.Builder
	if _, err := canvas.WriteTo(&b); err != nil {
		return "" // a strings.Builder does not fail
	}
	return inked(b.String())
}

var (
	prologue = regexp.MustCompile(`(?s)^.*?<svg[^>]*viewBox="([^"]*)"[^>]*>`)
	typeface = regexp.MustCompile(`font-family:[^;"]*;font-variant:[^;"]*;font-weight:[^;"]*;font-style:[^;"]*;?`)
	inks     = regexp.MustCompile(`#0([12])0([0-9A-F])00`)
	blank    = regexp.MustCompile(`\s*\n\s*`)
)

// inked adapts the library's SVG for a page.
func inked(s string) string {
	s = prologue.ReplaceAllString(s, `<svg viewBox="$1" focusable="false" aria-hidden="true">`)
	s = typeface.ReplaceAllString(s, "")
	s = inks.ReplaceAllStringFunc(s, func(c string) string {
		if c[2] == '1' {
			return "var(--" + []string{"ink", "faint", "good", "bad"}[min(c[4]-'0', 3)] + ")"
		}
		return fmt.Sprintf("var(--s%c)", c[4])
	})
	return blank.ReplaceAllString(strings.TrimSpace(s), " ")
}
