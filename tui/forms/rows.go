package forms

import (
	"fmt"
	"strings"

	"lathe/session"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/controls"
)

// manyFields is the number of fields up to which a form shows all of them.
const manyFields = 8

// foldRare hides rarely used fields of a long form behind one line. If the step does not say which
// options are rare, these are the optional and empty fields that accept any text.
func (f *Form) foldRare() {
	if len(f.Fields) <= manyFields {
		return
	}
	for _, fl := range f.Fields {
		isUsual := fl.option.Names != session.NamesNothing || fl.isList() ||
			fl.kind == session.KindChoice || fl.kind == session.KindPath
		if fl.option.Standing != session.Unranked {
			isUsual = fl.option.Standing == session.Usual
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
// rare fields, and the rare fields if they are unfolded.
func (f *Form) rows() []formRow {
	usual, rest := f.divided()
	out := rowsOfFields(nil, usual, 0)
	if len(rest) == 0 {
		return out
	}
	n := focusable(out)
	out = append(out, formRow{at: n})
	if f.unfolded {
		out = rowsOfFields(out, rest, n+1)
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

// foldLine says which fields are folded.
func (f *Form) foldLine() string {
	_, rest := f.divided()
	names := make([]string, len(rest))
	for i, fl := range rest {
		names[i] = fl.Name
	}
	if f.unfolded {
		return fmt.Sprintf("▾ %s less", controls.Spell("space"))
	}
	return fmt.Sprintf("▸ %s shows %s: %s", controls.Spell("space"), text.Plural(len(rest), "more option"), strings.Join(names, ", "))
}
