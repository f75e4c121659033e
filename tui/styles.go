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

var (
	dark = colours{
		text: lipgloss.Color("#c8d0e0"), faint: lipgloss.Color("#7a8499"), line: lipgloss.Color("#4a5268"),
		accent: lipgloss.Color("#7fb4ff"), second: lipgloss.Color("#b9a3ff"), mark: lipgloss.Color("#ffb454"),
		good: lipgloss.Color("#8fd17f"), bad: lipgloss.Color("#ff7b85"), warn: lipgloss.Color("#ffd166"),
		bar: lipgloss.Color("#2a3042"), selected: lipgloss.Color("#34405e"), idle: lipgloss.Color("#2a3042"),
	}
	light = colours{
		text: lipgloss.Color("#24292f"), faint: lipgloss.Color("#6e7781"), line: lipgloss.Color("#b0b8c1"),
		accent: lipgloss.Color("#0550ae"), second: lipgloss.Color("#6639ba"), mark: lipgloss.Color("#9a4b00"),
		good: lipgloss.Color("#116329"), bad: lipgloss.Color("#a40e26"), warn: lipgloss.Color("#7d4e00"),
		bar: lipgloss.Color("#dfe5ee"), selected: lipgloss.Color("#cfe0fb"), idle: lipgloss.Color("#e6eaf0"),
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
		number: of(fg(p.line)), lane: of(fg(p.line)), node: of(fg(p.accent)),
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
