package tui

import (
	"slices"

	"lathe/graphops/simplify"
	"lathe/tui/cells"
	"lathe/tui/list"
)

// passEntry is a pass in the list of passes, the heading of a group of them, or a line
// of text.
type passEntry struct {
	simplify.Pass
	heading string
	warning string
}

func (e passEntry) isPass() bool { return e.Name != "" }

// passLines are the lines of the list: the entries, those that are unfolded with a line
// for each change and near miss. None is made before it shows.
type passLines struct {
	entries []passEntry
	open    map[string]bool // entries that are unfolded
	rows    list.Window
}

// arrange puts the passes that find something in front of the others of their group,
// and keeps the cursor on its line.
func (d *simplifyDialog) arrange() {
	at, child := d.at()
	var plain, optional []passEntry
	for _, p := range simplify.Passes() {
		if p.Optional {
			optional = append(optional, passEntry{Pass: p})
		} else {
			plain = append(plain, passEntry{Pass: p})
		}
	}
	d.entries = []passEntry{{heading: "passes"}}
	d.entries = append(d.entries, d.ranked(plain)...)
	d.entries = append(d.entries, passEntry{heading: "optional passes", Pass: simplify.Pass{Optional: true}})
	d.entries = append(d.entries, d.ranked(optional)...)
	if d.found != nil {
		for _, w := range d.found.Warnings {
			d.entries = append(d.entries, passEntry{warning: cells.Prose(w)})
		}
	}
	d.follow(at, child)
}

// ranked sorts passes: those that change something, those that almost do, the others.
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

// follow puts the cursor on a line that may have moved.
func (d *simplifyDialog) follow(at passEntry, child int) {
	row := d.rows.Cursor
	for i, e := range d.entries {
		if e == at {
			row = d.rowOf(i) + 1 + min(child, d.children(i)-1)
		}
	}
	d.rows.N = d.len()
	d.rows.MoveTo(row)
}

// children is how many lines of a pass show below it.
func (d *simplifyDialog) children(entry int) int {
	name := d.entries[entry].Name
	if f := d.seen[name]; f != nil && d.open[name] {
		return f.len()
	}
	return 0
}

// len is how many lines there are.
func (d *simplifyDialog) len() int { return d.rowOf(len(d.entries)) }

// rowOf is the line of an entry.
func (d *simplifyDialog) rowOf(entry int) int {
	row := 0
	for i := range entry {
		row += 1 + d.children(i)
	}
	return row
}

// line is the entry of a line, and which of its changes and near misses it is; -1 for
// the entry itself.
func (d *simplifyDialog) line(row int) (e passEntry, child int) {
	for i, e := range d.entries {
		if n := d.children(i); row <= n {
			return e, row - 1
		}
		row -= 1 + d.children(i)
	}
	return passEntry{}, -1
}

// at is the line at the cursor.
func (d *simplifyDialog) at() (passEntry, int) { return d.line(d.rows.Cursor) }

// unfold shows what a pass would do, or not. The cursor stays on the pass.
func (d *simplifyDialog) unfold(name string, open bool) {
	d.open[name] = open
	row := slices.IndexFunc(d.entries, func(e passEntry) bool { return e.Name == name })
	d.rows.N = d.len()
	d.rows.MoveTo(d.rowOf(row))
}
