package passes

import (
	"slices"

	"lathe/graphops/simplify"
	"lathe/tui/cells"
	"lathe/tui/list"
)

// PassEntry is an entry of the list: a pass, the heading of a group of passes, the line that hides
// passes without changes, or a warning.
type PassEntry struct {
	simplify.Pass
	heading string
	isIdle  bool
	warning string
}

func (e PassEntry) isPass() bool { return e.Name != "" }

// passLines are the lines of the list: its entries, and below each unfolded pass a line for each
// change and near miss. A line is made only when it is visible.
type passLines struct {
	Entries []PassEntry
	idle    []string        // names of the passes that ran and found nothing
	isWhole bool            // the passes that found nothing are shown, too
	Open    map[string]bool // entries that are unfolded
	Rows    list.Window
}

// Arrange makes the list of entries. In each group, passes that find something come first. Of the
// passes that are on by default, those that find nothing are hidden behind one line. The cursor
// stays on its line.
func (d *Dialog) Arrange() {
	at, child := d.At()
	var plain, optional []PassEntry
	for _, p := range d.Passes {
		if p.Optional {
			optional = append(optional, PassEntry{Pass: p})
		} else {
			plain = append(plain, PassEntry{Pass: p})
		}
	}
	d.Entries = []PassEntry{{heading: "passes"}}
	d.Entries = append(d.Entries, d.folded(d.ranked(plain))...)
	d.Entries = append(d.Entries, PassEntry{heading: "optional passes", Pass: simplify.Pass{Optional: true}})
	d.Entries = append(d.Entries, d.ranked(optional)...)
	if d.Found != nil {
		for _, w := range d.Found.Warnings {
			d.Entries = append(d.Entries, PassEntry{warning: cells.Prose(w)})
		}
	}
	d.follow(at, child)
}

// folded moves passes that change nothing below the others, under one line that hides or shows
// them.
func (d *Dialog) folded(list []PassEntry) []PassEntry {
	d.idle = nil
	var out, idle []PassEntry
	for _, e := range list {
		if f := d.Seen[e.Name]; f != nil && f.len() == 0 && d.Ticked[e.Name] {
			idle, d.idle = append(idle, e), append(d.idle, e.Name)
		} else {
			out = append(out, e)
		}
	}
	if len(idle) == 0 {
		return out
	}
	out = append(out, PassEntry{isIdle: true})
	if d.isWhole {
		out = append(out, idle...)
	}
	return out
}

// ranked sorts passes: first those that change something, then those with near misses, then the
// others.
func (d *Dialog) ranked(list []PassEntry) []PassEntry {
	rank := func(e PassEntry) int {
		switch f := d.Seen[e.Name]; {
		case f != nil && len(f.Changes) > 0:
			return 0
		case f != nil && len(f.Refused) > 0:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b PassEntry) int { return rank(a) - rank(b) })
	return list
}

// follow puts the cursor back on a line that may have moved.
func (d *Dialog) follow(at PassEntry, child int) {
	row := d.Rows.Cursor
	for i, e := range d.Entries {
		if e == at {
			row = d.RowOf(i) + 1 + min(child, d.children(i)-1)
		}
	}
	if at.isPass() && !slices.Contains(d.Entries, at) { // it is folded away with others
		row = d.RowOf(max(slices.IndexFunc(d.Entries, func(e PassEntry) bool { return e.isIdle }), 0))
	}
	d.Rows.N = d.len()
	d.Rows.MoveTo(row)
}

// children returns the number of lines shown below an entry.
func (d *Dialog) children(entry int) int {
	name := d.Entries[entry].Name
	if f := d.Seen[name]; f != nil && d.Open[name] {
		return f.len()
	}
	return 0
}

// len returns the number of lines.
func (d *Dialog) len() int { return d.RowOf(len(d.Entries)) }

// RowOf returns the line of an entry.
func (d *Dialog) RowOf(entry int) int {
	row := 0
	for i := range entry {
		row += 1 + d.children(i)
	}
	return row
}

// line returns the entry of a line, and the index of its change or near miss; -1 for the entry
// itself.
func (d *Dialog) line(row int) (e PassEntry, child int) {
	for i, e := range d.Entries {
		if n := d.children(i); row <= n {
			return e, row - 1
		}
		row -= 1 + d.children(i)
	}
	return PassEntry{}, -1
}

// At returns the line at the cursor.
func (d *Dialog) At() (PassEntry, int) { return d.line(d.Rows.Cursor) }

// isOpen reports whether a line is unfolded.
func (d *Dialog) isOpen(e PassEntry) bool { return e.isIdle && d.isWhole || d.Open[e.Name] }

// unfold shows or hides the changes of a pass, or the passes that find nothing. If the line at the
// cursor is hidden, the cursor goes to its pass.
func (d *Dialog) unfold(e PassEntry, open bool) {
	if e.isIdle {
		d.isWhole = open
		d.Arrange()
		return
	}
	name := e.Name
	d.Open[name] = open
	row := slices.IndexFunc(d.Entries, func(e PassEntry) bool { return e.Name == name })
	d.Rows.N = d.len()
	d.Rows.MoveTo(d.RowOf(row))
}
