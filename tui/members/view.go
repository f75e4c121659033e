package members

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session/folders"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/controls"
)

// On a smaller screen there is no room for names.
const (
	minWidth  = 30
	minHeight = 6
)

// View implements tea.Model.
func (a *app) View() tea.View {
	lines := cells.Block([]string{"too small for a", "list of models"}, a.w, a.h)
	if a.w >= minWidth && a.h >= minHeight {
		lines = a.draw()
	}
	content := strings.Join(lines, "\n")
	if a.o.Settings.ASCII {
		content = cells.ASCII(content)
	}
	v := tea.NewView(content)
	v.AltScreen = a.o.Settings.AltScreen
	v.WindowTitle = "lathe " + cells.Label(filepath.Base(a.o.Report.Path))
	if a.o.Settings.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// memberLines is how many lines the list of members has: as many as it needs, up to half the screen.
func (a *app) memberLines() int { return min(len(a.o.Report.Members), max(a.h/2-1, 1)) }

func (a *app) draw() []string {
	lines := []string{a.titleLine()}
	from, to := a.rows.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, a.memberLine(i))
	}
	rest := a.h - len(lines) - 1
	about := a.about
	if a.helping {
		about = a.help
	}
	lines = append(lines, cells.Block(about(), a.w, rest)...)
	return append(lines, a.lastLine())
}

func (a *app) titleLine() string {
	r := a.o.Report
	facts := cells.Cut(r.LayoutText()+", "+text.Plural(len(r.Members), "model"), a.w*3/5)
	name := " " + cells.CutFront(cells.Label(r.Path), max(a.w-cells.Width(facts)-4, 1))
	return a.styles.Title.On(name) + a.styles.TitleDim.On(cells.FitRight(facts+" ", a.w-cells.Width(name)))
}

// memberLine draws a member: its name, its size, and what it consists of.
func (a *app) memberLine(i int) string {
	m := &a.o.Report.Members[i]
	room := min(max(a.w/3, 18), a.nameWidth())
	line := " " + cells.Fit(cells.Label(m.Name), room) + "  "
	about := text.Bytes(m.Bytes) + "  " + m.Summary
	if m.Error != "" {
		about = "cannot be opened"
	}
	line = cells.Fit(line+cells.Prose(about), a.w)
	switch {
	case i == a.rows.Cursor:
		return a.styles.Selected.On(line)
	case m.Error != "":
		return a.styles.Bad.On(line)
	}
	return a.styles.Name.On(line)
}

func (a *app) nameWidth() (w int) {
	for _, m := range a.o.Report.Members {
		w = max(w, cells.Width(cells.Label(m.Name)))
	}
	return w
}

// help lists the keys, in as many columns as fit.
func (a *app) help() []string {
	const keys, column = 18, 50
	columns := max(a.w/column, 1)
	tall := (len(a.keys) + columns - 1) / columns
	lines := make([]string, tall)
	for i, k := range a.keys {
		spelled := make([]string, len(k.Keys))
		for j, key := range k.Keys {
			spelled[j] = controls.Spell(key)
		}
		lines[i%tall] += cells.Fit("  "+a.styles.Key.On(cells.Fit(strings.Join(spelled, " "), keys))+k.Help, column)
	}
	for i := range lines {
		lines[i] = cells.Fit(lines[i], a.w)
	}
	return append([]string{a.ruled("keys")}, lines...)
}

// ruled is a heading in a rule.
func (a *app) ruled(heading string) string {
	return a.styles.Frame.On(cells.Rule(2)) + a.styles.Heading.On(" "+heading+" ") + a.styles.Frame.On(cells.Rule(max(a.w-cells.Width(heading)-4, 0)))
}

// about says what the selected member is, and which wires lead to it and from it.
func (a *app) about() (lines []string) {
	m := a.selected()
	if m == nil {
		return nil
	}
	lines = append(lines, a.ruled(cells.Label(m.File)))
	for _, line := range cells.WrapWords(cells.Prose(m.Summary), a.w-2) {
		lines = append(lines, " "+line)
	}
	for _, side := range []struct {
		title string
		of    func(folders.WireGroup) bool
	}{
		{"reads", func(g folders.WireGroup) bool { return g.Of.To.Member == m.Name }},
		{"is read by", func(g folders.WireGroup) bool { return g.Of.From.Member == m.Name && g.Of.To.Member != m.Name }},
	} {
		lines = append(lines, a.wireLines(side.title, side.of)...)
	}
	lines = append(lines, a.portLines(m.Name, "from the caller", a.o.Report.Callers)...)
	lines = append(lines, a.portLines(m.Name, "not known where they come from", a.o.Report.Unknown)...)
	return append(lines, a.problemLines(m.Name)...)
}

func (a *app) wireLines(title string, of func(folders.WireGroup) bool) (lines []string) {
	for _, g := range a.wires {
		if !of(g) {
			continue
		}
		if len(lines) == 0 {
			lines = append(lines, a.styles.Heading.On(" "+title))
		}
		line := cells.Cut(" "+cells.Label(g.From)+" → "+cells.Label(g.To)+"  "+cells.Prose(g.Note()), a.w)
		if g.Of.Misfit != "" {
			line = a.styles.Bad.On(line)
		}
		lines = append(lines, line)
	}
	return lines
}

func (a *app) portLines(member, title string, list []folders.PortReport) []string {
	var names []string
	for _, p := range list {
		if p.Member == member {
			names = append(names, cells.Label(p.Name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{a.styles.Heading.On(" " + title), cells.Cut(" "+strings.Join(names, ", "), a.w)}
}

func (a *app) problemLines(member string) (lines []string) {
	for _, p := range a.o.Report.Problems {
		if p.Member == member || p.Member == "" {
			lines = append(lines, a.styles.Bad.On(cells.Cut(" "+cells.Prose(p.String()), a.w)))
		}
	}
	return lines
}

// lastLine shows a notice, or the most important keys.
func (a *app) lastLine() string {
	if a.notice != "" {
		return a.styles.Warn.On(cells.Fit(" "+cells.Prose(a.notice), a.w))
	}
	var out []string
	for _, h := range [][2]string{{actionAccept, "open"}, {actionHelp, "help"}, {actionClose, "leave"}, {actionNext, "next"}, {actionPrevious, "previous"}} {
		if key := a.key(h[0]); key != "" {
			out = append(out, a.styles.Key.On(key)+" "+h[1])
		}
	}
	return cells.Fit(" "+strings.Join(out, "  "), a.w)
}
