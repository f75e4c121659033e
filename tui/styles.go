package tui

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// paint is what is written before text of a style; "" leaves it plain. Lip
// Gloss's Render takes forty times as long, which shows when a key is held.
type paint string

// on is text in the style. The style ends with the text.
func (p paint) on(s string) string {
	if p == "" || s == "" {
		return s
	}
	return string(p) + s + ansi.ResetStyle
}

// styles are the looks of everything, by what it is and not by its colour.
type styles struct {
	title, titleDim    paint // the line on top
	op, name, typ      paint // of a row
	number, lane, node paint
	mark, tap          paint
	dropped            paint // a row that a prune would drop
	selected, idle     paint // the selected row, with the focus and without
	match              paint // a row that a search found
	heading, faint     paint
	good, bad, warn    paint
	key                paint // a key in a hint
	frame              paint // lines around things
	field, fieldFocus  paint
}

// looks says what a line of text is, for those who make text before it is drawn.
type looks uint8

// The looks of a line.
const (
	plain looks = iota
	strong
	heading
	faint
	warning
	failure
)

func (s *styles) of(l looks) paint {
	return [...]paint{plain: s.name, strong: s.op, heading: s.heading, faint: s.faint, warning: s.warn, failure: s.bad}[l]
}

// theme says which colours are drawn with.
type theme int

// The themes.
const (
	themeDark theme = iota
	themeLight
	themePlain // no colour; bold, faint and reversed text tell things apart
)

// colours are what styles are made of.
type colours struct {
	text, faint, line, accent, second, mark, good, bad, warn color.Color
	bar, selected, idle                                      color.Color // backgrounds
}

// The colours are those of the 256 that terminals have fixed: as sequences they
// take half the bytes of true colour, and every row has several.
var (
	dark = colours{
		text: lipgloss.Color("252"), faint: lipgloss.Color("245"), line: lipgloss.Color("240"),
		accent: lipgloss.Color("111"), second: lipgloss.Color("141"), mark: lipgloss.Color("215"),
		good: lipgloss.Color("114"), bad: lipgloss.Color("210"), warn: lipgloss.Color("221"),
		bar: lipgloss.Color("236"), selected: lipgloss.Color("24"), idle: lipgloss.Color("238"),
	}
	light = colours{
		text: lipgloss.Color("235"), faint: lipgloss.Color("243"), line: lipgloss.Color("249"),
		accent: lipgloss.Color("25"), second: lipgloss.Color("55"), mark: lipgloss.Color("130"),
		good: lipgloss.Color("28"), bad: lipgloss.Color("124"), warn: lipgloss.Color("94"),
		bar: lipgloss.Color("254"), selected: lipgloss.Color("153"), idle: lipgloss.Color("253"),
	}
)

// stylesOf makes the styles of a theme.
func stylesOf(t theme) styles {
	switch t {
	case themeLight:
		return light.styles()
	case themePlain:
		return plainStyles()
	default:
		return dark.styles()
	}
}

func (p colours) styles() styles {
	fg := func(c color.Color) ansi.Style { return ansi.NewStyle().ForegroundColor(c) }
	of := func(s ansi.Style) paint { return paint(s.String()) }
	return styles{
		title: of(fg(p.text).BackgroundColor(p.bar).Bold()), titleDim: of(fg(p.faint).BackgroundColor(p.bar)),
		op: of(fg(p.accent)), name: "", typ: of(fg(p.faint)),
		number: of(fg(p.line)), lane: of(fg(p.faint)), node: of(fg(p.accent)),
		mark: of(fg(p.mark).Bold()), tap: of(fg(p.second)),
		dropped:  of(fg(p.line)),
		selected: of(fg(p.text).BackgroundColor(p.selected)), idle: of(fg(p.text).BackgroundColor(p.idle)),
		match:   of(fg(p.warn)),
		heading: of(fg(p.second).Bold()), faint: of(fg(p.faint)),
		good: of(fg(p.good)), bad: of(fg(p.bad)), warn: of(fg(p.warn)),
		key: of(fg(p.accent)), frame: of(fg(p.line)),
		field: "", fieldFocus: of(fg(p.text).BackgroundColor(p.selected)),
	}
}

func plainStyles() styles {
	bold := paint(ansi.NewStyle().Bold().String())
	faint := paint(ansi.NewStyle().Faint().String())
	reverse := paint(ansi.NewStyle().Reverse(true).String())
	underline := paint(ansi.NewStyle().Underline(true).String())
	return styles{
		title: reverse, titleDim: reverse, mark: bold, dropped: faint, selected: reverse, idle: underline,
		match: underline, heading: bold, bad: bold, warn: bold, key: bold, fieldFocus: reverse,
	}
}
