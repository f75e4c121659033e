package tui

import (
	"slices"

	"lathe/graphops/simplify"
	"lathe/tui/cells"
	"lathe/tui/list"
)

// passEntry is an entry of the list: a pass, the heading of a group of passes, the line that hides
// passes without changes, or a warning.
type passEntry struct {
	simplify.Pass
	heading string
	isIdle  bool
	warning string
}

func (e passEntry) isPass() bool { return e.Name != "" }

// passLines are the lines of the list: its entries, and below each unfolded pass a line for each
// change and near miss. A line is made only when it is visible.
type passLines struct {
	entries []passEntry
	idle    []string        // names of the passes that ran and found nothing
	isWhole bool            // the passes that found nothing are shown, too
	open    map[string]bool // entries that are unfolded
	rows    list.Window
}

// arrange makes the list of entries. In each group, passes that find something come first. Of the
// passes that are on by default, those that find nothing are hidden behind one line. The cursor
// stays on its line.
func (d *simplifyDialog) arrange() {
	at, child := d.at()
	var plain, optional []passEntry
	for _, p := range d.passes {
		if p.Optional {
			optional = append(optional, passEntry{Pass: p})
		} else {
			plain = append(plain, passEntry{Pass: p})
		}
	}
	d.entries = []passEntry{{heading: "passes"}}
	d.entries = append(d.entries, d.folded(d.ranked(plain))...)
	d.entries = append(d.entries, passEntry{heading: "optional passes", Pass: simplify.Pass{Optional: true}})
	d.entries = append(d.entries, d.ranked(optional)...)
	if d.found != nil {
		for _, w := range d.found.Warnings {
			d.entries = append(d.entries, passEntry{warning: cells.Prose(w)})
		}
	}
	d.follow(at, child)
}

// folded moves passes that change nothing below the others, under one line that hides or shows
// them.
func (d *simplifyDialog) folded(list []passEntry) []passEntry {
	d.idle = nil
	var out, idle []passEntry
	for _, e := range list {
		if f := d.seen[e.Name]; f != nil && f.len() == 0 && d.ticked[e.Name] {
			idle, d.idle = append(idle, e), append(d.idle, e.Name)
		} else {
			out = append(out, e)
		}
	}
	if len(idle) == 0 {
		return out
	}
	out = append(out, passEntry{isIdle: true})
	if d.isWhole {
		out = append(out, idle...)
	}
	return out
}

// ranked sorts passes: first those that change something, then those with near misses, then the
// others.
func (d *simplifyDialog) ranked(list []passEntry) []passEntry {
	rank := func(e passEntry) int {
		switch f := d.seen[e.Name]; {
		case f != nil && len(f.Changes) > 0:
			return 0
		case f != nil && len(f.Refused) > 0:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b passEntry) int { return rank(a) - rank(b) })
	return list
}

// follow puts the cursor back on a line that may have moved.
func (d *simplifyDialog) follow(at passEntry, child int) {
	row := d.rows.Cursor
	for i, e := range d.entries {
		if e == at {
			row = d.rowOf(i) + 1 + min(child, d.children(i)-1)
		}
	}
	if at.isPass() && !slices.Contains(d.entries, at) { // it is folded away with others
		row = d.rowOf(max(slices.IndexFunc(d.entries, func(e passEntry) bool { return e.isIdle }), 0))
	}
	d.rows.N = d.len()
	d.rows.MoveTo(row)
}

// children returns the number of lines shown below an entry.
func (d *simplifyDialog) children(entry int) int {
	name := d.entries[entry].Name
	if f := d.seen[name]; f != nil && d.open[name] {
		return f.len()
	}
	return 0
}

// len returns the number of lines.
func (d *simplifyDialog) len() int { return d.rowOf(len(d.entries)) }

// rowOf returns the line of an entry.
func (d *simplifyDialog) rowOf(entry int) int {
	row := 0
	for i := range entry {
		row += 1 + d.children(i)
	}
	return row
}

// line returns the entry of a line, and the index of its change or near miss; -1 for the entry
// itself.
func (d *simplifyDialog) line(row int) (e passEntry, child int) {
	for i, e := range d.entries {
		if n := d.children(i); row <= n {
			return e, row - 1
		}
		row -= 1 + d.children(i)
	}
	return passEntry{}, -1
}

// at returns the line at the cursor.
func (d *simplifyDialog) at() (passEntry, int) { return d.line(d.rows.Cursor) }

// isOpen reports whether a line is unfolded.
func (d *simplifyDialog) isOpen(e passEntry) bool { return e.isIdle && d.isWhole || d.open[e.Name] }

// unfold shows or hides the changes of a pass, or the passes that find nothing. If the line at the
// cursor is hidden, the cursor goes to its pass.
func (d *simplifyDialog) unfold(e passEntry, open bool) {
	if e.isIdle {
		d.isWhole = open
		d.arrange()
		return
	}
	name := e.Name
	d.open[name] = open
	row := slices.IndexFunc(d.entries, func(e passEntry) bool { return e.Name == name })
	d.rows.N = d.len()
	d.rows.MoveTo(d.rowOf(row))
}
