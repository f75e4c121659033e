package tui

import (
	"fmt"
	"lathe/tui/cells"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Heights of the parts of a form below the fields: a rule with the help of the
// focused field, a rule with the command.
const (
	formHelp    = 2
	formCommand = 3
	// fieldShare is the most that the fields take of a form, in percent; the rest
	// is for the preview.
	fieldShare = 55
)

// fieldRows is how many lines of fields show.
func (f *form) fieldRows() int { return max(min(f.lines(), f.h*fieldShare/100), 1) }

// said is the focused field, what it is for, and what is wrong.
func (f *form) said() string {
	fl, line := f.focused()
	if fl == nil {
		return f.title()
	}
	value, _ := fl.view(line, ansi.StringWidth(strings.Join(fl.values(), ""))+20)
	words := fmt.Sprintf("%s: %s. %s", fl.name, strings.TrimSpace(value), fl.usage)
	if p := f.problem(); p != "" {
		words += "\n" + p
	}
	return words
}

// clicked implements pointed: it focuses the field under the mouse; a choice
// goes on by one.
func (f *form) clicked(_, y int) tea.Cmd {
	if y >= f.fieldRows() || f.first+y >= f.lines() {
		return nil
	}
	f.at = f.first + y
	if fl, _ := f.focused(); fl != nil && fl.choices != nil && fl.turn("space") {
		return f.changed()
	}
	return nil
}

// wheeled implements pointed.
func (f *form) wheeled(by int) { f.preview.scroll.By(by) }

func (f *form) sync(w, h int) tea.Cmd {
	f.w, f.h = w, h
	rows := f.fieldRows()
	f.first = min(f.first, f.at)
	f.first = max(f.first, f.at-rows+1)
	f.first = max(0, min(f.first, f.lines()-rows))
	looks, text := f.previewText()
	f.preview.looks = looks
	f.preview.content.Fold(text, w)
	f.preview.scroll.Resize(len(f.preview.content.Lines), max(h-rows-formHelp-formCommand, 0))
	return nil
}

func (f *form) view(bool) []string {
	st := f.app.ws.styles
	lines := f.fieldLines()[f.first:][:f.fieldRows()]
	if fl, _ := f.focused(); fl != nil {
		lines = append(lines, st.Frame.On(cells.Rule(f.w)), st.Faint.On(cells.Cut(fl.usage, f.w)))
	}
	lines = append(cells.Block(lines, f.w, f.fieldRows()+formHelp), f.preview.view(st, f.w)...)
	lines = append(lines, st.Frame.On(cells.Rule(f.w)))
	command := cells.Block(cells.WrapWords(cells.Prose(f.note+f.command), f.w), f.w, formCommand-1)
	for i, c := range command {
		command[i] = st.Key.On(c)
	}
	return cells.Block(append(lines, command...), f.w, f.h)
}

// fieldLines draws every line of every field.
func (f *form) fieldLines() []string {
	st := f.app.ws.styles
	names := f.nameWidth()
	focused, at := f.focused()
	var out []string
	for _, fl := range f.fields {
		for i := range fl.lines {
			name := ""
			if i == 0 {
				name = fl.name
			}
			looks, lead := st.Faint, "  "
			if fl == focused && i == at {
				looks, lead = st.Key, "› "
			}
			value, _ := fl.view(i, max(f.w-names-4, 1))
			if fl == focused && i == at {
				value = st.FieldFocus.On(value)
			}
			flaw := " "
			if fl.err != nil && i == 0 {
				flaw = st.Bad.On("!")
			}
			out = append(out, looks.On(lead+cells.Fit(name, names))+flaw+" "+value)
		}
	}
	if len(out) == 0 {
		out = []string{st.Faint.On("  nothing to choose")}
	}
	return out
}

// nameWidth is the width of the column of names.
func (f *form) nameWidth() int {
	w := 0
	for _, fl := range f.fields {
		w = max(w, ansi.StringWidth(fl.name))
	}
	return min(w, max(f.w/3, 1))
}

// cursor implements typist; a choice has none, and gets it at its mark.
func (f *form) cursor() (x, y int) {
	fl, line := f.focused()
	if fl == nil {
		return 0, 0
	}
	names := f.nameWidth()
	_, x = fl.view(line, max(f.w-names-4, 1))
	return names + 4 + max(x, 0), f.at - f.first
}
