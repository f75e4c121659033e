package home

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// columns are the widths of the columns of models. A column of width 0 is left out.
type columns struct{ w, name, size, opset, p50, where int }

// The largest widths of the columns. If the longest name would get less than cells.LeastName, the
// column with the origin of the latency is cut first, then dropped, and then the latency.
const (
	leadWidth  = 2
	sizeWidth  = 10
	opsetWidth = 5
	p50Width   = 9
	whereWidth = 20
	leastWhere = 12
	minName    = 18
	gap        = 2
)

// columns computes the widths for a screen. The least important columns are dropped first, and
// without any latency its columns are dropped too.
func (a *app) columns(w int) columns {
	c := columns{w: w, size: sizeWidth, opset: opsetWidth}
	if a.isMeasured {
		c.p50, c.where = p50Width, whereWidth
	}
	least := min(max(a.widest, minName), cells.LeastName)
	if missing := least - c.room(); missing > 0 {
		if c.where -= missing; c.where < leastWhere {
			c.where = 0
		}
	}
	if c.room() < least {
		c.p50 = 0
	}
	c.name = max(min(max(a.widest, minName), c.room()), 1)
	return c
}

// whereRoom is the width available for the text about where and when a latency was measured.
func (c columns) whereRoom() int {
	if c.where == 0 {
		return 0
	}
	return c.where + max(c.room()-c.name, 0)
}

// room is the width that the other columns leave for a name.
func (c columns) room() int {
	w := c.w - leadWidth
	for _, n := range []int{c.size, c.opset, c.p50, c.where} {
		if n > 0 {
			w -= n + gap
		}
	}
	return w
}

// heads returns the column headings if there are rows.
func (a *app) heads(c columns) string {
	if len(a.files) == 0 {
		return cells.Blanks(c.w)
	}
	line := cells.Fit("model", c.name)
	for _, column := range []struct {
		title string
		w     int
	}{{"size", c.size}, {"opset", c.opset}, {"last p50", c.p50}} {
		if column.w > 0 {
			line += cells.Blanks(gap) + cells.FitRight(column.title, column.w)
		}
	}
	return cells.Fit(cells.Blanks(leadWidth)+line, c.w)
}

// modelLines draws the rows of models, or says that the folder has none.
func (a *app) modelLines(c columns, at cells.Rect) []string {
	s := &a.sections[models]
	if s.rows.N == 0 {
		return cells.Block(a.none(at.W), at.W, at.H)
	}
	from, to := s.rows.Visible()
	lines := make([]string, 0, at.H)
	for row := from; row < min(to, from+at.H); row++ {
		item, letters := s.item(row)
		lines = append(lines, a.modelLine(c, item, letters, row == s.rows.Cursor && a.focused() == models))
	}
	return cells.Block(lines, at.W, at.H)
}

// none says that there are no models, and what to do.
func (a *app) none(w int) []string {
	if !a.isWalked || len(a.files) > 0 {
		return nil
	}
	var out []string
	for _, line := range nothing(a.o.Folder, len(a.list) > 0) {
		for _, part := range cells.WrapWords(line, w-leadWidth) {
			out = append(out, cells.Blanks(leadWidth)+part)
		}
	}
	return out
}

func nothing(folder string, hasSessions bool) []string {
	what := fmt.Sprintf("no models in %s or %d levels of folders below it", cells.Label(folder), mostLevels)
	if !hasSessions {
		what += ", and no interrupted sessions"
	}
	return []string{what, "lathe MODEL opens a model; lathe --help lists the commands", "models are files that end in " + strings.Join(endings, ", ")}
}

func (a *app) modelLine(c columns, item int, letters []int, isSelected bool) string {
	f, st := a.files[item], a.looks(isSelected)
	label := st.label(a.sections[models].texts[item], letters, c.name)
	space := cells.Blanks(gap)
	size := space + cells.FitRight(f.sizeText(), c.size)
	tail := max(c.w-leadWidth-c.name-cells.Width(size), 0)
	if f.err != nil {
		return st.lead + label + st.rest.On(size) + st.bad.On(cells.Fit(space+cells.Prose(f.err.Error()), tail))
	}
	line := space + cells.FitRight(f.opsetText(), c.opset)
	if c.p50 > 0 {
		line += space + cells.FitRight(f.p50Text(), c.p50)
	}
	if c.where > 0 {
		line += space + f.whereText(a.o.Now())
	}
	return st.lead + label + st.rest.On(size+cells.Fit(line, tail))
}

// looks has the styles of the parts of a row, and the sign before the row.
type looks struct {
	lead                   string
	name, rest, bad, match theme.Paint
}

func (a *app) looks(isSelected bool) looks {
	st := a.styles
	if isSelected {
		return looks{st.Selected.On("› "), st.Selected, st.Selected, st.Selected, st.Selected} // a single bar
	}
	return looks{"  ", st.Name, st.Type, st.Bad, st.Match}
}

// label draws a name in w cells and marks the letters that match. If the name is too long, its
// middle is cut: the beginning and the end are more important.
func (l looks) label(s string, letters []int, w int) string {
	short := cells.CutMiddle(s, w)
	if short != s {
		letters = shifted(letters, s, short)
	}
	return theme.Lettered(short, letters, 0, l.name, l.match) + l.name.On(cells.Blanks(w-cells.Width(short)))
}

// shifted returns the positions of letters in a text whose middle was cut. Positions before the
// ellipsis stay; positions after it move with the end of the text.
func shifted(letters []int, s, short string) []int {
	head, _, _ := strings.Cut(short, cells.Ellipsis)
	first, moved := len([]rune(head)), len([]rune(s))-len([]rune(short))
	var out []int
	for _, at := range letters {
		switch {
		case at < first:
			out = append(out, at)
		case at-moved > first:
			out = append(out, at-moved)
		}
	}
	return out
}

// awaited is shown for a value that has not been read yet.
const awaited = "…"

func (f facts) sizeText() string {
	switch {
	case f.bytes > 0 || f.isKnown && f.bytes == 0:
		return text.Bytes(f.bytes)
	case !f.isKnown && f.err == nil:
		return awaited
	}
	return "-"
}

func (f facts) opsetText() string {
	switch {
	case !f.isKnown:
		return awaited
	case !f.hasOpset:
		return "-"
	}
	return fmt.Sprint(f.opset)
}

func (f facts) p50Text() string {
	if f.latest == nil {
		return ""
	}
	return bench.Latency(*f.latest.P50)
}

// whereText says on what the latency was measured, how long ago, and with which settings.
func (f facts) whereText(now time.Time) string {
	if f.latest == nil {
		return ""
	}
	of := f.latest.Settings
	var words []string
	if p := cmp.Or(of[store.SettingProvider], of[store.SettingEP]); p != "" {
		words = append(words, cells.Label(p))
	}
	words = append(words, text.Ago(now.Sub(f.latest.Time)))
	if n := of[store.SettingBatch]; n != "" && n != "1" {
		words = append(words, "batch "+cells.Label(n))
	}
	if f.latest.Noise != "" {
		words = append(words, "noisy")
	}
	return strings.Join(words, ", ")
}
