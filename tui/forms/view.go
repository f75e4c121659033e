package forms

import (
	"fmt"
	"strings"

	"lathe/tui/cells"

	tea "charm.land/bubbletea/v2"
)

const (
	// foundRows is how many rows of fields that match a filter are visible below it.
	foundRows = 4
	// formCommand is the height of the command and the rule above it.
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
		return fmt.Sprintf("%s, %d of %d: %s", fl.label, f.Offer.At+1, f.Offer.Total, f.said())
	}
	value, _ := fl.View(line, cells.Width(strings.Join(fl.Values(), ""))+20)
	if hint := fl.hint(line); hint != "" {
		value = hint
	}
	words := fmt.Sprintf("%s: %s. %s", fl.label, strings.TrimSpace(value), fl.usage)
	if flaw := fl.Flaw(line); flaw != "" {
		words += "\n" + cells.Prose(flaw)
	}
	if m := f.marker(); m != "" {
		words += "\n" + m
	}
	return words
}

// said describes the selected completion.
func (f *Form) said() string {
	e, ok := f.Offer.Selected()
	if !ok {
		return cells.Prose(f.Offer.Note)
	}
	return e.Label()
}

// Clicked implements shell.Pointed. A click accepts a name in the list or focuses a field. On a choice it
// selects the next one, and on the fold it opens or closes it.
func (f *Form) Clicked(x, y int) tea.Cmd {
	if box := f.offerBox(); f.Offer.IsOpen() && box.Holds(x, y) {
		from, _ := f.Offer.Visible()
		f.Offer.At = max(min(from+y-box.Y, len(f.Offer.List)-1), 0)
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
	if f.isFold() { // and what the filter finds with the filter
		last = min(at+foundRows, len(all)-1)
	}
	f.first = max(min(f.first, at), last-shown+1)
	f.first = max(0, min(f.first, len(all)-shown))
	f.foldHelp(all)
	looks, text := f.previewText()
	f.Preview.looks = looks
	f.Preview.content.Fold(text, w)
	f.Preview.Scroll.Resize(len(f.Preview.content.Lines), max(h-shown-1-f.helpRows-formCommand, 0))
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
	lines = append(cells.Block(lines, f.w, f.fieldRows()), f.rule())
	for _, line := range cells.Block(f.help, f.w, f.helpRows) {
		lines = append(lines, st.Faint.On(line))
	}
	lines = append(lines, f.Preview.View(st, f.w)...)
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
	if f.isFold() {
		return "the other options; type a word to see only those whose name or help has it"
	}
	return ""
}

// Limits of the height of the help, in percent of the height: of most fields, so that the preview
// keeps its place while the focus moves, and of a field with an unusually long help.
const (
	helpShare     = 20
	longHelpShare = 50
)

// foldHelp wraps the help of the focused field. Its height is that of the longest help of all rows,
// within limits.
func (f *Form) foldHelp(rows []formRow) {
	most := 1
	for _, r := range rows {
		if r.field != nil {
			most = max(most, len(cells.WrapWords(r.field.usage, f.w)))
		}
	}
	f.help = cells.WrapWords(cells.Prose(f.usage()), f.w)
	f.helpRows = max(min(most, f.h*helpShare/100), min(len(f.help), f.h*longHelpShare/100), 1)
	f.helpRows = min(f.helpRows, max(f.h-f.fieldRows()-1-formCommand, 1))
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
		name = fl.label
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
	case fl.choices != nil:
		return f.choice(fl, room, isFocused)
	case isFocused:
		return st.FieldFocus.On(v)
	default:
		return v
	}
}

// choice draws a switch or a choice, and faintly its default or what else may be chosen.
func (f *Form) choice(fl *field, room int, isFocused bool) string {
	st := f.WS.Styles
	v, _ := fl.View(0, room)
	v = strings.TrimRight(v, " ")
	beside := cells.Fit("  "+cells.Prose(fl.beside()), max(room-cells.Width(v), 0))
	if isFocused {
		v = st.FieldFocus.On(v)
	}
	return v + st.Faint.On(beside)
}

// nameWidth is the width of the column of names.
func (f *Form) nameWidth() int {
	w := 0
	for _, fl := range f.Fields {
		w = max(w, cells.Width(fl.label))
	}
	return min(w, max(f.w/3, 1))
}

// Cursor implements shell.Typist. On a field with a choice, the cursor is at the sign before the choice.
func (f *Form) Cursor() (x, y int) {
	fl, line := f.Focused()
	_, row := f.focusedRow()
	if fl == nil && f.Filter != "" {
		return min(2+cells.Width(filterLead+f.Filter), max(f.w-1, 0)), row - f.first
	}
	if fl == nil {
		return 0, row - f.first
	}
	names := f.nameWidth()
	_, x = fl.View(line, max(f.w-names-4, 1))
	return names + 4 + max(x, 0), row - f.first
}
