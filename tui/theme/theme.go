// Package theme defines all colors. A theme is a palette of colors. The workbench draws with
// styles, which are named by what is drawn and not by how it looks.
package theme

import (
	"image/color"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Paint is the escape sequence that switches to a style. "" leaves the text as it is. Lip Gloss's
// Render takes forty times as long, which is noticeable when a key is held.
type Paint string

// On returns text in the style. The style ends after the text.
func (p Paint) On(s string) string {
	if p == "" || s == "" {
		return s
	}
	return string(p) + s + ansi.ResetStyle
}

// Before returns text in the style, and then rest. If rest begins with blanks and more text in the
// style, all are one run, so that a terminal gets fewer bytes. The style has no background.
func (p Paint) Before(s, rest string) string {
	more := strings.TrimLeft(rest, " ")
	if p == "" || s == "" || !strings.HasPrefix(more, string(p)) {
		return p.On(s) + rest
	}
	return string(p) + s + rest[:len(rest)-len(more)] + more[len(p):]
}

// Styles has the style of everything that is drawn.
type Styles struct {
	Title, TitleDim    Paint // the line on top
	Op, Name, Type     Paint // of a row
	Number, Lane, Node Paint
	Mark, Tap          Paint
	Dropped            Paint // a row that a prune would drop
	Selected, Idle     Paint // the selected row, with the focus and without
	Match              Paint // a row that was found, letters matched by a search
	Range              Paint // a row of the range that is being chosen
	Heading, Faint     Paint
	Good, Bad, Warn    Paint
	Fault              Paint // what is wrong in a line that is typed
	Key                Paint // the name of a key in a hint
	Frame              Paint // the lines of frames
	Field, FieldFocus  Paint
	Heat               [HeatSteps]Paint // of a heat map, low to high
	Kinds              [OpKinds]Paint   // operators of a kind
	Hit                Paint            // letters matched by a search in the selected row
	Equal              Paint            // what two models have in common, beside what differs
}

// OpKind is the kind of an operator.
type OpKind uint8

// The kinds of operators.
const (
	OpCompute OpKind = iota
	OpNormalize
	OpMove
	OpShape
	OpControl
	OpCustom
	OpKinds // how many there are
)

// String returns the name of a kind.
func (k OpKind) String() string {
	return [...]string{"compute", "normalize", "move", "shape", "control", "custom"}[k]
}

// HeatSteps is the number of styles of a heat map.
const HeatSteps = 8

// Looks is the kind of a line of text. Code that makes text before it is drawn uses it instead of a
// style.
type Looks uint8

// The looks of a line.
const (
	Plain Looks = iota
	Strong
	Heading
	Faint
	Warning
	Failure
)

// Of returns the style of a line.
func (s *Styles) Of(l Looks) Paint {
	return [...]Paint{Plain: s.Name, Strong: s.Op, Heading: s.Heading, Faint: s.Faint, Warning: s.Warn, Failure: s.Bad}[l]
}

// Name names a theme.
type Name string

// The themes. High contrast uses only black, white and four strong colors; None distinguishes
// things by bold, faint, underlined and reversed text.
const (
	Dark         Name = "dark"
	Light        Name = "light"
	HighContrast Name = "high-contrast"
	None         Name = "none"
)

// Names lists all themes.
var Names = []Name{Dark, Light, HighContrast, None}

// Of returns the theme that a setting names. For any other value, such as "auto", the theme follows
// the terminal's background.
func Of(setting string, isDark bool) Name {
	switch {
	case slices.Contains(Names, Name(setting)):
		return Name(setting)
	case isDark:
		return Dark
	default:
		return Light
	}
}

// StylesOf returns the styles of a theme, or those of Dark for an unknown name.
func StylesOf(n Name) Styles {
	switch n {
	case Light:
		return light.styles()
	case HighContrast:
		return highContrast.styles()
	case None:
		return plainStyles()
	default:
		return dark.styles()
	}
}

// palette holds the colors that styles are made of.
type palette struct {
	text, faint, line, accent, second, mark, good, bad, warn color.Color
	bar, selected, onSelected, idle                          color.Color // backgrounds, and the text on one
	heat                                                     [HeatSteps]uint8
	kinds                                                    [OpKinds]uint8
}

// The colors are from the 256 that terminals have fixed: their sequences take half the bytes of
// true color, and every row contains several.
var (
	dark = palette{
		text: c(252), faint: c(245), line: c(240), accent: c(111), second: c(141), mark: c(215),
		good: c(114), bad: c(210), warn: c(221), bar: c(236), selected: c(24), onSelected: c(252), idle: c(238),
		heat:  [HeatSteps]uint8{17, 19, 25, 31, 36, 72, 143, 221},
		kinds: [OpKinds]uint8{OpCompute: 111, OpNormalize: 141, OpMove: 73, OpShape: 245, OpControl: 180, OpCustom: 175},
	}
	light = palette{
		text: c(235), faint: c(243), line: c(249), accent: c(25), second: c(55), mark: c(130),
		good: c(28), bad: c(124), warn: c(94), bar: c(254), selected: c(153), onSelected: c(235), idle: c(253),
		heat:  [HeatSteps]uint8{255, 230, 187, 150, 114, 72, 31, 24},
		kinds: [OpKinds]uint8{OpCompute: 25, OpNormalize: 55, OpMove: 30, OpShape: 243, OpControl: 94, OpCustom: 126},
	}
	highContrast = palette{
		text: c(231), faint: c(231), line: c(231), accent: c(51), second: c(231), mark: c(226),
		good: c(46), bad: c(203), warn: c(226), bar: c(16), selected: c(226), onSelected: c(16), idle: c(20),
		heat:  [HeatSteps]uint8{16, 236, 240, 244, 248, 252, 254, 231},
		kinds: [OpKinds]uint8{OpCompute: 51, OpNormalize: 46, OpMove: 231, OpShape: 231, OpControl: 226, OpCustom: 203},
	}
)

func c(n uint8) color.Color { return ansi.IndexedColor(n) }

func (p palette) styles() Styles {
	fg := func(c color.Color) ansi.Style { return ansi.NewStyle().ForegroundColor(c) }
	of := func(s ansi.Style) Paint { return Paint(s.String()) }
	s := Styles{
		Title: of(fg(p.text).BackgroundColor(p.bar).Bold()), TitleDim: of(fg(p.faint).BackgroundColor(p.bar)),
		Op: of(fg(p.accent)), Type: of(fg(p.faint)),
		Number: of(fg(p.faint)), Lane: of(fg(p.faint)), Node: of(fg(p.accent)),
		Mark: of(fg(p.mark).Bold()), Tap: of(fg(p.second)),
		Dropped:  of(fg(p.line)),
		Selected: of(fg(p.onSelected).BackgroundColor(p.selected)), Idle: of(fg(p.text).BackgroundColor(p.idle)),
		Match: of(fg(p.warn)), Range: of(fg(p.mark)),
		Heading: of(fg(p.second).Bold()), Faint: of(fg(p.faint)),
		Good: of(fg(p.good)), Bad: of(fg(p.bad)), Warn: of(fg(p.warn)),
		Fault: of(fg(p.bad).Underline(true)),
		Key:   of(fg(p.accent)), Frame: of(fg(p.line)),
		FieldFocus: of(fg(p.onSelected).BackgroundColor(p.selected)),
		Hit:        of(fg(p.onSelected).BackgroundColor(p.selected).Bold().Underline(true)),
		Equal:      of(fg(p.faint)),
	}
	for k, n := range p.kinds {
		s.Kinds[k] = of(fg(c(n)))
	}
	for i, n := range p.heat {
		s.Heat[i] = of(ansi.NewStyle().BackgroundColor(c(n)))
	}
	return s
}

func plainStyles() Styles {
	bold := Paint(ansi.NewStyle().Bold().String())
	faint := Paint(ansi.NewStyle().Faint().String())
	reverse := Paint(ansi.NewStyle().Reverse(true).String())
	underline := Paint(ansi.NewStyle().Underline(true).String())
	return Styles{
		Title: reverse, TitleDim: reverse, Mark: bold, Dropped: faint, Selected: reverse, Idle: underline,
		Match: underline, Range: bold, Heading: bold, Bad: bold, Warn: bold, Fault: underline, Key: bold, FieldFocus: reverse,
		Hit:   Paint(ansi.NewStyle().Reverse(true).Bold().Underline(true).String()),
		Equal: faint,
		Kinds: [OpKinds]Paint{OpCompute: bold, OpMove: faint, OpShape: faint, OpControl: underline, OpCustom: underline},
	}
}
