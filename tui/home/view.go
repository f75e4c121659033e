package home

import (
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/controls"
	"lathe/tui/theme"
)

// View implements tea.Model.
func (a *app) View() tea.View {
	l := a.layout()
	lines, cursor := a.tooSmall(), (*tea.Cursor)(nil)
	if !l.tooSmall {
		lines, cursor = a.draw(l), a.cursor(l)
	}
	content := strings.Join(lines, "\n")
	if a.o.Settings.ASCII {
		content = cells.ASCII(content)
	}
	v := tea.NewView(content)
	v.AltScreen = a.o.Settings.AltScreen
	v.WindowTitle = "lathe " + cells.Label(filepath.Base(a.o.Folder))
	v.Cursor = cursor
	if a.o.Settings.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (a *app) tooSmall() []string {
	return cells.Block([]string{
		fmt.Sprintf("%d×%d is too small;", a.w, a.h),
		fmt.Sprintf("%d×%d will do", minWidth, minHeight),
	}, a.w, a.h)
}

func (a *app) draw(l layout) []string {
	lines := make([]string, 0, a.h)
	c := a.columns(l.w)
	lines = append(lines, a.titleLine(l.w), a.queryLine(l.w))
	if !l.heads.IsEmpty() {
		lines = append(lines, a.styles.Faint.On(a.heads(c)))
	}
	lines = append(lines, a.modelLines(c, l.rows[models])...)
	if !l.divider.IsEmpty() {
		lines = append(lines, a.divider(l.w))
		lines = append(lines, a.sessionRows(l.rows[sessions])...)
	}
	lines = append(lines, a.detailLines(c, l.detail)...)
	return append(lines, cells.Fit(a.hints(l.w), l.w))
}

// titleLine shows the folder, the number of models, and what is still going on.
func (a *app) titleLine(w int) string {
	facts := cells.Cut(strings.Join(a.totals(), ", "), w*3/5)
	name := " " + cells.CutFront(cells.Label(a.o.Folder), max(w-cells.Width(facts)-4, 1))
	return a.styles.Title.On(name) + a.styles.TitleDim.On(cells.FitRight(facts+" ", w-cells.Width(name)))
}

// totals returns the number of models, and what has not finished.
func (a *app) totals() []string {
	out := []string{text.Plural(len(a.files), "model")}
	switch {
	case !a.isWalked:
		out = append(out, "looking for more")
	case a.known < len(a.files):
		out = append(out, text.Count(int64(a.known))+" read")
	case a.latest == nil:
		out = append(out, "reading results")
	case !a.isListed:
		out = append(out, "reading sessions")
	}
	return out
}

// stateWidth is the room beside the query for the number of matches.
const stateWidth = 18

func (a *app) queryWidth(w int) int { return max(w-2-stateWidth, 1) }

func (a *app) queryLine(w int) string {
	typed, _ := controls.ViewLine(a.line, a.queryWidth(w))
	return a.styles.Key.On("›") + " " + typed + a.styles.Faint.On(cells.FitRight(a.state(), stateWidth))
}

// state returns the number of matches, or a hint for an empty query.
func (a *app) state() string {
	if a.line.Value() == "" {
		return "type to filter"
	}
	total, shown := 0, 0
	for _, s := range a.sections {
		total, shown = total+s.total, shown+s.rows.N
	}
	switch {
	case a.waiting:
		return "searching"
	case total == 0:
		return "nothing matches"
	case total > shown:
		return text.Count(int64(shown)) + " of " + text.Count(int64(total))
	default:
		return text.Count(int64(total))
	}
}

func (a *app) cursor(l layout) *tea.Cursor {
	_, x := controls.ViewLine(a.line, a.queryWidth(l.w))
	return tea.NewCursor(l.query.X+2+x, l.query.Y)
}

// divider draws the line above the sessions.
func (a *app) divider(w int) string {
	title := " interrupted sessions "
	return a.styles.Frame.On(cells.Rule(2)) + a.styles.Heading.On(title) + a.styles.Frame.On(cells.Rule(w-2-cells.Width(title)))
}

// detailLines draws the details of the selected row.
func (a *app) detailLines(c columns, at cells.Rect) []string {
	if at.IsEmpty() {
		return nil
	}
	words, looks := a.detail(c)
	var lines []string
	for _, line := range cells.WrapWords(words, at.W-2) {
		lines = append(lines, looks.On(" "+line))
	}
	if n := len(lines); n > at.H { // cut the last visible line, so that its ellipsis shows that there is more
		lines = append(lines[:at.H-1], looks.On(cells.Cut(" "+strings.Join(cells.WrapWords(words, at.W-2)[at.H-1:], " "), at.W)))
	}
	return cells.Block(lines, at.W, at.H)
}

// detail returns a notice if there is one; otherwise the details of the selected row that have no
// column; otherwise what the walk left out.
func (a *app) detail(c columns) (words string, looks theme.Paint) {
	st := a.styles
	if n := len(a.notices); n > 1 {
		return fmt.Sprintf("%s (and %d more)", a.notices[0], n-1), st.Warn
	} else if n == 1 {
		return a.notices[0], st.Warn
	}
	at := a.focused()
	item := a.sections[at].selected()
	switch {
	case item >= 0 && at == sessions:
		words, looks = a.list[item].more(c.w), st.Name
	case item >= 0:
		words, looks = a.moreOf(c, item)
	}
	if words == "" && a.isWalked {
		return cells.Prose(strings.Join(a.walk.notes(), "; ")), st.Faint
	}
	return words, looks
}

// moreOf returns the details of a model that have no column.
func (a *app) moreOf(c columns, item int) (string, theme.Paint) {
	f, st := a.files[item], a.styles
	if f.err != nil {
		return cells.Prose(f.err.Error()), st.Bad
	}
	var out []string
	if name := a.sections[models].texts[item]; cells.Width(name) > c.name {
		out = append(out, name)
	}
	if where := f.whereText(a.o.Now()); cells.Width(where) > c.whereRoom() {
		out = append(out, "last p50 "+f.p50Text()+" on "+where)
	}
	return strings.Join(out, "; "), st.Name
}

// hints returns the most important keys.
func (a *app) hints(w int) string {
	words := [][2]string{{actionClose, "leave"}}
	if len(a.list) > 0 && len(a.files) > 0 {
		words = append([][2]string{{actionOther, []string{models: "sessions", sessions: "models"}[a.focused()]}}, words...)
	}
	if len(a.list)+len(a.files) > 0 {
		words = append([][2]string{{actionAccept, "open"}}, words...)
		words = append(words, [2]string{actionNext, "next"}, [2]string{actionPrevious, "previous"})
	}
	var out []string
	for _, h := range words {
		if key := a.key(h[0]); key != "" {
			out = append(out, a.styles.Key.On(key)+" "+h[1])
		}
	}
	return cells.Cut(" "+strings.Join(out, "  "), w)
}
