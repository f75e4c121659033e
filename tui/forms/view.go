package forms

import (
	"fmt"
	"strings"

	"lathe/tui/cells"

	tea "charm.land/bubbletea/v2"
)

// Heights below the fields: a rule with the help of the focused field, and a rule with the command.
const (
	formHelp    = 2
	formCommand = 3
	// fieldShare is the largest share of the height for the fields, in percent. The rest is for the
	// preview.
	fieldShare = 55
)

// fieldRows is how many rows of fields are visible.
func (f *Form) fieldRows() int { return max(min(len(f.rows()), f.h*fieldShare/100), 1) }

// Said describes the focused field for a screen reader: its value, its purpose and what is wrong
// with it.
func (f *Form) Said() string {
	fl, line := f.Focused()
	switch {
	case fl == nil && f.isFold():
		return f.foldLine()
	case fl == nil:
		return f.Title()
	case f.Offer.IsOpen():
		return fmt.Sprintf("%s, %d of %d: %s", fl.Name, f.Offer.at+1, f.Offer.total, f.Offer.label(f.Offer.found[f.Offer.at]))
	}
	value, _ := fl.View(line, cells.Width(strings.Join(fl.Values(), ""))+20)
	if hint := fl.hint(line); hint != "" {
		value = hint
	}
	words := fmt.Sprintf("%s: %s. %s", fl.Name, strings.TrimSpace(value), fl.usage)
	if flaw := fl.Flaw(line); flaw != "" {
		words += "\n" + cells.Prose(flaw)
	}
	if m := f.marker(); m != "" {
		words += "\n" + m
	}
	return words
}

// Clicked implements shell.Pointed. A click accepts a name in the list or focuses a field. On a choice it
// selects the next one, and on the fold it opens or closes it.
func (f *Form) Clicked(x, y int) tea.Cmd {
	if box, from, _ := f.offerBox(); f.Offer.IsOpen() && box.Holds(x, y) {
		f.Offer.at = min(from+y-box.Y, len(f.Offer.found)-1)
		return f.accept()
	}
	rows := f.rows()
	if y >= f.fieldRows() || f.first+y >= len(rows) || rows[f.first+y].at < 0 {
		return nil
	}
	cmd := f.move(rows[f.first+y].at - f.At)
	switch fl, _ := f.Focused(); {
	case fl == nil:
		f.unfolded = !f.unfolded
	case fl.choices != nil && fl.turn("space"):
		return tea.Batch(cmd, f.Changed())
	}
	return cmd
}

// Wheeled implements shell.Pointed.
func (f *Form) Wheeled(by int) { f.Preview.Scroll.By(by) }

// Sync implements shell.Pane.
func (f *Form) Sync(w, h int) tea.Cmd {
	f.w, f.h = w, h
	f.At = min(f.At, f.Lines()-1)
	shown, all := f.fieldRows(), f.rows()
	_, at := f.focusedRow()
	last := at // keep a note with its line
	if at+1 < len(all) && all[at+1].at < 0 {
		last++
	}
	f.first = max(min(f.first, at), last-shown+1)
	f.first = max(0, min(f.first, len(all)-shown))
	looks, text := f.previewText()
	f.Preview.looks = looks
	f.Preview.content.Fold(text, w)
	f.Preview.Scroll.Resize(len(f.Preview.content.Lines), max(h-shown-formHelp-formCommand, 0))
	return nil
}

// View implements shell.Pane.
func (f *Form) View(bool) []string {
	st := f.WS.Styles
	var lines []string
	rows := f.rows()
	for _, r := range rows[f.first:min(f.first+f.fieldRows(), len(rows))] {
		lines = append(lines, f.rowLine(r))
	}
	if len(rows) == 0 {
		lines = append(lines, st.Faint.On("  nothing to choose"))
	}
	lines = append(lines, f.rule(), st.Faint.On(cells.Cut(f.usage(), f.w)))
	lines = append(cells.Block(lines, f.w, f.fieldRows()+formHelp), f.Preview.View(st, f.w)...)
	lines = append(lines, st.Frame.On(cells.Rule(f.w)))
	command := cells.Block(cells.WrapWords(cells.Prose(f.note+f.Command), f.w), f.w, formCommand-1)
	for i, c := range command {
		command[i] = st.Key.On(c)
	}
	lines = cells.Block(append(lines, command...), f.w, f.h)
	f.overlay(lines)
	return lines
}

// usage says what the focused field is for.
func (f *Form) usage() string {
	if fl, _ := f.Focused(); fl != nil {
		return fl.usage
	}
	return ""
}

// rule draws the line between fields and preview. It says if a preview is being made.
func (f *Form) rule() string {
	st, m := f.WS.Styles, f.marker()
	if m == "" || f.w < len(m)+8 {
		return st.Frame.On(cells.Rule(f.w))
	}
	return st.Frame.On(cells.Rule(f.w-len(m)-4)) + " " + st.Warn.On(m) + " " + st.Frame.On(cells.Rule(2))
}

// rowLine draws a row.
func (f *Form) rowLine(r formRow) string {
	st, fl := f.WS.Styles, r.field
	names := f.nameWidth()
	room := max(f.w-names-4, 1)
	looks, lead, isFocused := st.Faint, "  ", r.at >= 0 && r.at == f.At
	if isFocused {
		looks, lead = st.Key, "› "
	}
	switch {
	case r.note != "":
		return cells.Blanks(names+4) + st.Bad.On(cells.Cut(r.note, room))
	case fl == nil:
		return looks.On(lead + cells.Cut(f.foldLine(), f.w-2))
	}
	name := ""
	if r.line == 0 {
		name = fl.Name
	}
	flaw := " "
	if fl.Flaw(r.line) != "" || fl.Told && fl.err != nil && r.line == 0 {
		flaw = st.Bad.On("!")
	}
	return looks.On(lead+cells.Fit(name, names)) + flaw + " " + f.value(fl, r.line, room, isFocused)
}

// value draws the value of a line, or faintly the default.
func (f *Form) value(fl *field, line, room int, isFocused bool) string {
	st := f.WS.Styles
	v, _ := fl.View(line, room)
	hint := fl.hint(line)
	switch {
	case hint != "" && isFocused:
		return st.FieldFocus.On(" ") + st.Faint.On(cells.Fit(cells.Prose(hint), room-1))
	case hint != "":
		return st.Faint.On(cells.Fit(cells.Prose(hint), room))
	case isFocused:
		return st.FieldFocus.On(v)
	default:
		return v
	}
}

// nameWidth is the width of the column of names.
func (f *Form) nameWidth() int {
	w := 0
	for _, fl := range f.Fields {
		w = max(w, cells.Width(fl.Name))
	}
	return min(w, max(f.w/3, 1))
}

// Cursor implements shell.Typist. On a field with a choice, the cursor is at the sign before the choice.
func (f *Form) Cursor() (x, y int) {
	fl, line := f.Focused()
	_, row := f.focusedRow()
	if fl == nil {
		return 0, row - f.first
	}
	names := f.nameWidth()
	_, x = fl.View(line, max(f.w-names-4, 1))
	return names + 4 + max(x, 0), row - f.first
}
