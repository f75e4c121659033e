package forms

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/controls"
)

// filterLead is in front of the filter on the line of the fold.
const filterLead = "▾ with "

// manyFields is the number of fields up to which a form shows all of them.
const manyFields = 8

// foldRare hides fields of a long form behind one line. If the step says which options most people set
// first, only those are visible. Otherwise the rare ones are hidden and, if the step does not say
// which these are, the optional and empty fields that accept any text.
func (f *Form) foldRare() {
	if len(f.Fields) <= manyFields {
		return
	}
	isMain := func(fl *field) bool { return fl.option.Standing == session.Main }
	tellsMain := slices.ContainsFunc(f.Fields, isMain)
	for _, fl := range f.Fields {
		isUsual := fl.option.Names != session.NamesNothing || fl.isList() ||
			fl.kind == session.KindChoice || fl.kind == session.KindPath
		if fl.option.Standing != session.Unranked {
			isUsual = fl.option.Standing.IsUsual()
		}
		if tellsMain {
			isUsual = isMain(fl)
		}
		fl.Rare = !isUsual && !fl.required && fl.isEmpty()
	}
}

// formRow is a row of the form: a line of a field, the line that hides rare fields, or a note about
// the line above.
type formRow struct {
	field *field // nil for the fold
	line  int
	at    int    // number among the lines that can have the focus, -1 for a note
	note  string // safe to print
}

// divided returns the fields that are always visible, and the rare fields, which can be hidden.
func (f *Form) divided() (usual, rest []*field) {
	for _, fl := range f.Fields {
		switch {
		case fl.Rare:
			rest = append(rest, fl)
		default:
			usual = append(usual, fl)
		}
	}
	return usual, rest
}

// Rows returns all rows of the form from top to bottom: the usual fields, the line that hides the
// rare fields, and the rare fields if they are unfolded, or those of them that match the filter.
func (f *Form) rows() []formRow {
	usual, rest := f.divided()
	out := rowsOfFields(nil, usual, 0)
	if len(rest) == 0 {
		return out
	}
	n := focusable(out)
	out = append(out, formRow{at: n})
	if f.unfolded || f.Filter != "" {
		out = rowsOfFields(out, f.matching(rest), n+1)
	}
	return out
}

func rowsOfFields(out []formRow, fields []*field, at int) []formRow {
	for _, fl := range fields {
		for line := range fl.Lines {
			out = append(out, formRow{field: fl, line: line, at: at})
			at++
			if flaw := fl.Flaw(line); flaw != "" {
				out = append(out, formRow{field: fl, line: line, at: -1, note: cells.Prose(flaw)})
			}
		}
	}
	return out
}

func focusable(rows []formRow) int {
	n := 0
	for _, r := range rows {
		if r.at >= 0 {
			n++
		}
	}
	return n
}

// Lines is the number of lines that can have the focus, at least one.
func (f *Form) Lines() int { return max(focusable(f.rows()), 1) }

// focusedRow returns the focused row and its position.
func (f *Form) focusedRow() (r formRow, i int) {
	for i, r := range f.rows() {
		if r.at == f.At {
			return r, i
		}
	}
	return formRow{at: -1}, 0
}

// Focused returns the focused field and the line in it. The field is nil if the fold has the focus.
func (f *Form) Focused() (fl *field, line int) {
	r, _ := f.focusedRow()
	return r.field, r.line
}

// isFold reports whether the focus is on the line that hides rare fields.
func (f *Form) isFold() bool {
	r, _ := f.focusedRow()
	return r.field == nil && r.at >= 0
}

// Focus moves the focus to a field.
func (f *Form) Focus(fl *field) {
	for _, r := range f.rows() {
		if r.field == fl && r.at >= 0 {
			f.At = r.at
			return
		}
	}
}

// matching returns the fields whose name or help has all words of the filter, those with the words in
// the name first.
func (f *Form) matching(fields []*field) []*field {
	words := strings.Fields(strings.ToLower(f.Filter))
	var named, told []*field
	for _, fl := range fields {
		has := func(s string) bool {
			s = strings.ToLower(s)
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(s, w) })
		}
		switch {
		case has(fl.label):
			named = append(named, fl)
		case has(fl.label + " " + fl.usage):
			told = append(told, fl)
		}
	}
	return append(named, told...)
}

// typeFilter handles a key or a paste on the fold. Space opens and closes the fold, and other text is
// a filter for the folded fields.
func (f *Form) typeFilter(msg tea.Msg) {
	was := f.Filter
	switch msg := msg.(type) {
	case tea.PasteMsg:
		f.Filter += text.CleanLine(msg.Content)
	case tea.KeyPressMsg:
		switch {
		case msg.String() == "space" && f.Filter == "":
			f.unfolded = !f.unfolded
		case msg.String() == "backspace":
			_, n := utf8.DecodeLastRuneInString(f.Filter)
			f.Filter = f.Filter[:len(f.Filter)-n]
		case msg.String() == "ctrl+u":
			f.Filter = ""
		default:
			f.Filter += text.CleanLine(msg.Text)
		}
	}
	f.Filter = cells.Cut(f.Filter, mostFilter)
	if f.Filter != was {
		f.first = 0
	}
}

// mostFilter limits the filter of the folded fields.
const mostFilter = 40

// toMatch moves the focus from the fold to the first field that matches the filter: one of the folded
// fields, or else one of those above. It returns false if the fold has no focus or no filter.
func (f *Form) toMatch() bool {
	if !f.isFold() || f.Filter == "" {
		return false
	}
	usual, rest := f.divided()
	above := f.matching(usual)
	switch {
	case len(f.matching(rest)) > 0:
		f.At++
	case len(above) > 0:
		f.Focus(above[0])
	default:
		f.WS.Log.Say("no option has that word; Esc clears the filter")
	}
	return true
}

// foldLine says which fields are folded, or which fields match the filter. It names keys only while the
// line has the focus, because a field takes them as text.
func (f *Form) foldLine() string {
	usual, rest := f.divided()
	if f.Filter != "" {
		line := fmt.Sprintf("%s%s   %d of %s", filterLead, f.Filter, len(f.matching(rest)), text.Plural(len(rest), "option"))
		if above := f.matching(usual); len(above) > 0 {
			line += "; above: " + labelsOf(above)
		}
		return line
	}
	more := text.Plural(len(rest), "more option")
	switch here := f.isFold(); {
	case f.unfolded && here:
		return fmt.Sprintf("▾ %s less, type to find one", controls.Spell("space"))
	case f.unfolded:
		return "▾ " + more + "; a word typed here finds one"
	case !here:
		return fmt.Sprintf("▸ %s; a word typed here finds one: %s", more, labelsOf(rest))
	}
	return fmt.Sprintf("▸ %s shows %s, type to find one: %s", controls.Spell("space"), more, labelsOf(rest))
}

func labelsOf(fields []*field) string {
	labels := make([]string, len(fields))
	for i, fl := range fields {
		labels[i] = fl.label
	}
	return strings.Join(labels, ", ")
}
